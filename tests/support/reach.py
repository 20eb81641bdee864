"""Generated cases that reach what their test is about: it notes each case, and too few of them fail the run.

    @pytest.mark.reaches(0.5)
    @each_seed(cases(20))
    def test_deltas_say_the_same(seed: int, reached: Reached) -> None:
        ...
        reached(client.deltas > 0)

A test may also note many cases itself, in a loop. Cases are counted over all parameters of a test and over
all processes that run it, so they are judged at the end of the run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import pytest
from cases import WHOLE

Reached = Callable[[object], None]

PROPERTY: Final = "cases that reached"
FEWEST: Final = 5 if WHOLE else 20  # cases before anything is judged: running a single seed is fine


@dataclass
class Cases:
    """How many cases a test has had, how many of them reached, and what share has to."""

    least: float
    count: int = 0
    reached: int = 0

    @property
    def are_too_few(self) -> bool:
        if self.count < FEWEST:
            return self.count == 0
        return self.reached < self.least * self.count

    def __str__(self) -> str:
        return f"{self.reached} of {self.count} cases reach what it is about: {self.least:.0%} have to"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "reaches(share): at least this share of its cases reach what the test is about"
    )
    if not hasattr(config, "workerinput"):  # where xdist has not made this process
        config.pluginmanager.register(Judge(), "judge of reach")


@pytest.fixture
def reached(request: pytest.FixtureRequest) -> Iterator[Reached]:
    """Takes for each case whether it reached what the test is about."""
    marker = request.node.get_closest_marker("reaches")
    assert marker, "say by @pytest.mark.reaches(share) how many cases have to reach what the test is about"
    noted = Cases(*marker.args)

    def note(has_reached: object) -> None:
        noted.count += 1
        noted.reached += bool(has_reached)

    yield note
    request.node.user_properties.append((PROPERTY, [noted.least, noted.count, noted.reached]))


class Judge:
    """Adds up the cases of each test, and fails the run where too few of them reached."""

    def __init__(self) -> None:
        self.tests: defaultdict[str, Cases] = defaultdict(lambda: Cases(0.0))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown":
            for name, value in report.user_properties:
                if name == PROPERTY:
                    self.add(report.nodeid.partition("[")[0], value)

    def add(self, test: str, noted: Any) -> None:
        cases = self.tests[test]
        cases.least = noted[0]
        cases.count += noted[1]
        cases.reached += noted[2]

    @property
    def failed(self) -> dict[str, Cases]:
        return {test: cases for test, cases in self.tests.items() if cases.are_too_few}

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for test, cases in self.failed.items():
            terminalreporter.write_line(f"TOO FEW {test} - {cases}", red=True)
