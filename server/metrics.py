"""What Prometheus is told: numbers of clients, work, waiting and failures; nothing of what people type."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import AnalysisMessage, AnyMessage, DeltaMessage, ErrorMessage
from treewhile.server.protocol.frames import Outgoing

LATENCIES: Final = (0.001, 0.002, 0.004, 0.006, 0.01, 0.02, 0.03, 0.06, 0.15, 0.3, 0.6, 1.5, 3.0, 10.0)


class Metrics:
    """The metrics of one server."""

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
        self._jobs = Counter("treewhile_jobs", "Jobs done.", ["level"], registry=registry)
        self._failed = Counter("treewhile_failed_jobs", "Jobs that failed.", ["level"], registry=registry)
        self._given_up = Counter(
            "treewhile_given_up", "Jobs that others made needless.", ["level"], registry=registry
        )
        self._errors = Counter("treewhile_errors", "Error messages sent.", ["code"], registry=registry)
        self._stages = Counter("treewhile_analyses", "Analyses sent.", ["stage"], registry=registry)
        self._first, self._settled = (
            Histogram(f"treewhile_{name}_seconds", about, buckets=LATENCIES, registry=registry)
            for name, about in (
                ("first_analysis", "From the coming of a version to its first analysis."),
                ("settled", "From the coming of a version to the analysis that nothing improves."),
            )
        )
        # label by label is slow to look up, and these are looked up for every message
        self._sent = {
            stage: self._stages.labels(stage) for stage in ("initial", "improved", "settled", "final")
        }
        self._done = {level: self._jobs.labels(level) for level in ("L0", "steps", "L1", "L2", "L3")}

    def show(self, name: str, about: str, value: Callable[[], float], **labels: str) -> None:
        """A gauge whose value is asked for whenever somebody looks."""
        gauge = Gauge(f"treewhile_{name}", about, [*labels], registry=self.registry)
        (gauge.labels(**labels) if labels else gauge).set_function(value)

    def count_job(self, job: Job, result: object) -> None:
        """A job has come back."""
        self._done[job.level].inc()
        if result is None:
            self._given_up.labels(job.level).inc()
        if isinstance(result, Exception):
            self._failed.labels(job.level).inc()

    def count_first(self, messages: Iterable[AnyMessage]) -> None:
        """Messages have been made; those that answer versions may be told without that at first."""
        for message in messages:
            if isinstance(message, AnalysisMessage | DeltaMessage) and message.answers:
                self._first.observe(message.seconds)

    def count_sent(self, message: Outgoing) -> None:
        """A message is on its way."""
        if isinstance(message, AnalysisMessage | DeltaMessage):
            self._sent[message.stage].inc()
            if message.stage in ("settled", "final"):
                self._settled.observe(message.seconds)
        elif isinstance(message, ErrorMessage):
            self._errors.labels(message.code).inc()

    def serve(self, host: str, port: int) -> Callable[[], None]:
        """Answers on a port of its own; gives what ends it."""
        server, thread = start_http_server(port, host, self.registry)

        def end() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return end
