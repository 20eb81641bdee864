"""The scores of the CoNLL 2018 shared task: a system's treebank against the gold one.

The measures are defined at https://universaldependencies.org/conll18/evaluation.html. The two treebanks have
to hold the same characters, spaces aside; sentences, tokens and words may be cut differently, so first words
are aligned, then what is said of them is compared. Words are counted through the whole treebank, from 0.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product, takewhile
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from unicodedata import category

import numpy as np
import numpy.typing as npt

from treewhile.incremental.treebanks.projectivized_treebank import complaints_placed
from treewhile.incremental.treebanks.treebank import RANGE, Sentence, Word, read_sentences
from treewhile.oracles import InputError, is_projective

CONTENT_RELATIONS = {
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl",
    "advmod", "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound",
    "list", "parataxis", "orphan", "goeswith", "reparandum", "root", "dep"
}  # fmt: skip
FUNCTION_RELATIONS = {"aux", "cop", "mark", "det", "clf", "case", "cc"}
UNIVERSAL_FEATURES = {
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case",
    "Definite", "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person",
    "Polite"
}  # fmt: skip

ROOT, UNALIGNED = -1, -2  # as an index, ROOT is the last place of `gold_of`


class Score(NamedTuple):
    """How many units agree, of how many in the gold treebank, in the system's, and among aligned words."""

    correct: int
    gold: int
    system: int
    aligned: int | None = None  # None for sentences, tokens and words, which are what is aligned

    @property
    def precision(self) -> float:
        """The share of the system's units that are correct."""
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold units that the system has."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.correct / (self.gold + self.system) if self.gold + self.system else 0.0

    @property
    def aligned_accuracy(self) -> float | None:
        """The share of the aligned words that are correct, None where that says nothing."""
        return self.correct / self.aligned if self.aligned else self.aligned


# What has to be equal in aligned words; the second group counts the words with a content relation only.
WORD_MEASURES = {
    "UPOS": ["upos"],
    "XPOS": ["xpos"],
    "UFeats": ["feats"],
    "AllTags": ["upos", "xpos", "feats"],
    "Lemmas": ["lemma"],
    "UAS": ["head"],
    "LAS": ["head", "relation"],
    "LAS with subtypes": ["head", "deprel"],
}
CONTENT_MEASURES = {
    "CLAS": ["head", "relation"],
    "MLAS": ["head", "relation", "upos", "feats", "function_words"],
    "BLEX": ["head", "relation", "lemma"],
}

Source: TypeAlias = str | Path | Iterable[Sentence]


def conll_scores(gold: Source, system: Source) -> dict[str, Score]:
    """The scores by their names in the shared task; `LAS with subtypes` tells `nsubj:pass` from `nsubj`.

    Either treebank is given as sentences or as the path of a file. Trees need all their heads, and may have
    several roots.
    """
    truth, answer = _treebank(gold), _treebank(system)
    _check_same_text(truth, answer)
    pairs = _aligned(truth.words, answer.words)
    return {
        "Tokens": _span_score(truth.tokens, answer.tokens),
        "Sentences": _span_score(truth.sentences, answer.sentences),
        "Words": Score(len(pairs), len(truth.words), len(answer.words)),
        **_word_scores(truth, answer, pairs),
    }


# --- two treebanks over one text --------------------------------------------------------------------------


class _Placed(NamedTuple):
    """A word and its span in the text, or that of the multiword token that it is part of."""

    start: int
    end: int
    in_multiword: bool
    form: str  # in lower case
    head: int
    word: Word

    def lies_before(self, end: int) -> bool:
        """Whether the word belongs to the multiword tokens up to `end`, if those around it do."""
        return self.start < end if self.in_multiword else self.end <= end


class _Treebank(NamedTuple):
    """A treebank over its text, which is that of its tokens without spaces."""

    text: str
    sources: list[Sentence]
    sentences: list[tuple[int, int]]  # spans in the text
    tokens: list[tuple[int, int]]  # likewise
    words: list[_Placed]


def _treebank(source: Source) -> _Treebank:
    texts: list[str] = []
    treebank = _Treebank("", [], [], [], [])
    end = 0
    for sentence in read_sentences(source) if isinstance(source, str | Path) else source:
        _check_tree(sentence)
        sentence_start, before = end, len(treebank.words) - 1
        for form, words, in_multiword in _tokens(sentence):
            texts.append(_text(form, sentence, words[0]))
            start, end = end, end + len(texts[-1])
            treebank.tokens.append((start, end))
            treebank.words.extend(_placed(start, end, in_multiword, before, word) for word in words)
        treebank.sources.append(sentence)
        treebank.sentences.append((sentence_start, end))
    return treebank._replace(text="".join(texts))


