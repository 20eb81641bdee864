"""Scores of `timed_parses` by the time per word, as in Figures 4 to 6 of Köhn & Menzel 2013."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.analyses import Decision
from treewhile.incremental.parsers.parsed_treebank import check_sentence
from treewhile.incremental.scores.evaluation import gold_words
from treewhile.incremental.scores.stream_scores import GoldWord, StreamCounts, count_stream
from treewhile.incremental.scores.timed_parses import SYSTEMS, Standing, TimedParses
from treewhile.incremental.scores.word_schedules import Schedule
from treewhile.incremental.treebanks.treebank import Sentence

LENGTHS: Final = {"3-20": range(3, 21)}  # beside all, as in the paper
LATE: Final = 0.001  # seconds that an answer may be late


@dataclass(frozen=True, slots=True)
class TimedCounts:
    """Counts of sentences, added up by `+`."""

    labelled: StreamCounts = field(default_factory=StreamCounts)
    unlabelled: StreamCounts = field(default_factory=StreamCounts)
    settled: int = 0  # prefixes
    over: tuple[float, ...] = ()  # seconds that each answer took beyond its time

    def __add__(self, other: TimedCounts) -> TimedCounts:
        return TimedCounts(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))

    def as_json(self) -> dict[str, Any]:
        """Return the shares of `stream_scores`, and of prefixes settled, cut short, or answered too late."""
        prefixes = self.labelled.words
        return {
            "labelled": self.labelled.shares,
            "unlabelled": self.unlabelled.shares,
            "settled": _share(self.settled, prefixes),
            "cut_short": _share(prefixes - self.settled, prefixes),
            "late": _share(sum(seconds > LATE for seconds in self.over), prefixes),
            "milliseconds_over": {
                f"p{p}": 1000 * float(np.percentile(self.over, p)) if self.over else None for p in (50, 99)
            },
        }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


class TimedSentence(NamedTuple):
    """Counts of one sentence, by schedules and SYSTEMS."""

    words: int
    counts: dict[str, dict[str, TimedCounts]]


def time_sentence(
    parses: TimedParses, sentence: Sentence, schedules: Mapping[str, Schedule]
) -> TimedSentence:
    """Return the counts of a sentence whose words come by each of the schedules."""
    check_sentence(sentence)
    gold, forms = gold_words(sentence), [word.form for word in sentence.words]
    counts = {
        name: {system: _counts(gold, parses.sentence(system, forms, seconds), seconds) for system in SYSTEMS}
        for name, seconds in ((name, schedule(forms)) for name, schedule in schedules.items())
    }
    return TimedSentence(len(gold), counts)


def _counts(gold: Sequence[GoldWord], prefixes: Sequence[Standing], seconds: Sequence[float]) -> TimedCounts:
    decisions = [_without_subtypes(prefix.decisions) for prefix in prefixes]
    return TimedCounts(
        count_stream(gold, decisions),
        count_stream(gold, decisions, labelled=False),
        sum(prefix.is_settled for prefix in prefixes),
        tuple(max(0.0, prefix.seconds - limit) for prefix, limit in zip(prefixes, seconds, strict=True)),
    )


def _without_subtypes(decisions: Sequence[Decision]) -> list[Decision]:
    return [Decision(head, label.partition(":")[0]) for head, label in decisions]


def curves_report(timed: Sequence[TimedSentence], title: str) -> dict[str, Any]:
    """Return the curves under a title, of all sentences, and by length, as JSON values."""
    groups = {name: [one for one in timed if one.words in lengths] for name, lengths in LENGTHS.items()}
    by_length = {
        name: {"sentences": len(group), "words": sum(one.words for one in group), title: _curves(group)}
        for name, group in groups.items()
    }
    return {title: _curves(timed), "lengths": by_length}


def _curves(timed: Sequence[TimedSentence]) -> dict[str, dict[str, Any]]:
    schedules = timed[0].counts if timed else {}
    return {
        name: {system: _sum(one.counts[name][system] for one in timed).as_json() for system in SYSTEMS}
        for name in schedules
    }


def _sum(counts: Iterable[TimedCounts]) -> TimedCounts:
    return reduce(add, counts, TimedCounts())
