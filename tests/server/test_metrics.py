"""What is counted in plain numbers is shown as the library's own counters and histograms would show it."""

from __future__ import annotations

import random
import re

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from treewhile.server.hosted.metrics import LATENCIES, Counts, Seconds


def shown(registry: CollectorRegistry) -> str:
    """As Prometheus reads it, without the times at which counting began."""
    return re.sub(r"(_created.*) \S+", r"\1", generate_latest(registry).decode())


def test_counts_are_shown_as_a_counter() -> None:
    plain, library = CollectorRegistry(), CollectorRegistry()
    counts = Counts("eaten", "What was eaten.", "fruit", ["apple", "pear"])
    counter = Counter("eaten", "What was eaten.", ["fruit"], registry=library)
    plain.register(counts)
    for fruit in ("apple", "pear"):
        counter.labels(fruit)
    assert shown(plain) == shown(library)
    for fruit in ("pear", "pear", "plum"):
        counts.of[fruit] = counts.of.get(fruit, 0) + 1
        counter.labels(fruit).inc()
    assert shown(plain) == shown(library)
    assert 'eaten_total{fruit="pear"} 2.0' in shown(plain)


def test_seconds_are_shown_as_a_histogram() -> None:
    plain, library = CollectorRegistry(), CollectorRegistry()
    seconds = Seconds("waited_seconds", "How long it took.")
    histogram = Histogram("waited_seconds", "How long it took.", buckets=LATENCIES, registry=library)
    plain.register(seconds)
    assert shown(plain) == shown(library)
    source = random.Random(5)
    for value in (0.0, *LATENCIES, *(source.uniform(0, 20) for _ in range(500))):
        seconds.add(value)
        histogram.observe(value)
    assert shown(plain) == shown(library)
