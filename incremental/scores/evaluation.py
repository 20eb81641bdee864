"""Evaluation of a model on a treebank: on whole sentences, and on sentences that come word by word.

Whole sentences are scored as in the CoNLL 2018 shared task, with the words of the treebank or with those that
the model segments in its raw text. In a stream, each word has the best parse and some committed ones: with a
lookahead of 0, 1 or 2 words, and by risk; the last prefix is that of the closed sentence. Labels have no
subtypes there, as in the shared task's LAS. A word that a committed parse has not attached yet has the head
LATER, and a label that is never correct.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import chain
from operator import add
from statistics import fmean
from typing import Any, Final, NamedTuple

import numpy as np

from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsed_treebank import check_sentence, parse_sentences, values_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.parsers.text_sources import segmenter_of, sentences_of_text
from treewhile.incremental.scores.conll_scores import ComparedTreebanks, conll_scores
from treewhile.incremental.scores.stream_scores import GoldWord, StreamCounts, count_prefix, count_stream
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.incremental.treebanks.projectivized_treebank import whole_tree
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError

MEASURES = ("Words", "Sentences")


def segmentation_scores(segmenter: Segmenter, gold: Sequence[Sentence]) -> dict[str, float]:
    """Return the F1 of words and of sentences in per cent, as in `treewhile evaluate --raw`."""
    text = treebank_text(gold).text
    found = list(
        map(_with_any_tree, sentences_of_text(segmenter, [text], f"the text of {gold[0].file_name}"))
    )
    scores = conll_scores(map(_with_any_tree, gold), found)
    return {name: 100 * scores[name].f1 for name in MEASURES}


def _with_any_tree(sentence: Sentence) -> Sentence:
    """Return the sentence with some tree, which the scorer needs but ignores here."""
    return sentence.with_columns(
        {number: {"head": "0", "deprel": "root"} for number in range(1, len(sentence.words) + 1)}
    )


BEST: Final = "best"
DELAYED: Final = {f"committed_{delay}": delay for delay in range(3)}
BY_RISK: Final = "risk_"  # prefix of the names of parses by risk

TENTHS: Final = range(1, 11)  # tenths of a sentence that have come, the last one perhaps in part
LENGTHS: Final = {"1-5": 5, "6-10": 10, "11-20": 20, "21-30": 30, "31-40": 40, "41-": None}
TIMED_LENGTH: Final = 30  # length of the prefix whose best parse is timed

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True)
class SentenceStream:
    """Counts of a sentence that came word by word, and times in seconds."""

    words: int
    labelled: dict[str, StreamCounts]  # by the names of parses, the best one first
    unlabelled: dict[str, StreamCounts]
    delays: dict[str, list[int]]  # of the committed parses: of each reduction before the end
    by_tenth: dict[int, StreamCounts]  # of the prefixes of the best parse, labelled
    committing: list[float]  # for each word, without lookahead
    rescoring: list[float]  # for each best parse


class Evaluated(NamedTuple):
    """Sentence as the model parses it, whole and optionally word by word."""

    system: Sentence
    stream: SentenceStream | None


def check_gold(sentences: Sequence[Sentence]) -> None:
    """Refuse a treebank without sentences, or with an incomplete tree."""
    if not sentences:
        raise InputError("the treebank has no sentences: scores need some")
    for sentence in sentences:
        gold_words(sentence)


def gold_words(sentence: Sentence) -> list[GoldWord]:
    """Return the gold tree, whose heads must all be known, with labels without subtypes."""
    rows = zip(whole_tree(sentence), sentence.words, strict=True)
    return [GoldWord(head, _kind(word.deprel), word.upos) for head, word in rows]


def evaluate_sentence(
    model: Model,
    gold: Sentence,
    clock: Clock | None = None,
    risks: Iterable[float] = (),
) -> Evaluated:
    """Return the sentence as parsed; with a clock, in seconds, word by word too."""
    stream = None if clock is None else stream_sentence(model, gold, clock, risks)
    return Evaluated(parse_sentences(model, [gold])[0], stream)


# --- word by word -----------------------------------------------------------------------------------------


def stream_sentence(
    model: Model, sentence: Sentence, clock: Clock, risks: Iterable[float] = ()
) -> SentenceStream:
    """Return the counts of a sentence whose words come one by one; RISK is always among the risks."""
    check_sentence(sentence)
    gold = gold_words(sentence)
    growing = _committed_parses(model, risks)
    prefixes, committing, rescoring = _prefixes(model, sentence, growing, clock)
    return SentenceStream(
        len(gold),
        {name: count_stream(gold, decided) for name, decided in prefixes.items()},
        {name: count_stream(gold, decided, labelled=False) for name, decided in prefixes.items()},
        {name: parse.delays for name, parse in growing.items()},
        _by_tenth(gold, prefixes[BEST]),
        committing,
        rescoring,
    )


@cache
def _kind(label: str) -> str:
    return label.partition(":")[0]


def _decisions(analysis: Analysis) -> list[Decision]:
    return [*map(Decision, analysis.heads, map(_kind, analysis.labels))]


def _committed_parses(model: Model, risks: Iterable[float]) -> dict[str, GrowingParse]:
    """Return the committed parses by name, without words yet."""
    delayed = {name: GrowingParse(model, delay) for name, delay in DELAYED.items()}
    return delayed | {
        f"{BY_RISK}{risk:.12g}": GrowingParse(model, risk=risk) for risk in sorted({RISK, *risks})
    }


def _prefixes(
    model: Model, sentence: Sentence, growing: Mapping[str, GrowingParse], clock: Clock
) -> tuple[dict[str, list[list[Decision]]], list[float], list[float]]:
    """Return the decisions of each parse in each prefix, and the times."""
    prefixes: dict[str, list[list[Decision]]] = {name: [] for name in (BEST, *growing)}
    first, *others = growing.values()
    committing, rescoring = [], []
    for word, values in zip(sentence.words, values_of(model, sentence), strict=True):
        start = clock()
        first.append(word.form, values)
        committing.append(clock() - start)
        for parse in others:
            parse.append(word.form, values)
        if word is sentence.words[-1]:
            for parse in growing.values():
                parse.close()
        start = clock()
        best = first.best()
        rescoring.append(clock() - start)
        prefixes[BEST].append(_decisions(best))
        for name, parse in growing.items():
            prefixes[name].append(_decisions(parse.committed()))
    return prefixes, committing, rescoring


def _by_tenth(gold: Sequence[GoldWord], prefixes: Sequence[Sequence[Decision]]) -> dict[int, StreamCounts]:
    counts = dict.fromkeys(TENTHS, StreamCounts())
    for t, prefix in enumerate(prefixes, 1):
        counts[-(-len(TENTHS) * t // len(gold))] += count_prefix(gold, prefix)
    return counts


# --- the sum ----------------------------------------------------------------------------------------------


def parse_raw_text(model: Model, gold: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences that the model segments in the treebank's raw text, parsed."""
    text, name = treebank_text(gold).text, f"the text of {gold[0].file_name}"
    for sentence in sentences_of_text(segmenter_of(model, name), [text], name):
        yield from parse_sentences(model, [sentence])


