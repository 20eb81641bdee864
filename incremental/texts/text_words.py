"""Sentences, tokens and words of a text, with their positions, and the final punctuation of a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple
from unicodedata import category, normalize

FINAL_PUNCTUATION: Final = frozenset(".!?。؟।॥።")
CLOSING: Final = ("Pe", "Pf", "Pi")  # categories of characters; „…“ and »…« close with one of Pi
LOOKED_AT: Final = 8  # maximum number of tokens; no more closing ones follow each other


def has_final_punctuation(forms: Sequence[str]) -> bool:
    """Return whether the last token, before closing brackets and quotation marks, is final punctuation."""
    first = max(0, len(forms) - LOOKED_AT)
    for place in range(len(forms) - 1, first - 1, -1):
        shown = normalize("NFKC", forms[place])
        if place == first or not all(map(_closes, shown)):
            return FINAL_PUNCTUATION.issuperset(shown)
    return False


def may_close_sentence(form: str) -> bool:
    """Return whether a last token needs a check; plain letters and digits do not."""
    return not (form.isascii() and form.isalnum())


def _closes(character: str) -> bool:
    return character in "\"'" or category(character) in CLOSING


class TextToken(NamedTuple):
    """Token with its position in the text, in code points; white space within is one space in `surface`."""

    surface: str
    start: int
    end: int
    words: int  # number of its words

    def moved(self, units: int) -> TextToken:
        """Return the token at a position shifted by `units`."""
        return self._replace(start=self.start + units, end=self.end + units)


class TextWord(NamedTuple):
    """Word with its position: its own part of the token if the words make up the surface, else all of it."""

    form: str
    start: int
    end: int
    token: TextToken

    def moved(self, units: int) -> TextWord:
        """Return the word at a position shifted by `units`."""
        return TextWord(self.form, self.start + units, self.end + units, self.token.moved(units))


class TextSentence(NamedTuple):
    """Words of a sentence, and whether white space follows the last one.

    The sentence `is_closed` if added text would belong to another sentence.
    """

    words: tuple[TextWord, ...]
    space_after: bool
    is_closed: bool

    @property
    def has_ended(self) -> bool:
        """True if the sentence seems complete: it is closed, or has its final punctuation."""
        return self.is_closed or has_final_punctuation([token.surface for _, token, _ in self.tokens()])

    @property
    def start(self) -> int:
        """Begin of the sentence in the text."""
        return self.words[0].start

    @property
    def end(self) -> int:
        """End of the sentence in the text, without the white space behind it."""
        return self.words[-1].token.end

    def tokens(self) -> Iterator[tuple[int, TextToken, bool]]:
        """Yield every token, with the number of its first word, from 1, and whether white space follows."""
        number = 1
        while number <= len(self.words):
            token = self.words[number - 1].token
            next_number = number + token.words
            is_last = next_number > len(self.words)
            after = self.space_after if is_last else token.end < self.words[next_number - 1].token.start
            yield number, token, after
            number = next_number

    def rows(self, miscs: Iterable[str] | None = None) -> Iterator[str]:
        """Yield the rows of the sentence in CoNLL-U, with ranges and the MISC of each token.

        Without it, MISC says `SpaceAfter=No` where that is so.
        """
        if miscs is None:
            miscs = ["_" if space_after else "SpaceAfter=No" for _, _, space_after in self.tokens()]
        for (number, token, _), misc in zip(self.tokens(), miscs, strict=True):
            if token.words > 1:
                yield _row(f"{number}-{number + token.words - 1}", token.surface, misc)
            for at in range(number, number + token.words):
                yield _row(str(at), self.words[at - 1].form, "_" if token.words > 1 else misc)


def _row(id_: str, form: str, misc: str) -> str:
    return "\t".join([id_, form, *"_______", misc])
