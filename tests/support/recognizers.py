"""Recognizers that revise what they say, a session that hears them step by step, and units replayed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

from shells import result_of

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import ErrorMessage, Finish, Open, OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.hypotheses import Difference, HeardWord, Hypothesis
from treewhile.incremental.transcripts.listener import Listener
from treewhile.incremental.transcripts.units import ArcUnit, UnitEdit, WordUnit
from treewhile.incremental.transcripts.updates import Update

Said: TypeAlias = Hypothesis | Difference | Literal["silence", "voice"]
Kind = Literal["plain", "named", "timed", "differences"]
KINDS: tuple[Kind, ...] = ("plain", "named", "timed", "differences")
REVISED = 0.2  # of the words of an interim hypothesis are others


class Recognizer:
    """Hears words, in stretches of random lengths, and is wrong about some of them until it is sure."""

    def __init__(self, source: random.Random, kind: Kind, others: Sequence[str]) -> None:
        self.source, self.kind, self.others = source, kind, others
        self.stretches = 0

    def says(self, words: Sequence[str]) -> Iterator[Said]:
        """What it says while it hears the words; at the end it has said them all, as they are."""
        heard = [HeardWord(word, float(place), place + 0.9) for place, word in enumerate(words)]
        while heard:
            length = self.source.randint(1, 8)
            stretch, heard = heard[:length], heard[length:]
            self.stretches += 1
            yield from self._differences(stretch) if self.kind == "differences" else self._whole(stretch)

    def _whole(self, stretch: Sequence[HeardWord]) -> Iterator[Said]:
        for length in sorted(self.source.choices(range(len(stretch) + 1), k=self.source.randint(0, 4))):
            yield self._hypothesis(self._mistaken(stretch[:length]), is_final=False)
        final = self._hypothesis(stretch, is_final=True)
        if self.kind != "plain" and self.source.random() < 0.3:
            yield self._hypothesis(self._mistaken(stretch), is_final=False)
            yield "silence"
        yield final
        if self.kind != "plain" and self.source.random() < 0.3:
            yield final
        if self.source.random() < 0.2:
            yield Hypothesis("")

    def _hypothesis(self, words: Sequence[HeardWord], is_final: bool) -> Hypothesis:
        name = f"stretch {self.stretches}" if self.kind == "named" else None
        if self.kind == "timed":
            return Hypothesis(words=words, is_final=is_final)
        return Hypothesis(" ".join(word.form for word in words), is_final=is_final, id=name)

    def _differences(self, stretch: Sequence[HeardWord]) -> Iterator[Said]:
        before: list[HeardWord] = []
        for length in range(1, len(stretch) + 1):
            after = self._mistaken(stretch[:length])
            yield _difference(before, after, is_final=False)
            before = after
        yield _difference(before, stretch, is_final=True)

    def _mistaken(self, words: Sequence[HeardWord]) -> list[HeardWord]:
        return [
            word._replace(form=self.source.choice(self.others)) if self.source.random() < REVISED else word
            for word in words
        ]


def _difference(before: Sequence[HeardWord], after: Sequence[HeardWord], is_final: bool) -> Difference:
    pairs = enumerate(zip(before, after, strict=False))
    same = next((place for place, (old, new) in pairs if old != new), min(len(before), len(after)))
    return Difference(after[same:], len(before) - same, is_final)


class Heard:
    """A listener with a session, stepped by hand; its jobs run when they are told to, in any order."""

    def __init__(
        self, model: Model, source: random.Random | None = None, options: OptionChanges | None = None
    ) -> None:
        self.listener, self.session, self.source = Listener(options=options), Session(model), source
        self.jobs: list[Job] = []
        self.updates: list[Update] = []
        self.errors: list[ErrorMessage] = []
        self.replay = Replay()
        self.now = 0.0

    def hears(self, said: Said) -> None:
        if isinstance(said, str):
            {"silence": self.listener.silence, "voice": self.listener.voice}[said]()
        else:
            self.listener.hear(said)
        self.exchange()

    def exchange(self) -> None:
        """Carries events, messages and updates, once."""
        self._send()
        for message in self.session.messages_to_send():
            if isinstance(message, ErrorMessage):
                self.errors.append(message)
            self.listener.receive(message)
        for update in self.listener.updates():
            self.updates.append(update)
            self.replay.take(update)
        self._send()
        self.jobs += self.session.jobs_to_run()

    def _send(self) -> None:
        for event in self.listener.events():
            self.session.receive(event)

    def run(self, jobs: int) -> None:
        """Runs some of the jobs."""
        while self.jobs and jobs:
            place = self.source.randrange(len(self.jobs)) if self.source else 0
            job, jobs = self.jobs.pop(place), jobs - 1
            self.session.job_done(job, result_of(job))
            self.exchange()

    def settle(self) -> Update:
        """Runs all, until nobody seems to be typing, and gives the last update."""
        self.run(-1)
        while (at := self.session.wake_at) is not None:
            self.session.tick(at)
            self.exchange()
            self.run(-1)
        return self.updates[-1]

    def end(self) -> Update:
        """Ends the turn; its last update."""
        self.listener.end_turn()
        self.exchange()
        return self.settle()


class Replay:
    """Follows units, and complains of any edit that cannot be."""

    def __init__(self) -> None:
        self.words: dict[tuple[int, int], WordUnit] = {}
        self.arcs: dict[tuple[int, int], ArcUnit] = {}
        self.committed = set[WordUnit | ArcUnit]()
        self.discarded = set[int]()  # turns of which what was committed may be revoked

    def take(self, update: Update) -> None:
        for edit in update.units:
            self._take(edit)
        if update.readings and not update.is_initial:
            assert self.tree(update.turn) == tree_of(update)

    def _take(self, edit: UnitEdit) -> None:
        unit = edit.unit
        key = (unit.turn, unit.number if isinstance(unit, WordUnit) else unit.word)
        held: dict[tuple[int, int], Any] = self.words if isinstance(unit, WordUnit) else self.arcs
        if edit.kind == "add":
            assert key not in held
            assert isinstance(unit, WordUnit) or key in self.words, "an arc comes after its word"
            held[key] = unit
        elif edit.kind == "revoke":
            assert held.pop(key) == unit
            assert unit not in self.committed or unit.turn in self.discarded
            assert isinstance(unit, ArcUnit) or key not in self.arcs, "an arc goes before its word"
        else:
            assert held[key] == unit
            assert unit not in self.committed
            self.committed.add(unit)

    def tree(self, turn: int) -> list[tuple[Any, ...]]:
        """The words of a turn with heads and labels, as the units have them."""
        keys = sorted(key for key in self.words if key[0] == turn)
        arcs = (self.arcs.get(key, ArcUnit(*key, None, None)) for key in keys)
        return [(self.words[key].form, arc.head, arc.label) for key, arc in zip(keys, arcs, strict=True)]


def tree_of(update: Update) -> list[tuple[Any, ...]]:
    """The words of an update with heads, counted in the turn, and labels."""
    return [
        (word.form, _in_turn(word.head, analysis.first_word), word.label if word.head is not None else None)
        for analysis, _ in update.readings
        for word in analysis.words
    ]


def _in_turn(head: Any, first_word: int) -> Any:
    return head + first_word if isinstance(head, int) and head > 0 else head


def parsed_at_once(model: Model, text: str) -> list[list[tuple[Any, ...]]]:
    """The sentences of a text that a session is given as a whole: words, tags, features, heads and labels."""
    session = Session(model)
    session.receive(Open("d", 0, text=text))
    session.receive(Finish("d", 1))
    messages: dict[int, Any] = {}
    jobs = session.jobs_to_run()
    while jobs:
        job = jobs.pop(0)
        session.job_done(job, result_of(job))
        jobs += session.jobs_to_run()
    messages = {one.sentence: one for one in session.messages_to_send() if hasattr(one, "words")}
    return [sentence_of(messages[number]) for number in sorted(messages)]


def sentence_of(analysis: Any) -> list[tuple[Any, ...]]:
    return [(word.form, word.tag, word.features, word.head, word.label) for word in analysis.words]
