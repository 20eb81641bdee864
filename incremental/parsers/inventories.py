"""Inventory of a model: frequent forms, characters, tags, features, labels, and the stock of virtual nodes.

An inventory is read from a treebank once, before training, and written into the model file as JSON. Row 0 of
the forms is for all infrequent forms. Words also have *n-grams*: the substrings of two to five characters of
the lower-cased form between "<" and ">" (of its two ends joined, if it is long), hashed into the rows of a
table, so that unknown and half-typed words have an embedding, shared with similar words.

First letters predict the tag of a word: that of the frequent forms with this prefix. On EWT's dev part, 31%
of words have the tag that their first letter predicts, in Afrikaans and Dutch 38 and 39%; a parser that takes
the letter for a word gets 31, 6 and 11%, in twenty times the time.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple
from zlib import crc32

from treewhile.incremental.parsers.shift_reduce import ROOT_LABEL
from treewhile.incremental.texts.scripts import known_scripts
from treewhile.incremental.treebanks.prefix_trees import LARGEST_STOCK, GoldTree, Stock, best_stock_of
from treewhile.incremental.treebanks.treebank import Sentence, Word
from treewhile.oracles.errors import InputError

NGRAM_ROWS: Final = 1 << 13  # of a new model
NGRAM_ROWS_ONCE: Final = 1 << 14  # of models that do not say how many they have
MOST_NGRAM_ROWS: Final = 1 << 20
NGRAM_LENGTHS: Final = range(2, 6)

# A longer word is spelled by its first and last characters alone, which bounds the work for one word.
LONGEST_SPELLING: Final = 32

# Unknown characters are distinguished by their class alone.
CHARACTER_CLASSES: Final = ("<", ">", "Lu", "Ll", "Lo", "Lm", "Nd", "P", "S", "M", "")

ROWS: Final = "ngram_rows"  # name in a model
ADDED_LATER: Final = ("root_labels", "tags_of_features")  # missing in older models

RAREST_FORM = 2  # number of occurrences from which a form is known
MOST_FORMS: Final = 2500  # that are known; rarer ones gain nothing that their n-grams do not tell
RAREST_CHARACTER = 3
RAREST_FEATURES = 2  # unless a tag has no others


class WordCode(NamedTuple):
    """Form as numbers: its row among the frequent forms, its characters and its n-grams."""

    form: int
    characters: tuple[int, ...]
    ngrams: tuple[int, ...]


@dataclass(frozen=True)
class Inventory:
    """Numbered names, each tuple in the order of the numbers."""

    forms: tuple[str, ...]  # lower-cased; row 0 is for all others
    characters: tuple[str, ...]  # numbered after the classes
    tags: tuple[str, ...]
    features: tuple[str, ...]  # whole columns: "Case=Nom|Number=Sing"
    labels: tuple[str, ...]
    stock: Stock
    values: tuple[str, ...]  # values of gold tags, "UPOS=NOUN", "Case=Nom"; empty if tags are predicted
    root_labels: tuple[str, ...] = ()  # labels of the root's children only; just "root" if that is a label
    tags_of_features: tuple[str, ...] = ()  # seen with each of the features; empty if unknown
    ngram_rows: int = NGRAM_ROWS

    def __post_init__(self) -> None:
        if ROOT_LABEL in self.labels:
            object.__setattr__(self, "root_labels", (ROOT_LABEL,))

    @classmethod
    def of(
        cls,
        sentences: Sequence[Sentence],
        gold_values: Callable[[Word], Iterable[str]],
        raw: Iterable[str] = (),
    ) -> Inventory:
        """Return the inventory of a treebank, given the gold values of each word, and forms of raw text."""
        words = [word for sentence in sentences for word in sentence.words]
        trees = (GoldTree.of(sentence) for sentence in sentences)
        tags, features = _named(word.upos for word in words), _features_of(words)
        return cls(
            forms=_frequent(
                (form.lower() for form in chain((word.form for word in words), raw)), RAREST_FORM
            )[:MOST_FORMS],
            characters=_frequent(chain.from_iterable(word.form for word in words), RAREST_CHARACTER),
            tags=tags,
            features=features,
            labels=_named(word.deprel for word in words),
            stock=best_stock_of(trees),
            values=_frequent(chain.from_iterable(gold_values(word) for word in words), 1),
            root_labels=_labels_of_roots(words),
            tags_of_features=_seen_together(words, tags, features),
        )

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Inventory:
        """Return the inventory written by `to_json`; an InputError names a missing or wrong entry."""
        named = {}
        for field in fields(cls):
            if field.name == ROWS:
                continue
            entries = values.get(field.name, [] if field.name in ADDED_LATER else None)
            if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
                raise InputError(f"the inventory has to have a list of strings named {field.name}")
            named[field.name] = tuple(entries)
        _check_sets(named)
        return cls(**named, ngram_rows=_rows(values.get(ROWS, NGRAM_ROWS_ONCE)))

    def to_json(self) -> dict[str, Any]:
        sets = {name: list(entries) for name, entries in vars(self).items() if isinstance(entries, tuple)}
        return {**sets, ROWS: self.ngram_rows}

    def code(self, form: str) -> WordCode:
        """Return the numbers of a form; any text has some."""
        spelled = form if len(form) <= LONGEST_SPELLING else _both_ends(form)
        characters = [self._character(character) for character in spelled]
        start, end = CHARACTER_CLASSES.index("<"), CHARACTER_CLASSES.index(">")
        number = self.form_numbers.get(form.lower(), 0)
        rows = ngrams(_both_ends(form.lower()), self.ngram_rows)
        return WordCode(number, (start, *characters, end), rows)

    def _character(self, character: str) -> int:
        known = self.character_numbers.get(character)
        return _class_of(character) if known is None else known

    @cached_property
    def form_numbers(self) -> dict[str, int]:
        return {form: number for number, form in enumerate(self.forms, 1)}

    @cached_property
    def character_numbers(self) -> dict[str, int]:
        return {character: number for number, character in enumerate(self.characters, len(CHARACTER_CLASSES))}

    @cached_property
    def scripts(self) -> frozenset[str]:
        """Scripts of which enough letters are known."""
        return known_scripts(self.characters)

    @cached_property
    def tag_numbers(self) -> dict[str, int]:
        return {tag: number for number, tag in enumerate(self.tags)}

    @cached_property
    def feature_numbers(self) -> dict[str, int]:
        return {feature: number for number, feature in enumerate(self.features)}

    @cached_property
    def label_numbers(self) -> dict[str, int]:
        return {label: number for number, label in enumerate(self.labels)}

    @cached_property
    def value_numbers(self) -> dict[str, int]:
        return {value: number for number, value in enumerate(self.values)}


def _check_sets(sets: Mapping[str, tuple[str, ...]]) -> None:
    for name in ("tags", "features", "labels"):
        if not sets[name]:
            raise InputError(f"the inventory has no {name}, and there has to be one at least")
    for name, entries in sets.items():
        if name not in ("stock", "tags_of_features") and len({*entries}) < len(entries):
            raise InputError(f"the {name} of the inventory have to differ from each other")
    if not {*sets["root_labels"]} <= {*sets["labels"]}:
        raise InputError("the labels of roots in the inventory have to be among its labels")
    of_features = sets["tags_of_features"]
    if of_features and (
        len(of_features) != len(sets["features"]) or not {*" ".join(of_features).split()} <= {*sets["tags"]}
    ):
        raise InputError("the inventory has to have tags of its own for each of its features, or for none")
    if len(sets["stock"]) > LARGEST_STOCK or not {*sets["stock"]} <= {*sets["tags"]}:
        raise InputError(f"the stock of the inventory has to be of at most {LARGEST_STOCK} of its tags")


def _rows(said: object) -> int:
    if type(said) is not int or not 0 < said <= MOST_NGRAM_ROWS:
        raise InputError(f"the inventory has to have a number of {ROWS} from 1 to {MOST_NGRAM_ROWS}")
    return said


def ngrams(form: str, rows: int) -> tuple[int, ...]:
    """Return the rows, of so many in all, of the n-grams of a lower-cased form; at least one."""
    marked = f"<{form}>"
    return tuple(
        crc32(marked[start : start + length].encode(errors="surrogatepass")) % rows
        for length in NGRAM_LENGTHS
        for start in range(max(len(marked) - length + 1, 1))
    )


def _both_ends(form: str) -> str:
    return (
        form
        if len(form) <= LONGEST_SPELLING
        else form[: LONGEST_SPELLING // 2] + form[-LONGEST_SPELLING // 2 :]
    )


def _class_of(character: str) -> int:
    category = unicodedata.category(character)
    for name in (category, category[0]):
        if name in CHARACTER_CLASSES:
            return CHARACTER_CLASSES.index(name)
    return len(CHARACTER_CLASSES) - 1


def _named(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names that occur; `_` only if there are no others."""
    known = _frequent(names, 1)
    return tuple(name for name in known if name != "_") or known


