"""Scores of a model during training, on given words or trees: shares in percent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from treewhile.incremental.constituents.bracket_scores import BracketScore, TreebankScore
from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.nodes import Head
from treewhile.incremental.parsers.parsed_treebank import analyse, values_of
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE
from treewhile.incremental.parsers.shift_reduce import AHEAD
from treewhile.incremental.training.span_examples import BracketedSentence
from treewhile.incremental.treebanks.treebank import Sentence, Word
from treewhile.oracles.constituents.phrase_trees import Constituent, Phrase, phrase_of

AT_ONCE = 16  # sentences


def best_scores(model: Model, sentences: Sequence[Sentence]) -> dict[str, float]:
    return scores_of(sentences, best_parses(model, sentences))


def best_parses(model: Model, sentences: Sequence[Sentence]) -> list[Analysis]:
    groups = (sentences[start : start + AT_ONCE] for start in range(0, len(sentences), AT_ONCE))
    return [analysis for group in groups for analysis in analyse(model, group)]


def committed_scores(model: Model, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return the scores of committed parses, with the longest delay."""
    return scores_of(sentences, [committed_parse(model, sentence) for sentence in sentences])


def committed_parse(model: Model, sentence: Sentence) -> Analysis:
    """Return the committed parse of a whole sentence, with the longest delay."""
    parse = GrowingParse(model, delay=len(AHEAD))
    for word, values in zip(sentence.words, values_of(model, sentence), strict=True):
        parse.append(word.form, values)
    parse.close()
    return parse.committed()


def scores_of(sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> dict[str, float]:
    right = [
        (
            word.upos == tag,
            word.feats == features,
            word.head == str(head),
            _is_attached_rightly(word, head, label),
        )
        for sentence, analysis in zip(sentences, analyses, strict=True)
        for word, tag, features, head, label in zip(
            sentence.words, analysis.tags, analysis.features, analysis.heads, analysis.labels, strict=True
        )
    ]
    names = ("UPOS", "FEATS", "UAS", "LAS")
    return {
        name: 100 * sum(column) / len(right)
        for name, column in zip(names, zip(*right, strict=True), strict=True)
    }


def right_attachments(sentence: Sentence, analysis: Analysis) -> int:
    """Return the number of words with the right head and label."""
    rows = zip(sentence.words, analysis.heads, analysis.labels, strict=True)
    return sum(_is_attached_rightly(*row) for row in rows)


def _is_attached_rightly(word: Word, head: Head, label: str) -> bool:
    return word.head == str(head) and _universal(word) == label.split(":")[0]


def _universal(word: Word) -> str:
    return word.deprel.split(":")[0]


EVERY: Final = 5  # step between the prefixes tried: those of 1, 6, 11, ... words


def agreement(model: Model, trees: Sequence[Phrase]) -> dict[str, float]:
    """Return shares in percent: brackets as EVALB counts them, exact trees, and brackets in prefixes."""
    whole, parts = TreebankScore(), {"closed": BracketScore(), "open": BracketScore()}
    for tree in trees:
        sentence = BracketedSentence.of(tree)
        found = model.parse(sentence.words).constituents
        whole.add(tree, phrase_of(found, tree.leaves, tree.label))
        for name, score in _in_prefixes(model, sentence):
            parts[name] += score
    named = {"": whole.brackets, **{f"{name} in prefixes, ": score for name, score in parts.items()}}
    shares = {f"{start}{name}": share for start, one in named.items() for name, share in one.shares().items()}
    return {name: round(100 * share, 2) for name, share in {**shares, "exact": whole.exact_share}.items()}


def _in_prefixes(model: Model, sentence: BracketedSentence) -> Iterator[tuple[str, BracketScore]]:
    whole = snapshot_of(model, sentence.words)
    lengths = range(1, len(sentence.words) + 1, EVERY)
    asked = [(whole.part(t, True)._replace(with_constituents=True), NO_PREFERENCE) for t in lengths]
    for t, rescored in zip(lengths, model.rescore_all(asked), strict=True):
        found, right = rescored.constituents or (), sentence.seen(t, True)
        yield "closed", _compared(right, found, False)
        yield "open", _compared(right, found, True)


def _compared(right: Iterable[Constituent], found: Iterable[Constituent], are_open: bool) -> BracketScore:
    """Return the agreement of the open constituents, or of the closed ones."""
    gold, system = (Counter(one for one in some if one.is_open == are_open) for some in (right, found))
    return BracketScore((gold & system).total(), gold.total(), system.total())
