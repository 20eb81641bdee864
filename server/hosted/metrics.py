"""Prometheus metrics: numbers of clients, jobs, waiting times and failures, without typed texts.

Events that happen for every letter are counted in plain numbers, which are formatted when Prometheus asks: a
counter of the library takes a lock and half a microsecond for each event, and a histogram more than one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from time import time
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, start_http_server
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import AnalysisMessage, AnyMessage, DeltaMessage, ErrorMessage
from treewhile.server.protocol.frames import Outgoing

LATENCIES: Final = (0.001, 0.002, 0.004, 0.006, 0.01, 0.02, 0.03, 0.06, 0.15, 0.3, 0.6, 1.5, 3.0, 10.0)
ANALYSES: Final = (AnalysisMessage, DeltaMessage)


class Counts(Collector):
    """Counter with one label; `of` has the count of each label value."""

    def __init__(self, name: str, about: str, label: str, values: Sequence[str]) -> None:
        self._name, self._about, self._label = name, about, label
        self._created = time()
        self.of = dict.fromkeys(values, 0)

    def collect(self) -> Iterator[CounterMetricFamily]:
        family = CounterMetricFamily(self._name, self._about, labels=[self._label])
        for value, count in self.of.items():
            family.add_metric([value], count, self._created)
        yield family


class Seconds(Collector):
    """Histogram of durations."""

    def __init__(self, name: str, about: str) -> None:
        self._name, self._about = name, about
        self._created = time()
        self._counts = [0] * (len(LATENCIES) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        """Add one duration."""
        self._counts[bisect_left(LATENCIES, seconds)] += 1
        self._sum += seconds

    def collect(self) -> Iterator[HistogramMetricFamily]:
        buckets = zip([*map(str, LATENCIES), "+Inf"], accumulate(self._counts), strict=True)
        family = HistogramMetricFamily(self._name, self._about, [*buckets], self._sum)
        family.add_sample(f"{self._name}_created", {}, self._created)
        yield family


class Metrics:
    """Metrics of one server."""

    def __init__(self) -> None:
        registry = self.registry = CollectorRegistry()
        self.refused = Counter("treewhile_refused", "Connections refused.", ["code"], registry=registry)
        self.closed = Counter(
            "treewhile_closed", "Connections that the server closed.", ["code"], registry=registry
        )
        self.requests = Counter(
            "treewhile_requests",
            "Requests that the desk had, by the status of the answer.",
            ["status"],
            registry=registry,
        )
        self._failed = Counter("treewhile_failed_jobs", "Jobs that failed.", ["level"], registry=registry)
        self._given_up = Counter(
            "treewhile_given_up", "Jobs that others made needless.", ["level"], registry=registry
        )
        self._errors = Counter("treewhile_errors", "Error messages sent.", ["code"], registry=registry)
        self._jobs = Counts("treewhile_jobs", "Jobs done.", "level", ["L0", "steps", "L1", "L2"])
        stages = ["initial", "improved", "settled", "final"]
        self._stages = Counts("treewhile_analyses", "Analyses sent.", "stage", stages)
        self._first = Seconds(
            "treewhile_first_analysis_seconds", "From the coming of a version to its first analysis."
        )
        self._settled = Seconds(
            "treewhile_settled_seconds", "From the coming of a version to the analysis that nothing improves."
        )
        for plain in (self._jobs, self._stages, self._first, self._settled):
            registry.register(plain)

    def show(self, name: str, about: str, value: Callable[[], float], **labels: str) -> None:
        """Register a gauge whose value is computed on each request."""
        gauge = Gauge(f"treewhile_{name}", about, [*labels], registry=self.registry)
        (gauge.labels(**labels) if labels else gauge).set_function(value)

    def count_job(self, job: Job, result: object) -> None:
        """Count a finished job by its result."""
        self._jobs.of[job.level] += 1
        if result is None:
            self._given_up.labels(job.level).inc()
        if isinstance(result, Exception):
            self._failed.labels(job.level).inc()

    def count_first(self, messages: Iterable[AnyMessage]) -> None:
        """Add the delays of first analyses among new messages.

        Messages are counted before the journal removes answers to changes that are not durable.
        """
        for message in messages:
            if isinstance(message, ANALYSES) and message.answers:
                self._first.add(message.seconds)

    def count_sent(self, message: Outgoing) -> None:
        """Count a message that goes to a socket."""
        if isinstance(message, ANALYSES):
            self._stages.of[message.stage] += 1
            if message.stage in ("settled", "final"):
                self._settled.add(message.seconds)
        elif isinstance(message, ErrorMessage):
            self._errors.labels(message.code).inc()

    def serve(self, host: str, port: int) -> Callable[[], None]:
        """Serve the metrics over HTTP on a port of their own, and return a function that stops serving."""
        server, thread = start_http_server(port, host, self.registry)

        def end() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return end