def _check_tree(sentence: Sentence) -> None:
    heads = sentence.heads
    if None in heads:
        place = sentence.where(heads.index(None) + 1, "head")
        raise InputError(f"the head _ has to be a number, scores need whole trees, at {place}")
    with complaints_placed(sentence):
        is_projective(heads)  # refuses circles


def _tokens(sentence: Sentence) -> Iterator[tuple[str, Sequence[Word], bool]]:
    """Every token: its form, its words, and whether it is a multiword token."""
    ranges = {}
    for row in sentence.rows if len(sentence.rows) > len(sentence.words) else ():
        id_, form, _ = row.split("\t", 2)
        if match := RANGE.fullmatch(id_):
            ranges[int(match[1]) - 1] = form, int(match[2])
    end = 0
    while end < len(sentence.words):
        start = end
        form, end = ranges.get(start, (sentence.words[start].form, start + 1))
        yield form, sentence.words[start:end], start in ranges


@lru_cache(1 << 16)
def _without_spaces(form: str) -> str:
    return "".join(character for character in form if category(character) != "Zs")


def _text(form: str, sentence: Sentence, word: Word) -> str:
    """What a token that begins with `word` adds to the text."""
    text = _without_spaces(form)
    if not text:
        place = sentence.where(int(word.id), "form")
        raise InputError(f"the form {form!r:.40} has to have more than spaces, at {place}")
    return text


def _placed(start: int, end: int, in_multiword: bool, before: int, word: Word) -> _Placed:
    """The word in the text, `before` being the number of the last word before its sentence."""
    form = word.form if in_multiword else _without_spaces(word.form)  # as the shared task's scorer has it
    head = ROOT if word.head == "0" else before + int(word.head)
    return _Placed(start, end, in_multiword, form.lower(), head, word)


def _check_same_text(gold: _Treebank, system: _Treebank) -> None:
    if gold.text == system.text:
        return
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(gold.text, system.text, strict=False)))
    theirs, ours = (repr(text[at : at + 20]) if text[at:] else "nothing" for text in (gold.text, system.text))
    what = f"the text has to be the same, but gold goes on with {theirs} and the system with {ours}"
    raise InputError(f"{what}, at {_place(gold, at)} and {_place(system, at)}")


def _place(treebank: _Treebank, at: int) -> str:
    """The place of the word that has the character `at`, or of the last one."""
    words = [(sentence, int(word.id)) for sentence in treebank.sources for word in sentence.words]
    if not words:
        return "an empty treebank"
    index = bisect_right([word.end for word in treebank.words], at)
    sentence, number = words[min(index, len(words) - 1)]
    return sentence.where(number, "form")


# --- alignment --------------------------------------------------------------------------------------------

END = _Placed(sys.maxsize, sys.maxsize, False, "", ROOT, Word._make("_" * 11))


def _aligned(gold_words: Sequence[_Placed], system_words: Sequence[_Placed]) -> list[tuple[int, int]]:
    """The pairs of a gold and a system word that stand for each other.

    Words that are tokens have to have the same span. Where either treebank has a multiword token, all words
    up to the end of those that overlap are aligned by their forms.
    """
    gold, system = [*gold_words, END], [*system_words, END]
    pairs = []
    g = s = 0
    while gold[g] is not END and system[s] is not END:
        if gold[g].in_multiword or system[s].in_multiword:
            (g_start, g), (s_start, s) = _block(gold, system, g, s)
            common = _common_forms(gold[g_start:g], system[s_start:s])
            pairs += [(g_start + i, s_start + j) for i, j in common]
        elif gold[g][:2] == system[s][:2]:
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold[g].start <= system[s].start:
            g += 1
        else:
            s += 1
    return pairs


