"""Raw text of a treebank, restored from its tokens.

White space within a sentence comes from the comment `text`, if its tokens match, or from MISC: SpaceAfter=No,
or SpacesAfter with its escapes. Between paragraphs, which `newpar` and `newdoc` begin, is a blank line, as in
the raw files of the CoNLL shared tasks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from treewhile.incremental.texts.alphabets import Positions
from treewhile.incremental.treebanks.treebank import RANGE, Sentence

ESCAPES = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
NEW_PARAGRAPH = re.compile(r"#\s*new(par|doc)\b")

PARAGRAPHS = 0.1  # share of sentences that begin a paragraph in the text of a treebank without such comments


class Piece(NamedTuple):
    """Surface of a token, and the white space behind it."""

    surface: str
    white_space: str


Pieces: TypeAlias = list[Piece]


@dataclass
class TreebankText:
    """Surfaces and the white space after each, which make up the text; and counts of tokens."""

    surfaces: list[str] = field(default_factory=list)
    white_space: list[str] = field(default_factory=list)
    last_tokens: list[int] = field(default_factory=list)  # last tokens of the sentences
    tokens: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter)

    def add(self, sentence: Sentence) -> None:
        if self.white_space and any(map(NEW_PARAGRAPH.match, sentence.comments)):
            self.white_space[-1] = "\n\n"
        tokens = list(_tokens(sentence))
        self.surfaces += [token.surface for token in tokens]
        self.white_space += _white_space(sentence, tokens)
        self.last_tokens.append(len(self.surfaces) - 1)
        self.tokens.update((token.surface, token.forms) for token in tokens)

    def sentences(self) -> list[Pieces]:
        pieces = list(map(Piece, self.surfaces, self.white_space))
        return [pieces[last + 1 : end + 1] for last, end in pairwise([-1, *self.last_tokens])]

    def make_paragraphs(self, random: np.random.Generator) -> None:
        """Let some sentences begin a paragraph, so that models learn such begins."""
        for token in self.last_tokens:
            if random.random() < PARAGRAPHS:
                self.white_space[token] = "\n\n"

    @property
    def text(self) -> str:
        """Text with blank lines between paragraphs."""
        return "".join(map(str.__add__, self.surfaces, self.white_space))

    def last_characters(self) -> Positions:
        """Return the position of the last character of each token in the text."""
        sizes = [
            (len(surface), len(white)) for surface, white in zip(self.surfaces, self.white_space, strict=True)
        ]
        surfaces, white_space = np.array(sizes, np.int64).T
        return np.asarray(np.cumsum(surfaces + white_space) - white_space - 1)


class _Token(NamedTuple):
    surface: str
    forms: tuple[str, ...]
    misc: str


def treebank_text(sentences: Iterable[Sentence]) -> TreebankText:
    """Return the text of a treebank by its comments and the columns MISC."""
    text = TreebankText()
    for sentence in sentences:
        text.add(sentence)
    return text


def text_of_pieces(sentences: Iterable[Pieces]) -> TreebankText:
    """Return the text of some sentences, without counts of tokens."""
    text = TreebankText()
    for pieces in sentences:
        text.surfaces += [piece.surface for piece in pieces]
        text.white_space += [piece.white_space for piece in pieces]
        text.last_tokens.append(len(text.surfaces) - 1)
    return text


def _tokens(sentence: Sentence) -> Iterator[_Token]:
    ranges = {}
    for row in sentence.rows:
        columns = row.removesuffix("\r").split("\t")
        if match := RANGE.fullmatch(columns[0]):
            ranges[int(match[1]) - 1] = columns[1], int(match[2]), columns[9]
    end = 0
    while end < len(sentence.words):
        word, start = sentence.words[end], end
        surface, end, misc = ranges.get(start, (word.form, start + 1, word.misc))
        yield _Token(surface, tuple(word.form for word in sentence.words[start:end]), misc)


def _white_space(sentence: Sentence, tokens: Sequence[_Token]) -> list[str]:
    """Return the white space after each token: from the comment `text`, if it matches, else from MISC."""
    told = [_white_space_told(token.misc) for token in tokens]
    comment = next((one for one in sentence.comments if re.match(r"#\s*text\s*=", one)), None)
    shown = _white_space_shown(comment.partition("=")[2].strip(), tokens) if comment else None
    return [*shown[:-1], told[-1]] if shown else told


def _white_space_told(misc: str) -> str:
    features = dict(feature.partition("=")[::2] for feature in misc.split("|"))
    if "SpacesAfter" in features:
        escaped = features["SpacesAfter"]
        white = re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], " "), escaped)
        return white if white.isspace() else " "
    return "" if features.get("SpaceAfter") == "No" else " "


def _white_space_shown(text: str, tokens: Sequence[_Token]) -> list[str] | None:
    white_space = []
    for token in tokens:
        if not text.startswith(token.surface):
            return None
        behind = text[len(token.surface) :]
        text = behind.lstrip()
        white_space.append(behind[: len(behind) - len(text)])
    return white_space
