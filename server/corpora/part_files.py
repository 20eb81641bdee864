"""Files with the finished parts of an unfinished shard; each file is written completely or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from treewhile.incremental.output_files import open_output, system_errors_named
from treewhile.incremental.treebanks.file_parts import FilePart
from treewhile.oracles.errors import InputError
from treewhile.server.corpora.manifests import HIDDEN, Origin

PARTS: Final = "parts"
NUMBER: Final = re.compile(r"^# sent_id = ([0-9]+)$", re.MULTILINE)


class Made(NamedTuple):
    """Output of a part of a file, with its counts; `sentences` is always among them."""

    text: str
    counts: dict[str, int]


class PartFiles:
    """Finished parts of one shard, in a folder that is named by a digest of their origin."""

    def __init__(self, folder: Path, target: str, origin: Origin, parts: Sequence[FilePart]) -> None:
        named = json.dumps([target, origin, [part.start for part in parts]], sort_keys=True)
        key = hashlib.sha256(named.encode()).hexdigest()[:32]
        self._target, self._parts = folder / target, parts
        self._folder = folder / HIDDEN / PARTS / key
        with system_errors_named(f"make the folder {self._folder}"):
            self._folder.mkdir(parents=True, exist_ok=True)

    def __contains__(self, number: int) -> bool:
        """Return whether the file of a part is there and intact."""
        if not self._path(number).exists():
            return False
        try:
            self._read(number)
        except InputError:
            return False
        return True

    def add(self, number: int, made: Made) -> None:
        with open_output(self._path(number)) as output:
            output.write(f"{json.dumps({'counts': made.counts, 'digest': _digest_of(made)})}\n")
            output.write(made.text)

    def join(self) -> Counter[str]:
        """Join all parts into the shard, and return the sums of their counts."""
        counts = Counter[str]()
        whole = self._folder / f"whole{self._target.suffix}"
        with open_output(whole) as output:
            for number, part in enumerate(self._parts):
                made = self._read(number)
                output.write(made.text if part.is_treebank else _numbered(made.text, counts["sentences"]))
                counts.update(made.counts)
        with system_errors_named(f"write {self._target}"):
            self._target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(whole, self._target)
        return counts

    def forget(self) -> None:
        """Delete the parts."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self, number: int) -> Made:
        path = self._path(number)
        with system_errors_named(f"read {path}"):
            head, _, text = path.read_bytes().partition(b"\n")
        try:
            read = json.loads(head)
            made = Made(text.decode(), read["counts"])
            is_whole = read["digest"] == _digest_of(made)
        except (ValueError, KeyError, TypeError):
            is_whole = False
        if not is_whole:
            raise InputError(f"cannot read {path}, which is damaged: give the same command again")
        return made

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:08}"


def _digest_of(made: Made) -> str:
    return hashlib.sha256(f"{json.dumps(made.counts)}\n{made.text}".encode()).hexdigest()


def _numbered(text: str, before: int) -> str:
    """Return output of raw text with sentence numbers increased by the number of earlier sentences."""
    return NUMBER.sub(lambda found: f"# sent_id = {int(found[1]) + before}", text)


def forget_all_parts(folder: Path) -> None:
    """Delete parts that other runs have left."""
    shutil.rmtree(folder / HIDDEN / PARTS, ignore_errors=True)
