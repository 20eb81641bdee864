"""Statistics of tree classes in a treebank: number of trees in each class, and short sentences outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from treewhile.incremental.treebanks.projectivized_treebank import complaints_placed
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles import TreeClasses, tree_classes

DEGREES: Final = tuple(name for name in TreeClasses._fields if name.endswith("_degree"))
CLASSES: Final = tuple(name for name in TreeClasses._fields if name.startswith("is_"))


def classify_sentence(sentence: Sentence) -> TreeClasses:
    """Return the classes of a sentence's tree; an InputError says where there is no whole tree."""
    with complaints_placed(sentence):
        return tree_classes(sentence.heads)


class ClassCounts:
    """Number of trees, of each degree, and in each class."""

    def __init__(self) -> None:
        self._found: Counter[TreeClasses] = Counter()

    def add(self, classes: TreeClasses) -> None:
        self._found[classes] += 1

    @property
    def trees(self) -> int:
        return self._found.total()

    def of_class(self, name: str) -> int:
        """Return the number of trees in a class, one of CLASSES."""
        return sum(number for classes, number in self._found.items() if getattr(classes, name))

    def of_degree(self, name: str) -> dict[int, int]:
        """Return the number of trees by degree, sorted; the name is one of DEGREES."""
        trees: Counter[int] = Counter()
        for classes, number in self._found.items():
            trees[getattr(classes, name)] += number
        return dict(sorted(trees.items()))

    def as_json(self) -> dict[str, int | dict[int, int]]:
        """Return `trees`, and for each attribute its count, or counts by degree."""
        degrees = {name: self.of_degree(name) for name in DEGREES}
        return {"trees": self.trees, **degrees, **{name: self.of_class(name) for name in CLASSES}}


class Example(NamedTuple):
    """Sentence that is outside at least one class."""

    sentence: Sentence
    classes: TreeClasses

    @property
    def length(self) -> int:
        return len(self.sentence.words)

    @property
    def classes_missed(self) -> int:
        return sum(not getattr(self.classes, name) for name in CLASSES)


class Examples:
    """Shortest sentences outside each class, up to a number for each; the first on ties."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._outside: dict[str, list[Example]] = {name: [] for name in CLASSES}

    def add(self, sentence: Sentence, classes: TreeClasses) -> None:
        for name, examples in self._outside.items():
            if not getattr(classes, name):
                examples.append(Example(sentence, classes))
                examples.sort(key=lambda example: example.length)
                del examples[self._most :]

    def __iter__(self) -> Iterator[Example]:
        """Yield each example once, those outside the fewest classes first."""
        every = {
            example.sentence.first_row_line: example
            for examples in self._outside.values()
            for example in examples
        }
        yield from sorted(every.values(), key=lambda example: (example.classes_missed, example.length))
