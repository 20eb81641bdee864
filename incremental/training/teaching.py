"""Teaching of a model by finished ones: they add their beliefs to treebanks, and parse raw sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.training.beliefs import Belief, Teachers, kept_beliefs
from treewhile.incremental.training.checkpoints import digest_of, fingerprint
from treewhile.incremental.training.examples import Lesson

Show = Callable[[int, int], None]  # gets the number of sentences done, and of all


class Teaching:
    """Teachers with raw sentences, given as words; beliefs are kept in a file, since they take minutes."""

    def __init__(
        self, files: Sequence[ModelFile], raw: Sequence[Sequence[str]], kept_in: Path, show: Show
    ) -> None:
        self._files, self._raw, self._kept_in, self._show = files, raw, kept_in, show

    @cached_property
    def run(self) -> str:
        """Digest of the teachers and the raw sentences."""
        return fingerprint(*map(digest_of, self._files), *map(" ".join, self._raw))

    def taught(self, lessons: Sequence[Lesson], inventory: Inventory) -> tuple[list[Lesson], list[Lesson]]:
        """Return the lessons with beliefs, and those of the raw sentences."""
        sentences = [*([word.form for word in lesson.words] for lesson in lessons), *self._raw]
        run = fingerprint(self.run, *map(" ".join, sentences), *inventory.to_json().values())
        beliefs = kept_beliefs(self._kept_in, run, lambda: self._asked(sentences, inventory))
        of_lessons, of_raw = beliefs[: len(lessons)], beliefs[len(lessons) :]
        believed = [lesson._replace(belief=one) for lesson, one in zip(lessons, of_lessons, strict=True)]
        return believed, [
            Lesson(belief.words(words, inventory), belief=belief)
            for words, belief in zip(self._raw, of_raw, strict=True)
        ]

    def _asked(self, sentences: Sequence[Sequence[str]], inventory: Inventory) -> list[Belief]:
        teachers = Teachers([*map(Model, self._files)], inventory)
        beliefs: list[Belief] = []
        for belief in teachers.beliefs(sentences):
            beliefs.append(belief)
            self._show(len(beliefs), len(sentences))
        return beliefs
