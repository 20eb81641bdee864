"""Small sentences written for these tests, and the treebanks that lie outside the project."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import conllu
import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

from treewhile.incremental.output_files import open_output
from treewhile.incremental.treebanks import treebank
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles.errors import InputError

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
TREEBANKS = sorted(DATA.rglob("*.conllu"))


def row(id_: object, form: str = "x", head: object = 0, misc: str = "_") -> str:
    return f"{id_}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t{misc}\n"


SMALL = "# text = dogs bark\n" + row(1, "dogs", 2) + row(2, "bark", 0, "SpaceAfter=No") + "\n"
RICH = (
    "# text = du chat qui dort et  mange\n# text = twice the same key\n#\n#no space, no value\n"
    + row("0.1", "empty", "_")
    + row("1-2", "du", "_", "Gloss=of|SpaceAfter=No")
    + row(1, "de", 2)
    + row(2, "le", 3, "trailing space ")
    + row("2.1", "gap", "_")
    + row("2.2", "gap", "_")
    + row(3, "chat  qui dort", 0)
    + row("4-4", "one", "_")
    + row(4, "\u2028\x85\x0b\u00a0", "_")
    + "\n"
)


class Stream(io.BytesIO):
    name = "train.conllu"


def read(text: str | bytes) -> list[Sentence]:
    return list(read_sentences(Stream(text.encode() if isinstance(text, str) else text)))


def written(sentences: list[Sentence]) -> str:
    return "".join(map(str, sentences))


@pytest.mark.parametrize("text", [RICH, RICH.replace("\n", "\r\n"), "\n\n" + SMALL * 3, ""])
def test_text_is_read_as_its_bytes_are(text: str, tmp_path: Path) -> None:
    assert written([*read_sentences(io.StringIO(text))]) == text
    (tmp_path / "train.conllu").write_text(text, newline="")
    with open(tmp_path / "train.conllu", newline="") as stream:
        read_as_text = [*read_sentences(stream)]
    assert read_as_text == [*read_sentences(tmp_path / "train.conllu")]


def test_errors_in_text_are_placed() -> None:
    with pytest.raises(InputError, match=r"10 columns .* at the given stream:1"):
        next(read_sentences(io.StringIO("1\tPeter\n\n")))
    with pytest.raises(
        InputError, match=r"0xed is no part of a text in UTF-8, .* at the given stream:2, byte 3"
    ):
        next(read_sentences(io.StringIO(row(1) + row(2, "\ud800") + "\n")))


@pytest.mark.parametrize("source", [None, 7, SMALL.encode(), [SMALL]])
def test_what_is_no_source_is_told(source: Any) -> None:
    with pytest.raises(InputError, match=r"from the path of a file or from a stream, and .* is neither"):
        next(read_sentences(source))


# --- what is read -----------------------------------------------------------------------------------------


def test_a_sentence_tells_its_comments_words_and_heads() -> None:
    (sentence,) = read(RICH)
    assert sentence.comments[1:] == ("# text = twice the same key", "#", "#no space, no value")
    assert [word.id for word in sentence.words] == ["1", "2", "3", "4"]
    assert sentence.heads == [2, 3, 0, None]
    word = sentence.words[2]
    assert (word.form, word.upos, word.head, word.deprel, word.misc) == (
        "chat  qui dort",
        "X",
        "0",
        "dep",
        "_",
    )


def test_words_know_where_they_stand_in_the_file() -> None:
    sentences = read(SMALL + "\n" + RICH)
    assert sentences[0].where(2, "head") == "train.conllu:3, column HEAD"
    assert sentences[1].where(1, "misc") == "train.conllu:12, column MISC"
    assert sentences[1].with_comment("# more").where(1, "misc") == "train.conllu:12, column MISC"


def test_tokens_are_those_of_the_conllu_package_where_it_splits_right() -> None:
    text = RICH.replace("chat  qui", "chat qui").replace("space ", "space").replace("\u00a0", "")
    (theirs,) = conllu.parse(text)
    (ours,) = read(text)
    assert ours.tokens == theirs
    assert ours.tokens[1]["misc"] == {"Gloss": "of", "SpaceAfter": "No"}
    assert ours.tokens[1]["id"] == (1, "-", 2)


def test_tokens_keep_forms_with_two_spaces_whole() -> None:
    (sentence,) = read(RICH.replace("\n", "\r\n"))
    assert sentence.tokens[6]["form"] == "chat  qui dort"
    assert sentence.tokens[6]["misc"] is None


@each("end", ["\n", "\r\n"])
@each("blank", ["", "\n", " \n\r\n\t\n"])
def test_everything_survives_reading_and_writing(end: str, blank: str) -> None:
    text = blank + (RICH + blank + SMALL + blank).replace("\n", end)
    sentences = read(text)
    assert written(sentences) == text
    assert [len(sentence.words) for sentence in sentences] == [4, 2]
    assert sentences[1].heads == [2, 0]


def characters(without: str) -> st.SearchStrategy[str]:
    return st.characters(exclude_categories=["Cs"], exclude_characters=without)


LINE_ENDS = st.sampled_from(["\n", "\r\n"])
BLANK_LINES = st.lists(st.sampled_from(["\n", "\r\n", "  \n"]), min_size=1, max_size=3).map("".join)
VALUES = st.text(characters("\t\n\0"), min_size=1, max_size=5).filter(lambda value: value != "\r")
COMMENTS = st.text(characters("\n\0"), max_size=10).map("#{}".format)


@st.composite
def sentences_as_text(draw: st.DrawFn) -> str:
    """Any sentence: words with their heads, and empty nodes and ranges among them."""
    length = draw(st.integers(1, 6))
    lines, range_end = draw(st.lists(COMMENTS, max_size=3)), 0
    for word in range(1, length + 1):
        ids = [str(word)] + [f"{word}.{node}" for node in range(1, draw(st.integers(1, 3)))]
        if word > range_end and draw(st.booleans()):
            range_end = draw(st.integers(word, length))
            ids.insert(0, f"{word}-{range_end}")
        for id_ in ids:
            heads = ["_", *map(str, {*range(length + 1)} - {word})] if id_ == str(word) else ["_"]
            before, after = (draw(st.lists(VALUES, min_size=size, max_size=size)) for size in (5, 3))
            lines.append("\t".join([id_, *before, draw(st.sampled_from(heads)), *after]))
    return "".join(line + draw(LINE_ENDS) for line in lines) + draw(BLANK_LINES)


@pytest.mark.slow
@given(st.lists(sentences_as_text(), max_size=4).map("".join))
def test_any_treebank_survives_reading_and_writing(text: str) -> None:
    assert written(read(text)) == text


@pytest.mark.slow
@given(sentences_as_text())
def test_changes_that_change_nothing_and_changes_undone_give_the_text_back(text: str) -> None:
    (sentence,) = read(text)
    same_heads = {number: {"head": word.head} for number, word in enumerate(sentence.words, 1)}
    assert sentence.with_columns(same_heads) == sentence
    assert sentence.with_comment("# to be undone").without_comment("# to be undone") == sentence


if TREEBANKS:

    @pytest.mark.slow
    @pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
    def test_every_treebank_survives_reading_and_writing(path: Path, tmp_path: Path) -> None:
        with open_output(tmp_path / path.name) as out:
            for sentence in read_sentences(path):
                out.write(str(sentence))
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


class Endless(io.BytesIO):
    def readline(self, size: int | None = -1) -> bytes:
        return super().readline(size) or (self.seek(0), super().readline(size))[1]


def test_a_file_without_end_is_read_in_constant_memory() -> None:
    stream = Endless(SMALL.encode())
    sentences = read_sentences(stream)
    next(sentences)
    tracemalloc.start()
    assert sum(len(sentence.words) for sentence in islice(sentences, 5000)) == 10_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


# --- changes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_changed_columns_leave_all_else_as_it_was(end: str) -> None:
    text = RICH.replace("\n", end)
    (sentence,) = read(text)
    changed = sentence.with_columns({1: {"head": "4"}, 4: {"head": "3", "misc": "A=B|C"}})
    expected = text.replace(row(1, "de", 2)[:-1], row(1, "de", 4)[:-1])
    assert str(changed) == expected.replace("\t_\tdep\t_\t_" + end * 2, "\t3\tdep\t_\tA=B|C" + end * 2)
    assert changed.heads == [4, 3, 0, 3]
    assert str(sentence) == text


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_comes_after_the_others_and_goes_again(end: str) -> None:
    text = SMALL.replace("\n", end)
    (sentence,) = read(text)
    more = sentence.with_comment("# more\tof it")
    assert str(more) == text.replace("bark" + end, f"bark{end}# more\tof it{end}", 1)
    assert more.comments == ("# text = dogs bark", "# more\tof it")
    assert more.without_comment("# text = dogs bark").comments == ("# more\tof it",)
    assert str(more.without_comment("# more\tof it")) == text


@each(
    "column, value, problem",
    [
        (
            "head",
            "1",
            "'1' of 1 has to be _ or a number from 0 to 2 but not 1, at train.conllu:2, column HEAD",
        ),
        (
            "head",
            "3",
            "'3' of 1 has to be _ or a number from 0 to 2 but not 1, at train.conllu:2, column HEAD",
        ),
        (
            "misc",
            "",
            "an empty column has to be filled, with _ if it has no value, at train.conllu:2, column MISC",
        ),
        ("misc", "a\tb", "has to have 10 columns with tabs between them, not 11, at train.conllu:2"),
        ("misc", "a\r", "'a\\r' may not have a line end or NUL in it, at train.conllu:2, column MISC"),
        ("misc", "a\nb", "'a\\nb' may not have a line end or NUL in it, at train.conllu:2, column MISC"),
        ("id", "2", "the id '2' stands where only the word 1,"),
    ],
)
def test_a_change_has_to_leave_the_sentence_right(column: str, value: str, problem: str) -> None:
    (sentence,) = read(SMALL)
    with pytest.raises(InputError) as caught:
        sentence.with_columns({1: {column: value}})
    assert problem in str(caught.value)


@each(
    "number, column, value, problem",
    [
        (0, "head", "0", "no word 0 to change: words are numbered from 1 to 2, in the sentence at train.con"),
        (99, "head", "0", "there is no word 99 to change: words are numbered from 1 to 2"),
        ("1", "head", "0", "there is no word '1' to change"),
        (2, "hed", "0", "there is no column 'hed' to change: use id, form, lemma, upos, "),
        (2, "hed", "0", "misc, at train.conllu:3"),
        (2, "line", "0", "there is no column 'line' to change"),
        (2, "head", 0, "the new text of a column is 0: give a text, at train.conllu:3, column HEAD"),
    ],
)
def test_what_is_not_there_cannot_be_changed(number: Any, column: str, value: Any, problem: str) -> None:
    (sentence,) = read(SMALL)
    with pytest.raises(InputError) as caught:
        sentence.with_columns({number: {column: value}})
    assert problem in str(caught.value)


@pytest.mark.parametrize("comment", ["no sign", "# two\nlines", "# carriage return\r"])
def test_a_comment_has_to_be_one_line_after_a_number_sign(comment: str) -> None:
    (sentence,) = read(SMALL)
    with pytest.raises(InputError, match=r"at train\.conllu:2"):
        sentence.with_comment(comment)


# --- bad input --------------------------------------------------------------------------------------------


def fault_of(reading: Callable[[], object]) -> tuple[str, str]:
    """What is wrong in train.conllu, and where."""
    with pytest.raises(InputError) as caught:
        reading()
    said, _, where = str(caught.value).rpartition(", at train.conllu:")
    return said, where


@each(
    "text, what, place",
    [
        (row(1).replace("\tX", ""), "has to have 10 columns with tabs between them, not 9", "6"),
        (row(1, "a\tb"), "has to have 10 columns with tabs between them, not 11", "6"),
        ("hello world\n", "the row 'hello world' has to have 10 columns with tabs between them, not 1", "6"),
        (row(1) + "# late\n", "the comment '# late' has to stand before the words", "7"),
        (row(1) + row("# late", head="_"), "the comment '# late\\tx\\t_", "7"),
        (row(1, ""), "an empty column has to be filled, with _ if it has no value", "6, column FORM"),
        (row(1, misc=""), "an empty column", "6, column MISC"),
        (row(1, head=""), "an empty column", "6, column HEAD"),
        (row(2), "the id '2' stands where only the word 1, the empty node 0.1 or a range", "6, column ID"),
        (row(0), "the id '0' stands", "6, column ID"),
        (row(1) + row(3), "the id '3' stands where only the word 2, the empty node 1.1", "7, column ID"),
        (row(1) + row(1), "the id '1' stands where only the word 2", "7, column ID"),
        (row("01"), "the id '01' stands", "6, column ID"),
        (row("_"), "the id '_' stands", "6, column ID"),
        (row("\uff11"), "the id '\uff11' stands", "6, column ID"),
        (row("9" * 5000), "the id '" + "9" * 40 + "'... stands", "6, column ID"),
        (row("2-1", head="_") + row(1), "the id '2-1' stands", "6, column ID"),
        (row("1-1-1", head="_") + row(1), "the id '1-1-1' stands", "6, column ID"),
        (row("1-", head="_") + row(1), "the id '1-' stands", "6, column ID"),
        (row(1) + row("1-2", head="_") + row(2), "or a range of words from 2 on can", "7, column ID"),
        (row(1) + row("2-1", head="_") + row(2), "or a range of words from 2 on can", "7, column ID"),
        (
            row("1-2", head="_") + row(1) + row("2-3", head="_") + row(2) + row(3),
            "the id '2-3' stands where only the word 2, the empty node 1.1 can",
            "8, column ID",
        ),
        (
            row(1) + row("2-3", head="_") + row(2),
            "the range has to end within the sentence, at word 2 or before it",
            "7, column ID",
        ),
        (row(1) + row("1.2", head="_"), "the id '1.2' stands", "7, column ID"),
        (row(1) + row("2.1", head="_"), "the id '2.1' stands", "7, column ID"),
        (row(1) + row("1.1", head="_") * 2, "the id '1.1' stands", "8, column ID"),
        (row(1, head="x"), "'x' of 1 has to be _ or a number from 0 to 1 but not 1", "6, column HEAD"),
        (row(1) + row(2, head=2), "'2' of 2 has to be _ or a number from 0 to 2 but not 2", "7, column HEAD"),
        (row(1, head=2), "the head '2' of 1 has to be _ or a number", "6, column HEAD"),
        (row(1, head=-1), "the head '-1' of 1 has to be _ or a number", "6, column HEAD"),
        (row(1, head="00"), "the head '00' of 1 has to be _ or a number", "6, column HEAD"),
        (row(1, head="0 "), "the head '0 ' of 1 has to be _ or a number", "6, column HEAD"),
        (row(1, head="\uff10"), "the head '\uff10' of 1 has to be _ or a number", "6, column HEAD"),
        (row("1-2", head=1) + row(1) + row(2), "the head '1' of 1-2 has to be _", "6, column HEAD"),
        (row(1) + row("1.1", head=1), "the head '1' of 1.1 has to be _", "7, column HEAD"),
        ("# alone\n", "the sentence has no words, add some or delete its lines", "7"),
        (row("0.1", head="_"), "the sentence has no words, add some or delete its lines", "6"),
        (row(1, "\0"), "the byte 0x00 is no part of a text in UTF-8, save the file as UTF-8", "6, byte 3"),
    ],
)
def test_a_fault_is_told_with_its_line_and_column(text: str, what: str, place: str) -> None:
    sentences = read_sentences(Stream((SMALL + "\n" + text + "\n").encode()))
    assert next(sentences).heads == [2, 0]
    said, where = fault_of(lambda: next(sentences))
    assert what in said
    assert (where, len(said) < 230) == (place, True)


CUT_SHORT = "the file is cut short, a blank line has to end its last sentence"
NO_UTF_8 = "is no part of a text in UTF-8, save the file as UTF-8"


@each(
    "data, what, place",
    [
        (SMALL.encode() + row(1, "\xe9").encode("latin-1"), f"the byte 0xe9 {NO_UTF_8}", "5, byte 3"),
        (SMALL.encode("utf-16"), f"the byte 0xff {NO_UTF_8}", "1, byte 1"),
        (bytes(range(256)) * 20, f"the byte 0x80 {NO_UTF_8}", "2, byte 118"),
        (
            codecs.BOM_UTF8 + SMALL.encode(),
            "a byte order mark stands here, save the file without it",
            "1, byte 1",
        ),
        (b"\0" * 5_000_000, "the line that begins with '\\x00", "1"),
        (SMALL.encode()[:-1], CUT_SHORT, "4"),
        (SMALL.encode()[:-20], CUT_SHORT, "3"),
        (SMALL.encode()[:-1] + b"  ", CUT_SHORT, "4"),
        (b"\n\r\n", "the file has nothing but blank lines, where sentences have to stand", "1"),
    ],
)
def test_a_file_that_is_no_text_or_not_whole_is_refused(data: bytes, what: str, place: str) -> None:
    said, where = fault_of(lambda: read(data))
    assert what in said
    assert (where, len(said) < 280) == (place, True)


SNIPPETS = st.sampled_from([b"\t", b"\n", b"\r", b"#", b"_", b"1", b"-", b".", b" "]) | st.binary(max_size=3)


@given(st.integers(0, len(RICH)), st.integers(0, 3), SNIPPETS)
def test_a_damaged_file_is_refused_or_survives(start: int, removed: int, inserted: bytes) -> None:
    whole = RICH.encode()
    damaged = whole[:start] + inserted + whole[start + removed :] + SMALL.encode()
    with suppress(InputError):
        sentences = read(damaged)
        assert written(sentences).encode() == damaged
        assert all(len(sentence.tokens) == len(sentence.rows) for sentence in sentences)


def test_a_line_and_a_sentence_have_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(treebank, "LONGEST_LINE", 80)
    monkeypatch.setattr(treebank, "LONGEST_SENTENCE", 164)
    assert len(read(SMALL * 5)) == 5
    with pytest.raises(InputError, match=r"begins with '# l+'\.\.\. .* at most 80 bytes, at train\.conllu:5"):
        read(SMALL + "# " + "l" * 1000)
    with pytest.raises(InputError, match=r"more than 164 bytes, at train\.conllu:5"):
        read(SMALL + "# comment\n" * 100)
    with pytest.raises(InputError, match=r"more than 164 bytes, at train\.conllu:4"):
        read(SMALL + "\n" * 1000)


# --- files ------------------------------------------------------------------------------------------------


def add_to_all(path: Path, comment: str) -> None:
    with open_output(path) as out:
        for sentence in read_sentences(path):
            out.write(str(sentence.with_comment(comment)))


@pytest.mark.parametrize("name", ["bank.conllu", "bank.conllu.gz"])
def test_a_file_can_be_read_and_written_in_one_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(SMALL.encode()) if name.endswith(".gz") else SMALL.encode())
    for comment in ("# once", "# twice"):
        add_to_all(path, comment)
    (sentence,) = read_sentences(str(path))
    assert sentence.comments == ("# text = dogs bark", "# once", "# twice")


def test_a_fault_in_the_middle_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "bank.conllu"
    path.write_text(SMALL + row(2) + "\n")
    with pytest.raises(InputError, match="column ID"):
        add_to_all(path, "# new")
    assert path.read_text() == SMALL + row(2) + "\n"
    assert list(tmp_path.iterdir()) == [path]


def copied_by_a_process(text: str) -> subprocess.CompletedProcess[bytes]:
    """What comes of copying `text` from standard input to standard output."""
    code = (
        "from treewhile.incremental.output_files import open_output\n"
        "from treewhile.incremental.treebanks.treebank import read_sentences\n"
        "with open_output('-') as out:\n"
        "    for sentence in read_sentences('-'):\n"
        "        out.write(str(sentence))\n"
    )
    return subprocess.run([sys.executable, "-c", code], input=text.encode(), capture_output=True, timeout=60)


def test_a_dash_is_standard_input_and_output() -> None:
    text = RICH.replace("\n", "\r\n")
    done = copied_by_a_process(text)
    assert (done.stdout.decode(), done.stderr) == (text, b"")


def test_a_fault_in_standard_input_comes_after_the_sentences_before_it() -> None:
    done = copied_by_a_process(SMALL + row(2) + "\n")
    assert b"at standard input:5, column ID" in done.stderr
    assert done.stdout.decode() == SMALL


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "No such file or directory"),
        ("folder", "Is a directory"),
        ("file/below", "Not a directory"),
        ("plain.gz", "Not a gzipped file"),
        ("short.gz", "Compressed file ended"),
        ("broken.gz", "Error -3 while decompressing"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, reason: str) -> None:
    whole = gzip.compress(SMALL.encode())
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "plain.gz").write_text(SMALL)
    (tmp_path / "short.gz").write_bytes(whole[:-12])
    (tmp_path / "broken.gz").write_bytes(whole[:10] + b"\xff" * 20)
    with pytest.raises(InputError) as caught:
        list(read_sentences(tmp_path / name))
    assert str(caught.value).startswith(f"cannot read {tmp_path / name}: {reason}")


# --- new sentences ----------------------------------------------------------------------------------------


def test_a_sentence_of_words_can_be_written_and_read() -> None:
    sentence = Sentence.of_words(["Just", "10 000", "."])
    assert str(sentence) == (
        "# text = Just 10 000 .\n"
        "1\tJust\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "2\t10 000\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    assert str(next(read_sentences(io.BytesIO(str(sentence).encode())))) == str(sentence)
    assert sentence.with_columns({1: {"head": "0"}}).heads == [0, None, None]


@each("words", ["Peter", [], [""], ["a\tb"], ["a\n"], ["a", 2], ["a", None]])
def test_what_is_no_list_of_words_becomes_no_sentence(words: Any) -> None:
    with pytest.raises(InputError):
        Sentence.of_words(words)


def test_rows_behind_others_are_checked_and_end_as_those_do() -> None:
    sentence = Sentence.of_words(["a"]).with_rows_behind(["1.1\tb" + "\t_" * 8])
    assert [row.form for row in sentence.empty_nodes] == ["b"]
    assert len(sentence.words) == 1
    with pytest.raises(InputError, match=r"stands where only the word 2, the empty node 1\.1"):
        Sentence.of_words(["a"]).with_rows_behind(["1.2\tb" + "\t_" * 8])
    with pytest.raises(InputError, match="may not have a line end"):
        Sentence.of_words(["a"]).with_rows_behind(["1.1\tb\n" + "\t_" * 8])
