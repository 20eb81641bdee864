"""The door to retico, with modules that are connected and run."""

from __future__ import annotations

import queue
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of others, when they are imported
    retico_core = pytest.importorskip("retico_core")
    from retico_core.debug import CallbackModule
    from retico_core.text import SpeechRecognitionIU, TextTriggerModule

    from treewhile.incremental.messages import OptionChanges
    from treewhile.oracles import InputError
    from treewhile.server.doors.retico import SyntaxIU, SyntaxModule

ADD, REVOKE, COMMIT = (
    retico_core.UpdateType.ADD,
    retico_core.UpdateType.REVOKE,
    retico_core.UpdateType.COMMIT,
)
PATIENCE = 120.0


class Network:
    """A recognizer that says what a test wants, the syntax, and what comes out of it."""

    def __init__(self) -> None:
        self.told = queue.Queue[Any]()
        self.source, self.syntax = TextTriggerModule(), SyntaxModule()
        self.sink = CallbackModule(callback=self.told.put)
        self.source.subscribe(self.syntax)
        self.syntax.subscribe(self.sink)
        self.present: dict[Any, Any] = {}
        self.committed: list[Any] = []

    def hear(self, text: str) -> Any:
        unit = SpeechRecognitionIU(creator=self.source, iuid=text)
        unit.set_asr_results([text], text, 1.0, 1.0, text.endswith("."))
        self.send(unit, ADD)
        return unit

    def send(self, unit: Any, kind: Any) -> None:
        self.source.append(retico_core.UpdateMessage.from_iu(unit, kind))

    def follow(self) -> None:
        """Takes the next message."""
        for unit, kind in self.told.get(timeout=PATIENCE):
            assert isinstance(unit, SyntaxIU)
            if kind is ADD:
                assert unit.iuid not in self.present
                self.present[unit.iuid] = unit.payload
            elif kind is REVOKE:
                assert self.present.pop(unit.iuid) == unit.payload
            else:
                self.committed.append(self.present[unit.iuid])

    def words(self) -> list[str]:
        return [unit.form for unit in self.present.values() if hasattr(unit, "form")]


@pytest.fixture
def network() -> Iterator[Network]:
    network = Network()
    retico_core.network.run(network.source)
    yield network
    retico_core.network.stop(network.source)


def test_words_and_arcs_follow_what_is_heard_and_are_committed_at_the_end(network: Network) -> None:
    first = network.hear("peter")
    wrong = network.hear("dives")
    network.send(wrong, REVOKE)
    second, third = network.hear("drives"), network.hear("cars.")
    while sorted(network.words()) != ["cars", "drives", "peter"]:  # the full stop waits for the end
        network.follow()
    for unit in (first, second, third):
        network.send(unit, COMMIT)
    while len(network.committed) < 8:
        network.follow()
    arcs = {unit.word: (unit.head, unit.label) for unit in network.committed if not hasattr(unit, "form")}
    assert arcs == {1: (2, "nsubj"), 2: (0, "root"), 3: (2, "obj"), 4: (2, "punct")}
    network.hear("hello")
    while "hello" not in network.words():
        network.follow()
    assert next(reversed(network.present.values())).turn == 1


def test_a_turn_that_ends_leaves_the_words_of_the_next_one(network: Network) -> None:
    for text in ("send the report.", "call my mother.", "open the window."):
        network.send(network.hear(text), COMMIT)  # the next words come before the last ones are committed
    words = ["send", "the", "report", ".", "call", "my", "mother", ".", "open", "the", "window", "."]
    while [unit.form for unit in network.committed if hasattr(unit, "form")] != words:
        network.follow()


def test_units_are_revoked_in_any_order_and_what_is_unknown_is_passed_over(network: Network) -> None:
    first, second, _ = (network.hear(word) for word in ("peter", "old", "dogs"))
    stranger = SpeechRecognitionIU(creator=network.source, iuid="stranger")
    for unit, kind in ((stranger, REVOKE), (stranger, COMMIT), (second, REVOKE), (second, REVOKE)):
        network.send(unit, kind)
    network.send(first, REVOKE)
    network.hear("bark")
    while sorted(network.words()) != ["bark", "dogs"]:
        network.follow()
    words = {unit.number: unit.form for unit in network.present.values() if hasattr(unit, "form")}
    assert words == {1: "dogs", 2: "bark"}


@pytest.mark.slow
def test_what_is_far_too_long_or_empty_is_passed_over(network: Network) -> None:
    for text in ("", "word " * 120_000, "peter"):
        network.hear(text)
    while network.words() != ["peter"]:
        network.follow()


def test_options_are_checked_where_they_are_given() -> None:
    with pytest.raises(InputError, match="the option stability of a listener does not fit"):
        SyntaxModule(options=OptionChanges(stability=7))