def _seen_together(words: Sequence[Word], tags: Sequence[str], features: Sequence[str]) -> tuple[str, ...]:
    """Return for each column of features the tags of words that have it."""
    pairs = {(word.upos, word.feats) for word in words}
    return tuple(" ".join(tag for tag in tags if (tag, column) in pairs) for column in features)


def _features_of(words: Sequence[Word]) -> tuple[str, ...]:
    """Return the columns of features that occur often enough, and of each tag the most frequent one."""
    counts = Counter((word.upos, word.feats) for word in words)
    of_tags = {tag: column for (tag, column), _ in reversed(counts.most_common())}
    often = {*_frequent((word.feats for word in words), RAREST_FEATURES), *of_tags.values()}
    return _frequent((word.feats for word in words if word.feats in often), 1)


def _labels_of_roots(words: Sequence[Word]) -> tuple[str, ...]:
    """Return the labels that only children of the root have, if most of these do; most frequent first."""
    of_root = Counter(word.deprel for word in words if word.head == "0")
    of_others = {"_", *(word.deprel for word in words if word.head not in ("0", "_"))}
    alone = _frequent((label for label in of_root.elements() if label not in of_others), 1)
    return alone if 2 * sum(of_root[label] for label in alone) > of_root.total() else ()


def _frequent(names: Iterable[str], rarest: int) -> tuple[str, ...]:
    """Return the names that occur often enough, by decreasing frequency, then alphabetically."""
    counts = Counter(names)
    kept = (name for name, count in counts.items() if count >= rarest)
    return tuple(sorted(kept, key=lambda name: (-counts[name], name)))


