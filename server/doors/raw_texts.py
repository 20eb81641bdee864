"""Segmentation of raw text into CoNLL-U like UDPipe's tokenizer: documents, paragraphs and token ranges."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import accumulate, chain, pairwise
from typing import Final, NamedTuple

from treewhile.incremental.parsers.text_sources import sentence_of_lines, surface
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.text_words import TextSentence
from treewhile.incremental.treebanks.treebank import Sentence

OPTIONS: Final = ("normalized_spaces", "presegmented", "ranges")
NEW_DOCUMENT, NEW_PARAGRAPH = "# newdoc", "# newpar"
ESCAPES: Final = str.maketrans({" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"})
LINE_ENDS: Final = re.compile(r"[^\n]*\n*")


class Gaps(NamedTuple):
    """Sentence with the white space before and behind it, up to its neighbours or the ends of the text."""

    sentence: TextSentence
    before: str
    behind: str
    is_first: bool
    is_last: bool

    @property
    def begins_paragraph(self) -> bool:
        return self.is_first or self.before.count("\n") > 1


def sentences_as_written(
    segmenter: Segmenter, text: str, options: Collection[str], name: str
) -> Iterator[Sentence]:
    """Yield the sentences of a text; `name` is the name of the text in errors.

    normalized_spaces  white space is recorded as `SpaceAfter=No` only
    presegmented       each line is a sentence
    ranges             the range of each token in the text is recorded, as `TokenRange=0:5`
    """
    is_cut = "presegmented" in options
    found = _sentences_of_lines(segmenter, text) if is_cut else segmenter.segment_stream([text])
    for number, gaps in enumerate(_with_gaps(found, text), 1):
        comments = [NEW_DOCUMENT] * gaps.is_first + [NEW_PARAGRAPH] * gaps.begins_paragraph
        comments += [f"# sent_id = {number}", f"# text = {surface(gaps.sentence)}"]
        rows = gaps.sentence.rows(_miscs(gaps, text, options))
        yield sentence_of_lines([*comments, *rows], name)


def _sentences_of_lines(segmenter: Segmenter, text: str) -> Iterator[TextSentence]:
    """Yield the words of each line, at their positions in the text."""
    lines = text.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    for start, line in zip(starts, lines, strict=False):
        found = segmenter.segment(line)
        if found:
            words = tuple(word.moved(start) for sentence in found for word in sentence.words)
            yield TextSentence(words, space_after=True, is_closed=True)


def _with_gaps(sentences: Iterable[TextSentence], text: str) -> Iterator[Gaps]:
    end = 0
    for sentence, following in pairwise(chain(sentences, [None])):
        assert sentence
        begin = following.start if following else len(text)
        yield Gaps(sentence, text[end : sentence.start], text[sentence.end : begin], not end, not following)
        end = sentence.end


def _miscs(gaps: Gaps, text: str, options: Collection[str]) -> Iterator[str]:
    """Yield the MISC column of each token."""
    tokens = [token for _, token, _ in gaps.sentence.tokens()]
    first, last = _own_spaces(gaps, "presegmented" in options)
    inner = [text[one.end : next_one.start] for one, next_one in pairwise(tokens)]
    spaces_before = chain([first], [""] * len(inner))
    for token, before, after in zip(tokens, spaces_before, [*inner, last], strict=True):
        raw = text[token.start : token.end]
        within = "" if raw == token.surface else raw
        spaces = {
            "SpacesBefore": before,
            "SpacesAfter": "" if after == " " else after,
            "SpacesInToken": within,
        }
        if "normalized_spaces" in options:
            spaces = {}
        told = [f"{name}={white.translate(ESCAPES)}" for name, white in spaces.items() if white]
        told += ["SpaceAfter=No"] * (not after)
        told += [f"TokenRange={token.start}:{token.end}"] * ("ranges" in options)
        yield "|".join(told) or "_"


def _own_spaces(gaps: Gaps, is_cut: bool) -> tuple[str, str]:
    """Return the white space before the first token and behind the last one, as recorded with them.

    White space belongs to the token before it, except at the beginning of the text or of a line that is a
    sentence.
    """
    before, behind = gaps.before, gaps.behind
    if not gaps.is_first:
        before = before[len(_up_to_line(before)) :] if is_cut else ""
    if is_cut and not gaps.is_last:
        behind = _up_to_line(behind)
    return before, behind


def _up_to_line(gap: str) -> str:
    found = LINE_ENDS.match(gap)
    return found[0] if found else ""