def _block(
    gold: Sequence[_Placed], system: Sequence[_Placed], g: int, s: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """The words of both treebanks up to the end of the multiword tokens that overlap, from `g` and `s` on.

    A word that begins before the first of these tokens is left out, but only one: so does the shared task.
    """
    end = gold[g].end if gold[g].in_multiword else system[s].end
    g_start = g = g + (not gold[g].in_multiword and gold[g].start < system[s].start)
    s_start = s = s + (not system[s].in_multiword and system[s].start < gold[g].start)
    while gold[g].lies_before(end) or system[s].lies_before(end):
        if gold[g].start <= system[s].start:
            word, g = gold[g], g + 1
        else:
            word, s = system[s], s + 1
        if word.in_multiword:
            end = max(end, word.end)
    return (g_start, g), (s_start, s)


def _common_forms(gold: Sequence[_Placed], system: Sequence[_Placed]) -> Iterator[tuple[int, int]]:
    """The pairs of a longest common subsequence of forms; at a choice, gold words are passed over.

    `longest[g][s]` is its length among the words from `g` and `s` on.
    """
    longest = [[0] * (len(system) + 1) for _ in range(len(gold) + 1)]
    for g, s in product(reversed(range(len(gold))), reversed(range(len(system)))):
        both = longest[g + 1][s + 1] + (gold[g].form == system[s].form)
        longest[g][s] = max(both, longest[g + 1][s], longest[g][s + 1])
    g = s = 0
    while g < len(gold) and s < len(system):
        if gold[g].form == system[s].form:
            yield g, s
            g, s = g + 1, s + 1
        elif longest[g][s] == longest[g + 1][s]:
            g += 1
        else:
            s += 1


# --- scores -----------------------------------------------------------------------------------------------


def _span_score(gold: Sequence[tuple[int, int]], system: Sequence[tuple[int, int]]) -> Score:
    return Score(len(set(gold) & set(system)), len(gold), len(system))


def _word_scores(gold: _Treebank, system: _Treebank, pairs: Sequence[tuple[int, int]]) -> dict[str, Score]:
    gold_of = [UNALIGNED] * len(system.words) + [ROOT]
    for g, s in pairs:
        gold_of[s] = g
    truth = _columns(gold.words, [*range(len(gold.words)), ROOT])
    answer = _columns(system.words, gold_of)
    equal = {name: _truths(truth[name][g] == answer[name][s] for g, s in pairs) for name in truth}
    equal["lemma"] |= _truths(truth["lemma"][g] == "_" for g, _ in pairs)  # then any lemma is right
    is_content = [one in CONTENT_RELATIONS for one in truth["relation"]]
    content = sum(one in CONTENT_RELATIONS for one in answer["relation"])
    return {
        **_scores(WORD_MEASURES, equal, _truths(True for _ in pairs), len(gold.words), len(system.words)),
        **_scores(
            CONTENT_MEASURES, equal, _truths(is_content[g] for g, _ in pairs), sum(is_content), content
        ),
    }


def _columns(words: Sequence[_Placed], gold_of: Sequence[int]) -> dict[str, list[Any]]:
    """What is compared of every word, with other words by their numbers in the gold treebank."""
    plain = ("lemma", "upos", "xpos", "deprel")
    columns: dict[str, list[Any]] = {name: list(map(attrgetter("word." + name), words)) for name in plain}
    columns["relation"] = [deprel.partition(":")[0] for deprel in columns["deprel"]]
    columns["feats"] = [_universal(placed.word.feats) for placed in words]
    columns["head"] = [gold_of[placed.head] for placed in words]
    columns["function_words"] = [()] * len(words)
    said = zip(gold_of, columns["relation"], columns["upos"], columns["feats"], strict=False)
    for placed, dependent in zip(words, said, strict=False):
        if dependent[1] in FUNCTION_RELATIONS and placed.head != ROOT:
            columns["function_words"][placed.head] += (dependent,)
    return columns


@lru_cache(1 << 16)
def _universal(feats: str) -> str:
    features = feats.split("|")
    return "|".join(sorted(one for one in features if one.partition("=")[0] in UNIVERSAL_FEATURES))


def _truths(truths: Iterable[bool]) -> npt.NDArray[np.bool_]:
    return np.fromiter(truths, dtype=np.bool_)


def _scores(
    measures: Mapping[str, Sequence[str]],
    equal: Mapping[str, npt.NDArray[np.bool_]],  # [pair] for each column
    counted: npt.NDArray[np.bool_],  # [pair]
    gold: int,
    system: int,
) -> dict[str, Score]:
    return {
        name: Score(
            int(np.all([counted, *map(equal.__getitem__, columns)], axis=0).sum()),
            gold,
            system,
            int(counted.sum()),
        )
        for name, columns in measures.items()
    }
