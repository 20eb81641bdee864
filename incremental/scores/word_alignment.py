"""Alignment of the words of two treebanks over one text, as in the CoNLL 2018 shared task."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import product

from treewhile.incremental.scores.placed_treebanks import ROOT, PlacedWord
from treewhile.incremental.treebanks.treebank import Word

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
