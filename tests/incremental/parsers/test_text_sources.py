from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import each

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.text_sources import Lines, begins_as_treebank, read_any
from treewhile.incremental.treebanks.treebank import LONGEST_LINE, read_sentences
from treewhile.oracles import InputError

TREEBANK = "# sent_id = 1\n1\tdogs\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
TEXT = "the dog cannot bark.\n\nthe cat\tsees 🎉."
TEXT_AS_TREEBANK = """\
# sent_id = 1
# text = the dog cannot bark.
1	the	_	_	_	_	_	_	_	_
2	dog	_	_	_	_	_	_	_	_
3-4	cannot	_	_	_	_	_	_	_	_
3	can	_	_	_	_	_	_	_	_
4	not	_	_	_	_	_	_	_	_
5	bark	_	_	_	_	_	_	_	SpaceAfter=No
6	.	_	_	_	_	_	_	_	_

# sent_id = 2
# text = the cat sees 🎉.
1	the	_	_	_	_	_	_	_	_
2	cat	_	_	_	_	_	_	_	_
3	sees	_	_	_	_	_	_	_	_
4	🎉.	_	_	_	_	_	_	_	SpaceAfter=No

"""


def read(path: Path, model: Model) -> str:
    return "".join(map(str, read_any(str(path), model, lambda amount: None)))


def written(path: Path, text: str | bytes) -> Path:
    content = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz", "a.txt", "a.gz", "a"])
def test_a_treebank_is_one_whatever_its_name(name: str, model: Model, tmp_path: Path) -> None:
    assert read(written(tmp_path / name, TREEBANK), model) == TREEBANK


@pytest.mark.parametrize("name", ["a.txt", "a.gz", "a"])
def test_raw_text_becomes_sentences_with_columns_to_fill(name: str, model: Model, tmp_path: Path) -> None:
    assert read(written(tmp_path / name, TEXT), model) == TEXT_AS_TREEBANK
    assert "".join(map(str, read_sentences(io.BytesIO(TEXT_AS_TREEBANK.encode())))) == TEXT_AS_TREEBANK


def test_text_under_the_name_of_a_treebank_is_a_bad_treebank(model: Model, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has to have 10 columns .*a.conllu:1$"):
        read(written(tmp_path / "a.conllu", TEXT + "\n\n"), model)


@each(
    "text, is_treebank",
    [
        ("", True),
        ("1\tx", True),
        ("\n\n# a\n#b\n1-2\tx", True),
        ("\ufeff1\tx", True),
        ("# Title\n\n1 text", False),
        ("# Title", False),
        ("\n \n", False),
        ("2\tx", False),
        ("1.\tx", False),
        ("#\n" * 100 + "1\tx", True),
        ("#\n" * 101 + "1\tx", False),
    ],
)
def test_the_first_lines_tell_a_treebank_from_text(text: str, is_treebank: bool) -> None:
    lines = Lines(io.BytesIO(text.encode()), "x", lambda amount: None)
    assert begins_as_treebank(lines) is is_treebank
    assert b"".join(iter(lambda: lines.readline(LONGEST_LINE + 1), b"")) == text.encode(), (
        "all is still to come"
    )


def test_no_text_has_no_sentences(make_model: Callable[..., Model], tmp_path: Path) -> None:
    assert read(written(tmp_path / "a", ""), make_model(with_segmenter=False)) == ""
    assert read(written(tmp_path / "a", " \n \n\n"), make_model()) == ""


def test_all_bytes_are_told(model: Model, tmp_path: Path) -> None:
    for text in (TREEBANK * 3, TEXT * 3):
        amounts: list[int] = []
        list(read_any(str(written(tmp_path / "a", text)), model, amounts.append))
        assert sum(amounts) == len(text.encode())


@pytest.mark.slow
def test_letters_that_a_long_line_cuts_are_put_together(model: Model, tmp_path: Path) -> None:
    first, others = "x" + "é" * 10, "ξ" * 12
    text = f"{first} " + f"{others} " * (LONGEST_LINE // 24)
    assert text.encode()[LONGEST_LINE + 1] >> 6 == 0b10  # which goes on with a letter
    sentences = read_any(str(written(tmp_path / "a", text)), model, lambda amount: None)
    assert {word.form for sentence in sentences for word in sentence.words} == {first, others}


@pytest.mark.parametrize(
    ("content", "byte", "line"),
    [(b"a\nb\xff c", "ff", 2), (b"abc\n\xe2\x82", "e2", 2), (b"\xff\xfea\0", "ff", 1)],
)
def test_bytes_that_are_no_text_are_told_with_their_line(
    content: bytes, byte: str, line: int, model: Model, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=rf"^the byte 0x{byte} is no part of .*, save .*/a:{line}$"):
        read(written(tmp_path / "a", content), model)


def test_raw_text_needs_a_model_that_was_trained_on_it(
    make_model: Callable[..., Model], tmp_path: Path
) -> None:
    path = written(tmp_path / "a", TEXT)
    with pytest.raises(InputError, match=rf"^the model was trained without raw text.* instead of {path}, or"):
        read(path, make_model(with_segmenter=False))
    with pytest.raises(InputError, match=r"^the model was trained on gold tags, which raw text has not"):
        read(path, make_model(tags="gold-upos"))
