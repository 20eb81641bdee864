"""Treebanks as words with positions in a text, and the alignment of two treebanks over one text.

The text is that of the tokens without spaces. Words are counted through the whole treebank, from 0.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product, takewhile
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias
from unicodedata import category

from treewhile.incremental.treebanks.projectivized_treebank import whole_tree
from treewhile.incremental.treebanks.treebank import RANGE, Sentence, Word, read_sentences
from treewhile.oracles.errors import InputError

TreebankSource: TypeAlias = str | Path | Iterable[Sentence]

ROOT: Final = -1  # as the number of a head


class PlacedWord(NamedTuple):
    """Word with its span in the text, or that of its multiword token."""

    start: int
    end: int
    in_multiword: bool
    form: str  # in lower case
    head: int
    word: Word

    def lies_before(self, end: int) -> bool:
        """Return whether the word belongs to the overlapping multiword tokens up to `end`."""
        return self.start < end if self.in_multiword else self.end <= end


class PlacedTreebank(NamedTuple):
    """Treebank over its text, which is that of its tokens without spaces."""

    text: str
    sources: list[Sentence]
    sentences: list[tuple[int, int]]  # spans in the text
    tokens: list[tuple[int, int]]  # spans in the text
    words: list[PlacedWord]


def placed_treebank(source: TreebankSource) -> PlacedTreebank:
    """Return the treebank of sentences, or of the file at a path; all trees must be complete."""
    texts: list[str] = []
    treebank = PlacedTreebank("", [], [], [], [])
    end = 0
    for sentence in read_sentences(source) if isinstance(source, str | Path) else source:
        whole_tree(sentence)
        sentence_start, before = end, len(treebank.words) - 1
        for form, words, in_multiword in _tokens(sentence):
            texts.append(_text(form, sentence, words[0]))
            start, end = end, end + len(texts[-1])
            treebank.tokens.append((start, end))
            treebank.words.extend(_placed(start, end, in_multiword, before, word) for word in words)
        treebank.sources.append(sentence)
        treebank.sentences.append((sentence_start, end))
    return treebank._replace(text="".join(texts))


def _tokens(sentence: Sentence) -> Iterator[tuple[str, Sequence[Word], bool]]:
    """Yield every token: its form, its words, and whether it is a multiword token."""
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
    """Return the text of a token that begins with `word`."""
    text = _without_spaces(form)
    if not text:
        place = sentence.where(int(word.id), "form")
        raise InputError(f"the form {form!r:.40} has to have more than spaces, at {place}")
    return text


def _placed(start: int, end: int, in_multiword: bool, before: int, word: Word) -> PlacedWord:
    """Return the word with its span; `before` is the number of the last word before its sentence."""
    form = word.form if in_multiword else _without_spaces(word.form)  # as in the shared task's scorer
    head = ROOT if word.head == "0" else before + int(word.head)
    return PlacedWord(start, end, in_multiword, form.lower(), head, word)


def check_same_text(gold: PlacedTreebank, system: PlacedTreebank) -> None:
    """Refuse treebanks over different texts, with the place of the first difference."""
    if gold.text == system.text:
        return
    at = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(gold.text, system.text, strict=False)))
    theirs, ours = (repr(text[at : at + 20]) if text[at:] else "nothing" for text in (gold.text, system.text))
    what = f"the text has to be the same, but gold goes on with {theirs} and the system with {ours}"
    raise InputError(f"{what}, at {_place(gold, at)} and {_place(system, at)}")


def _place(treebank: PlacedTreebank, at: int) -> str:
    """Return the place of the word with the character `at`, or of the last one."""
    words = [(sentence, int(word.id)) for sentence in treebank.sources for word in sentence.words]
    if not words:
        return "an empty treebank"
    index = bisect_right([word.end for word in treebank.words], at)
    sentence, number = words[min(index, len(words) - 1)]
    return sentence.where(number, "form")


END = PlacedWord(sys.maxsize, sys.maxsize, False, "", ROOT, Word._make("_" * 11))


def aligned_words(
    gold_words: Sequence[PlacedWord], system_words: Sequence[PlacedWord]
) -> list[tuple[int, int]]:
    """Return the pairs of aligned gold and system words.

    Words that are tokens must have the same span. If either treebank has a multiword token, all words up to
    the end of overlapping ones are aligned by their forms.
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
    gold: Sequence[PlacedWord], system: Sequence[PlacedWord], g: int, s: int
) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the words of both treebanks up to the end of overlapping multiword tokens, from `g` and `s` on.

    A word that begins before the first of these tokens is left out, but only one, as in the shared task.
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


def _common_forms(gold: Sequence[PlacedWord], system: Sequence[PlacedWord]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of a longest common subsequence of forms; on ties, gold words are skipped.

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
