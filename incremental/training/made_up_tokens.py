"""Tokens that are rare in a treebank, made up: names with titles, numbered things, addresses, *donne-le-moi*.

Made-up words are blends of the treebank's words. Tokens that the treebank cuts in an unusual way are not made
up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np

from treewhile.incremental.texts.treebank_texts import Piece, Pieces
from treewhile.incremental.training.clitics import APPOINTMENT, ASKING, COMMANDED, ENDS_OF_IMPERATIVES

T = TypeVar("T")

TITLES = (
    *("Mr.", "Mrs.", "Ms.", "Dr.", "Prof.", "Rev.", "St.", "Gen.", "Sen.", "Capt."),
    *("Mnr.", "Mev.", "mnr.", "mev.", "dr.", "prof.", "ds.", "adv."),
    *("Dhr.", "Mevr.", "dhr.", "mevr.", "drs.", "ir.", "mr."),
)
# Abbreviations that a sentence may end with: behind names, behind numbers, behind anything
BEHIND_NAMES = ("Inc.", "Inc.", "Ltd.", "Corp.", "Co.", "Jr.", "Bpk.", "Edms.", "B.V.", "N.V.")
BEHIND_NUMBERS = ("a.m.", "p.m.", "vm.", "nm.")
BEHIND_ANYTHING = ("etc.", "etc.", "ens.", "enz.", "e.d.", "U.S.", "U.K.", "V.S.", "V.S.A.")
# Abbreviations within sentences
WITHIN = (
    *("e.g.", "i.e.", "vs.", "approx.", "bv.", "d.w.s.", "m.a.w.", "o.a.", "nl.", "asb.", "t.o.v."),
    *("bijv.", "d.w.z.", "ca.", "resp.", "m.n.", "t.a.v.", "i.p.v."),
)
BEFORE_NUMBERS = (
    *("no.", "no.", "No.", "No.", "nr.", "Nr.", "p.", "pp.", "vol.", "Vol.", "fig.", "Fig."),
    *("ch.", "art.", "bl."),
)
SMILEYS = (
    *(
        ":)",
        ":(",
        ";)",
        ":D",
        ":P",
        ":/",
        ":|",
        ":o",
        ":]",
        ";D",
        "=)",
        "=D",
        ":'(",
        ":3",
        "<3",
        "^_^",
        "xD",
        "XD",
    ),
    *(":-)", ":-(", ";-)", ":-D", ":-P", ":-/", ":-|"),
)
DOMAINS = ("com", "org", "net", "edu", "gov", "info", "co.uk", "co.za", "de", "nl")
FILE_ENDINGS = ("", "", "", "", "/", ".html", ".php", ".pdf")
INITIALS = "ABCDEFGHJKLMNPRSTW"

ITEM_MARKS = ("-", "*", "•", "–", "—")  # noqa: RUF001

LEAST_WORDS = 20  # of a kind, to make up others from
LONGEST_ELIDED, LEAST_ELIDED = 3, 0.001  # characters; words a sentence


class Chance:
    """Random choices."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random

    def below(self, number: int) -> int:
        return int(self._random.integers(number))

    def one_of(self, some: Sequence[T]) -> T:
        return some[self.below(len(some))]

    def happens(self, share: float) -> bool:
        return self._random.random() < share


