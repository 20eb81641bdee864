"""Decisions of people about words, around which the rest of a sentence is parsed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.nodes import Head
from treewhile.oracles.errors import InputError

Part: TypeAlias = Literal["head", "label", "tag"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)


class Correction(NamedTuple):
    """Decision of somebody about a word: its head (a word or the root), label, tag; None where it is open."""

    head: int | None = None
    label: str | None = None
    tag: str | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """Names of what is decided."""
        return tuple(name for name in PARTS if getattr(self, name) is not None)

    def holds(self, head: Head, label: str) -> bool:
        """Return whether a head and label are as decided."""
        return self.head in (None, head) and self.label in (None, label)


Corrections: TypeAlias = Mapping[int, Correction]  # by word

NO_CORRECTIONS: Final[Corrections] = MappingProxyType({})


def check_corrections(words: int, corrections: Corrections, inventory: Inventory) -> None:
    """Raise an InputError with the reason if corrections contradict each other, or name what is not there."""
    for word, correction in corrections.items():
        _check_names(word, words, correction, inventory)
    roots = [word for word, one in corrections.items() if one.head == 0]
    if len(roots) > 1:
        raise InputError(f"words {roots[0]} and {roots[1]} cannot both be the root's child: free one of them")
    for word in corrections:
        if cycle := _cycle_from(word, corrections):
            what = " and ".join(map(str, cycle))
            raise InputError(f"the heads of {what} would form a cycle: free one of them")


def _check_names(word: int, words: int, correction: Correction, inventory: Inventory) -> None:
    head, label, tag = correction
    if not 0 < word <= words:
        raise InputError(f"there is no word {word}: the sentence has {words}, counted from 1")
    if head is not None and not 0 <= head <= words:
        what = f"word {head} cannot be the head of {word}"
        raise InputError(f"{what}: the sentence has {words} words, counted from 1, and 0 is the root")
    if head == word:
        raise InputError(f"word {word} cannot be its own head: give another word, or 0 for the root")
    for kind, name, known in (("label", label, inventory.labels), ("tag", tag, inventory.tags)):
        if name is not None and name not in known:
            raise InputError(f"the model knows no {kind} {name!r:.40}: choose one of {', '.join(known)}")
    root_labels, are_both = inventory.root_labels, label is not None and head is not None
    if are_both and root_labels and (label in root_labels) != (head == 0):
        what = f"word {word} cannot be called {label} below {head or 'the root'}"
        raise InputError(f"{what}: the root's child alone is called {' or '.join(root_labels)}")


def _cycle_from(word: int, corrections: Corrections) -> list[int]:
    """Return the words that lead from a word back to it by their heads; none if they lead elsewhere."""
    path = [word]
    while (one := corrections.get(path[-1])) and one.head and one.head not in path:
        path.append(one.head)
    last = corrections.get(path[-1])
    return path if last is not None and last.head == word else []