FREQUENT: Final = 512  # number of forms that vote
MOST_LETTERS: Final = 3  # longer prefixes are treated as words


class FirstLetters:
    """Most frequent tags by first letters, computed when letters are asked for the first time.

    The frequency of a form is estimated from its rank: the second counts half as much as the first, the third
    a third.
    """

    def __init__(self, forms: Sequence[str], tag_of: Callable[[str], str]) -> None:
        self._tag_of = tag_of
        self._ranks: dict[str, list[int]] = defaultdict(list)
        self._forms = forms[:FREQUENT]
        for rank, form in enumerate(self._forms):
            for letters in range(1, 1 + min(len(form), MOST_LETTERS)):
                self._ranks[form[:letters]].append(rank)
        self._of_forms: dict[int, str] = {}
        self._of_letters: dict[str, str] = {}

    def tag(self, letters: str) -> str | None:
        """Return the most frequent tag of forms with these first letters; None if there are none."""
        if letters in self._ranks and letters not in self._of_letters:
            self._of_letters[letters] = self._vote(self._ranks[letters])
        return self._of_letters.get(letters)

    def _vote(self, ranks: Sequence[int]) -> str:
        votes: dict[str, float] = defaultdict(float)
        for rank in ranks:
            if rank not in self._of_forms:
                self._of_forms[rank] = self._tag_of(self._forms[rank])
            votes[self._of_forms[rank]] += 1 / (1 + rank)
        return max(votes, key=votes.__getitem__)