class MadeUpTokens:
    """Maker of tokens in the manner of a treebank; the last has no white space behind it unless stated."""

    def __init__(self, sentences: Sequence[Pieces], random: np.random.Generator) -> None:
        self._chance = Chance(random)
        later = [piece.surface for pieces in sentences for piece in pieces[1:]]
        alphabetic = [surface for surface in later if surface.isalpha() and len(surface) > 1]
        self._words = [word for word in alphabetic if word.islower()]
        self._names = [word for word in alphabetic if word.istitle()]
        self._elided = _elided_words(sentences)
        self._imperatives = _like_imperatives(self._words) if _cuts_pronouns(sentences) else []
        self._cuts_item_numbers = _cuts_item_numbers(sentences)
        self._kinds = self._possible_kinds(sentences)

    def _possible_kinds(self, sentences: Sequence[Pieces]) -> list[Callable[[], Pieces]]:
        kinds = [self.number]
        if len(self._words) >= LEAST_WORDS:
            kinds = [self._address] * 3 + [self._mail_address]
        if self._imperatives:
            kinds += [self._with_pronouns] * 4
        if _keeps_stops(sentences):
            kinds += [self._numbered] * 2
            if min(len(self._names), len(self._words)) >= LEAST_WORDS:
                kinds += [self._with_title, self._with_initials, self._pair, self._company]
                kinds += [self._abbreviation_within] * 2
        return kinds

    def part_of_sentence(self) -> Pieces:
        """Return a name, an address or the like."""
        return self._chance.one_of(self._kinds)()

    def last_abbreviation(self) -> Pieces:
        """Return an abbreviation that may end a sentence; none where the treebank cuts stops off."""
        if self._company not in self._kinds:
            return []
        if self._chance.happens(0.5):
            return self._company()
        if self._chance.happens(0.3):
            return _spaced([self._digits(), self._chance.one_of(BEHIND_NUMBERS)])
        return [Piece(self._chance.one_of(BEHIND_ANYTHING), "")]

    def word(self) -> Pieces:
        """Return a word, or a part of one, often in capitals."""
        word = self._blend(self._words or self._names or ["x"])
        part = word[: 1 + self._chance.below(len(word))]
        return [Piece(self._chance.one_of([word, part, part.upper()]), "")]

    def number(self) -> Pieces:
        return [Piece(self._digits(), "")]

    def smiley(self) -> Pieces:
        """Return a smiley, which mostly ends a sentence."""
        return [Piece(self._chance.one_of(SMILEYS), "")]

    def elided(self) -> Pieces:
        """Return a word with an apostrophe in front, to begin a sentence; none where these are too rare."""
        return [Piece(self._chance.one_of(self._elided), "")] if self._elided else []

    def item_marks(self) -> Callable[[int], Pieces]:
        """Return a function from the number of a list item to the item's mark, with a space behind."""
        if self._chance.happens(0.5):
            mark = [Piece(self._chance.one_of(ITEM_MARKS), " ")]
            return lambda number: mark
        return partial(self.item_number, behind=self._chance.one_of(".)"))

    def item_number(self, number: int, behind: str = ".") -> Pieces:
        """Return the begin of a numbered item, with a space behind."""
        if self._cuts_item_numbers:
            return [Piece(str(number), ""), Piece(behind, " ")]
        return [Piece(f"{number}{behind}", " ")]

    # --- kinds --------------------------------------------------------------------------------------------

    def _with_title(self) -> Pieces:
        return _spaced([self._chance.one_of(TITLES), *self._initials(0, 2), self._blend(self._names)])

    def _with_initials(self) -> Pieces:
        return _spaced([*self._initials(1, 4), self._blend(self._names)])

    def _initials(self, least: int, behind_most: int) -> list[str]:
        count = least + self._chance.below(behind_most - least)
        return [f"{self._chance.one_of(INITIALS)}." for _ in range(count)]

    def _pair(self) -> Pieces:
        words = [self._chance.one_of(TITLES), self._chance.one_of(self._words), self._chance.one_of(TITLES)]
        return _spaced([*words, self._blend(self._names)])

    def _company(self) -> Pieces:
        return _spaced([self._blend(self._names), self._chance.one_of(BEHIND_NAMES)])

    def _abbreviation_within(self) -> Pieces:
        return _spaced([self._chance.one_of(WITHIN), self._blend(self._words)])

    def _numbered(self) -> Pieces:
        return _spaced([self._chance.one_of(BEFORE_NUMBERS), self._digits()])

    def _with_pronouns(self) -> Pieces:
        """Return a question's or a command's verb, with what follows it behind hyphens."""
        if self._chance.happens(0.1):
            return [Piece(APPOINTMENT, "")]
        verb = self._blend(self._imperatives)
        begin = verb.title() if self._chance.happens(0.5) else verb
        asks = self._chance.happens(0.3)
        pronouns = self._chance.one_of(ASKING if asks else COMMANDED).split()
        return [Piece(surface, "") for surface in (begin, *pronouns)]

    def _digits(self) -> str:
        return str(self._chance.below(10 ** int(1 + self._chance.below(4))))

    def _mail_address(self) -> Pieces:
        return [Piece(f"{self._joined('._', 2)}@{self._host()}", "")]

    def _address(self) -> Pieces:
        begin = self._chance.one_of(["http://", "https://", "http://www.", "https://www.", "www."])
        path = "".join(f"/{self._part()}" for _ in range(self._chance.below(4)))
        ending = self._chance.one_of(FILE_ENDINGS) if path else ""
        arguments = (
            [self._argument() for _ in range(self._chance.below(3))] if self._chance.happens(0.6) else []
        )
        query = "?" + "&".join(arguments) if arguments else ""
        fragment = f"#{self._part()}" if path + query and self._chance.happens(0.6) else ""
        return [Piece(begin + self._host() + path + ending + query + fragment, "")]

    def _host(self) -> str:
        return f"{self._joined('.-', 2)}.{self._chance.one_of(DOMAINS)}"

    def _argument(self) -> str:
        value = self._digits() if self._chance.happens(0.5) else self._part()
        return f"{self._blend(self._words)[: 1 + self._chance.below(6)]}={value}"

    def _part(self) -> str:
        return self._digits() if self._chance.happens(0.2) else self._joined("-_%+~", 3)

    def _joined(self, joints: str, most: int) -> str:
        words = [self._blend(self._words) for _ in range(1 + self._chance.below(most))]
        return self._chance.one_of(joints).join(words)

    def _blend(self, words: Sequence[str]) -> str:
        """Return the first half of a word and the second half of another.

        Most results are no known words: otherwise a rare word would be learnt as one that stands in
        addresses.
        """
        first, second = self._chance.one_of(words), self._chance.one_of(words)
        return first[: (len(first) + 1) // 2] + second[len(second) // 2 :].lower()


def _spaced(surfaces: Sequence[str]) -> Pieces:
    """Return the tokens with a space between any two."""
    return [*(Piece(surface, " ") for surface in surfaces[:-1]), Piece(surfaces[-1], "")]


def _cuts_pronouns(sentences: Sequence[Pieces]) -> bool:
    """Return whether pronouns behind verbs are words that begin with their hyphens, as in French."""
    surfaces = (piece.surface.lower() for pieces in sentences for piece in pieces)
    return sum(surface in ASKING for surface in surfaces) >= LEAST_WORDS


def _like_imperatives(words: Sequence[str]) -> list[str]:
    """Return the words that end as French imperatives do; none if these are few."""
    found = [word for word in words if word.endswith(ENDS_OF_IMPERATIVES)]
    return found if len(found) >= LEAST_WORDS else []


def _elided_words(sentences: Sequence[Pieces]) -> list[str]:
    """Return words like 's and 't that stand alone, as often as in the treebank; none if too rare."""
    surfaces = [
        piece.surface
        for pieces in sentences
        for before, piece in pairwise(pieces)
        if before.white_space and piece.white_space
    ]
    found = [one for one in surfaces if one[0] == "'" and one[1:].isalpha() and len(one) <= LONGEST_ELIDED]
    return found if len(found) >= LEAST_ELIDED * len(sentences) else []


def _keeps_stops(sentences: Sequence[Pieces]) -> bool:
    """Return whether the stop of an abbreviation is mostly part of its token, judged by initials."""
    kept = cut = 0
    for pieces in sentences:
        for (surface, white_space), (following, _) in pairwise(pieces[:-1]):
            kept += len(surface) == 2 and surface[0].isupper() and surface[1] == "."
            cut += len(surface) == 1 and surface.isupper() and not white_space and following == "."
    return kept >= cut


def _cuts_item_numbers(sentences: Sequence[Pieces]) -> bool:
    """Return whether a number that begins a sentence and the stop behind it are mostly two tokens."""
    kept = cut = 0
    for pieces in sentences:
        if len(pieces) > 2:
            kept += pieces[0].surface[:-1].isdigit() and pieces[0].surface[-1] in ".)"
            cut += pieces[0].surface.isdigit() and pieces[1].surface in (".", ")")
    return cut >= kept
