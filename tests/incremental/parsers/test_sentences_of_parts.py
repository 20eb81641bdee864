from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from treewhile.incremental import load_model
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.sentences_of_parts import cut_any, sentences_of_part
from treewhile.incremental.parsers.text_sources import read_any
from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE
from treewhile.incremental.treebanks import file_parts
from treewhile.oracles import InputError

ROW = "\t_\t_\t_\t_\t_\t_\t_\t_\n"
BLOCKS = [f"# sent_id = {number}\n1\tx{number}{ROW}" for number in range(40)]

TEXTS = {
    "paragraphs": "The dog barks. Nobody knows why.\nIt is old.\n\nThe cat, who sees it, can't sleep!\n\n"
    * 30,
    "one line": "Ein Hund (ein alter) bellt. Dr. Who lacht „so“ 🎉. " * 40,
    "no ends": "word " * (2 * LONGEST_SENTENCE + 300) + "\n\n" + "x" * 3000 + " . and more",
    "ends as it would be cut": "a " * (LONGEST_SENTENCE - 1) + ".\n\n" + "The dog barks.\n\n" * 9,
    "white": ("The dog barks." + " " * 3000 + "It is old." + "\n" * 3000) * 4,
    "blank first": "\n\n \n The dog barks.\n\nA cat",
    "one word": "dog",
}
TREEBANKS = {
    "blank lines": "\n \n" + "\n \t\n\n".join(BLOCKS) + "\n\n\n",
    "line ends": "\n\n".join(BLOCKS).replace("\n", "\r\n") + "\r\n\r\n",
    "one": BLOCKS[0] + "\n",
}


@pytest.fixture(scope="module")
def english() -> Model:
    return load_model("en")


@pytest.fixture
def cut_small(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Makes parts small."""

    def cut(size: int) -> None:
        monkeypatch.setattr(file_parts, "BYTES", size)
        monkeypatch.setattr(file_parts, "SENTENCES", size)

    return cut


def in_parts(path: Path, model: Model) -> str:
    """The sentences of all parts, numbered through if they are those of raw text."""
    parts = cut_any(str(path)).parts
    texts = [str(sentence) for part in parts for sentence in sentences_of_part(part, model)]
    numbers = count(1)
    if path.suffix == ".txt":
        texts = [re.sub("sent_id = [0-9]+", f"sent_id = {next(numbers)}", text, count=1) for text in texts]
    return "".join(texts)


def whole(path: Path, model: Model) -> str:
    return "".join(map(str, read_any(str(path), model, lambda read: None)))


@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("size", [7, 100, 1000, 1 << 15])
def test_the_parts_of_a_text_have_its_sentences(
    name: str, size: int, english: Model, cut_small: Callable[[int], None], tmp_path: Path
) -> None:
    if len(TEXTS[name]) > 500 * size:
        pytest.skip("so many parts take long and tell no more")
    cut_small(size)
    path = tmp_path / "in.txt"
    path.write_text(TEXTS[name])
    assert len(cut_any(str(path)).parts) >= min(2, len(path.read_bytes()) // (2 * size))
    assert in_parts(path, english) == whole(path, english)


@pytest.mark.parametrize("name", TREEBANKS)
@pytest.mark.parametrize("size", [1, 7, 320])
def test_the_parts_of_a_treebank_have_its_bytes(
    name: str, size: int, model: Model, cut_small: Callable[[int], None], tmp_path: Path
) -> None:
    cut_small(size)
    path = tmp_path / "in.conllu"
    path.write_bytes(TREEBANKS[name].encode())
    assert in_parts(path, model) == whole(path, model) == TREEBANKS[name]
    assert len(cut_any(str(path)).parts) == -(-TREEBANKS[name].count("\tx") // size)


def test_compressed_files_have_the_same_parts(
    model: Model, cut_small: Callable[[int], None], tmp_path: Path
) -> None:
    cut_small(3)
    text = TREEBANKS["line ends"].encode()
    (tmp_path / "in.conllu").write_bytes(text)
    (tmp_path / "in.conllu.gz").write_bytes(gzip.compress(text))
    plain, packed = (cut_any(str(tmp_path / name)) for name in ("in.conllu", "in.conllu.gz"))
    assert packed.digest == plain.digest
    assert [part[3:] for part in packed.parts] == [part[3:] for part in plain.parts]
    assert in_parts(tmp_path / "in.conllu.gz", model).encode() == text


def test_an_empty_file_has_no_parts(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("")
    assert cut_any(str(tmp_path / "in.txt")).parts == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("in.conllu", ("".join(f"{block}\n" for block in BLOCKS) + "1\tcut short\n").encode()),
        ("in.conllu", "".join(f"{block}\n" for block in BLOCKS).replace("x31", "").encode()),
        ("in.txt", b"The dog barks.\n\n" * 30 + b"\xff is none.\n\n" + b"A cat.\n\n" * 30),
        ("in.txt", b"The dog barks.\n\n" * 30 + b"\xc3"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    name: str, text: bytes, model: Model, cut_small: Callable[[int], None], tmp_path: Path
) -> None:
    cut_small(5)
    (tmp_path / name).write_bytes(text)
    messages = []
    for reading in (in_parts, whole):
        with pytest.raises(InputError) as refused:
            reading(tmp_path / name, model)
        messages.append(str(refused.value))
    assert messages[0] == messages[1]
    assert re.search(r":[0-9]+", messages[0])


def test_a_compressed_file_is_unpacked_once_for_all_parts(
    model: Model, cut_small: Callable[[int], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_small(2)
    path, began = tmp_path / "in.conllu.gz", []
    path.write_bytes(gzip.compress(TREEBANKS["blank lines"].encode()))
    parts = cut_any(str(path)).parts
    rewind = gzip._GzipReader._rewind
    monkeypatch.setattr(gzip._GzipReader, "_rewind", lambda reader: (began.append(1), rewind(reader)))
    assert len([one for part in parts[1:] for one in sentences_of_part(part, model)]) == len(BLOCKS) - 2
    assert len(parts) == len(BLOCKS) / 2
    assert began == [1]