def score_report(gold: Sequence[Sentence], system: Sequence[Sentence]) -> dict[str, Any]:
    """Return the scores of the shared task as JSON values: shares from 0 to 1."""
    return {name: score.as_json() for name, score in conll_scores(gold, system).items()}


def report(gold: Sequence[Sentence], evaluated: Sequence[Evaluated]) -> dict[str, Any]:
    """Return all scores as JSON values: shares from 0 to 1, times in milliseconds."""
    streams = [one.stream for one in evaluated if one.stream]
    system = [one.system for one in evaluated]
    compared = ComparedTreebanks(gold, system)
    whole = {
        "sentences": len(gold),
        "words": sum(len(sentence.words) for sentence in gold),
        "scores": {name: score.as_json() for name, score in compared.scores().items()},
        "crossing_edges": compared.crossing_score().as_json(),
        "crossing_heads": compared.crossing_heads().as_json(),
    }
    return {**whole, "stream": stream_report(streams), "milliseconds": times(streams)} if streams else whole


def stream_report(streams: Sequence[SentenceStream]) -> dict[str, Any]:
    """Return the measures of `stream_scores`, for all sentences and groups of them, and mean delays."""
    parses = [*streams[0].labelled]
    return {
        "labelled": {name: _sum(one.labelled[name] for one in streams).shares for name in parses},
        "unlabelled": {name: _sum(one.unlabelled[name] for one in streams).shares for name in parses},
        "mean_delay": {name: _mean(one.delays[name] for one in streams) for name in streams[0].delays},
        "by_tenth": {tenth: _sum(one.by_tenth[tenth] for one in streams).classes for tenth in TENTHS},
        "by_length": {
            length: {name: _sum(one.labelled[name] for one in group).attachment for name in parses}
            for length, group in _by_length(streams).items()
        },
    }


def _sum(counts: Iterable[StreamCounts]) -> StreamCounts:
    return reduce(add, counts, StreamCounts())


def _mean(delays: Iterable[Sequence[int]]) -> float | None:
    """Return the mean number of words that reductions have waited for, over all sentences."""
    waited = [*chain(*delays)]
    return fmean(waited) if waited else None


def _by_length(streams: Sequence[SentenceStream]) -> dict[str, list[SentenceStream]]:
    groups: dict[str, list[SentenceStream]] = {length: [] for length in LENGTHS}
    for one in streams:
        fitting = (length for length, most in LENGTHS.items() if most is None or one.words <= most)
        groups[next(fitting)].append(one)
    return groups


def times(streams: Sequence[SentenceStream]) -> dict[str, dict[str, float | None]]:
    """Return median and 99th percentile of the time for a word."""
    of_length = [one.rescoring[TIMED_LENGTH - 1] for one in streams if one.words >= TIMED_LENGTH]
    return {
        "committed": _percentiles([seconds for one in streams for seconds in one.committing]),
        "best": _percentiles([seconds for one in streams for seconds in one.rescoring]),
        f"best_of_{TIMED_LENGTH}_words": _percentiles(of_length),
    }


def _percentiles(seconds: Sequence[float]) -> dict[str, float | None]:
    return {f"p{p}": 1000 * float(np.percentile(seconds, p)) if seconds else None for p in (50, 99)}
