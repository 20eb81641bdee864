from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from pipes import read_one_byte
from select import select

import pytest
from command_runs import PROCESS, WITH_SIGINT, command, wait_until
from process_lists import group_exists

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.constituents.bracketed_trees import read_trees
from treewhile.incremental.parsers.model_files import read_model, write_model
from treewhile.incremental.parsers.parsed_treebank import parse_sentences
from treewhile.incremental.parsers.parsing import Model, read_parser
from treewhile.oracles.constituents.phrase_trees import Constituent, constituents_of
from treewhile.server.commands.parse import is_text

TREEBANK = """\
# sent_id = a
# text = the dog barks.
1	the	the	X	Y	_	_	_	_	_
2-3	dog's	_	_	_	_	_	_	_	SpaceAfter=No
2	dog	dog	NOUN	NN	Number=Sing	0	root	0:root	A=b
3	's	be	AUX	_	_	2	cop	2:cop	_
3.1	elided	_	_	_	_	_	_	0:root	_


1	ξένος	_	_	_	_	_	_	_	_
2	🎉	_	_	_	_	_	_	_	_

"""
TEXT = "the dog cannot bark.\n\nthe cat sees\n"

run = command("parse")


@pytest.fixture(scope="session")
def option(model_file: Callable[..., Path]) -> str:
    return f"--model={model_file()}"


@pytest.fixture(scope="session")
def phrasing(model_file: Callable[..., Path]) -> str:
    return f"--model={model_file(with_spans=True)}"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    (tmp_path / "in.conllu").write_text(TREEBANK)
    return tmp_path / "in.conllu"


def read(text: str) -> list[Sentence]:
    return [*read_sentences(io.BytesIO(text.encode()))]


def parsed(model: Model, text: str) -> str:
    return "".join(map(str, parse_sentences(model, [*read(text)])))


# --- treebanks --------------------------------------------------------------------------------------------


def test_trees_of_another_class_are_given_where_they_are_asked_for(option: str, bank: Path) -> None:
    empty = "\t_" * 8
    words = ["dog", "the", "sees", "barks", "old", "cat"] * 4
    bank.write_text("".join(f"{n}\t{word}{empty}\n" for n, word in enumerate(words, 1)) + "\n")
    found = {trees: run(option, *trees, bank).stdout for trees in ((), ("--trees", "mh4"))}
    model = read_parser(option.removeprefix("--model=")).with_trees("mh4")
    assert found["--trees", "mh4"] == "".join(map(str, parse_sentences(model, [*read_sentences(bank)])))
    assert found["--trees", "mh4"] != found[()], "a network that learnt nothing lets some edges cross"
    refused = run(option, "--trees", "planar", bank)
    assert (refused.exit_code, "'planar' is not one of 'projective'" in refused.stderr) == (2, True)


def test_a_treebank_is_written_with_what_the_model_says(
    bank: Path, option: str, model: Model, tmp_path: Path
) -> None:
    result = run(option, bank, tmp_path / "out.conllu")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "out.conllu").read_text() == parsed(model, TREEBANK)


def test_standard_output_is_where_it_goes_if_nothing_is_said(bank: Path, option: str, model: Model) -> None:
    for arguments in ([bank], [bank, "-"], ["-"], ["-", "-"]):
        result = run(option, *arguments, text=TREEBANK)
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout_bytes.decode() == parsed(model, TREEBANK)


def test_a_name_in_gz_is_compressed(option: str, model: Model, tmp_path: Path) -> None:
    (tmp_path / "in.conllu.gz").write_bytes(gzip.compress(TREEBANK.encode()))
    run(option, tmp_path / "in.conllu.gz", tmp_path / "out.gz")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).decode() == parsed(model, TREEBANK)


@pytest.mark.parametrize("name", ["in.conllu", "./in.conllu", "link", "hard"])
def test_what_is_read_is_not_overwritten(name: str, bank: Path, option: str) -> None:
    (bank.parent / "link").symlink_to(bank)
    (bank.parent / "hard").hardlink_to(bank)
    result = run(option, bank, f"{bank.parent}/{name}")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"treewhile: OUT is IN, which would be lost, {bank}: name another OUT\n"
    assert bank.read_text() == TREEBANK


def test_an_empty_treebank_is_one(option: str, tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_text("")
    for arguments in ([tmp_path / "in.conllu"], ["-"]):
        result = run(option, *arguments)
        assert (result.exit_code, result.output) == (0, "")


@pytest.mark.parametrize(("tags", "kept"), [("gold-upos", ["NOUN"]), ("gold", ["NOUN", "Number=Sing"])])
def test_gold_tags_are_kept(
    tags: str, kept: list[str], bank: Path, make_model: Callable[..., Model], model_file: Callable[..., Path]
) -> None:
    result = run(f"--model={model_file(tags=tags)}", bank)
    assert result.stdout == parsed(make_model(tags=tags), TREEBANK)
    word = read(result.stdout)[0].words[1]
    assert {word.upos, word.feats} >= {*kept}


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_more_processes_give_the_same(arguments: list[str], option: str, tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_text(TREEBANK * 40)
    outputs = [run(option, *arguments, tmp_path / "in.conllu", "--jobs", jobs).stdout for jobs in (1, 2)]
    assert outputs[0] == outputs[1]
    assert outputs[0].count("\n") == (80 if arguments else TREEBANK.count("\n") * 40)


@pytest.mark.slow
def test_a_sentence_appears_when_the_next_one_begins(option: str, model: Model) -> None:
    expected = parsed(model, TREEBANK).encode().splitlines(keepends=True)
    first = TREEBANK.index("1\tξ") + 2
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command, pipes = [*PROCESS, "parse", option, "-"], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=buffered, **pipes) as one:
        assert one.stdin
        assert one.stdout
        one.stdin.write(TREEBANK[:first].encode() + "ξένος\t_\t_\t_\t_\t_\t_\t_\t_\n".encode())
        one.stdin.flush()
        assert lines_soon(one.stdout.fileno(), 9) == expected[:9]
        rest, _ = one.communicate("2\t🎉\t_\t_\t_\t_\t_\t_\t_\t_\n\n".encode(), timeout=60)
    assert rest == b"".join(expected[9:])


def lines_soon(descriptor: int, count: int) -> list[bytes]:
    """So many lines of a pipe, if they come before long."""
    text = b""
    while text.count(b"\n") < count and select([descriptor], [], [], 30)[0]:
        text += os.read(descriptor, 1000)
    return text.splitlines(keepends=True)


def test_json_has_one_object_for_every_sentence(bank: Path, option: str, model: Model) -> None:
    lines = [json.loads(line) for line in run(option, "--json", bank).stdout.splitlines()]
    analysis = model.parse(["ξένος", "🎉"])
    assert [line["words"] for line in lines] == [["the", "dog", "'s"], ["ξένος", "🎉"]]
    assert (lines[1]["heads"], lines[1]["labels"]) == ([*analysis.heads], [*analysis.labels])
    assert (lines[1]["expected"], lines[1]["is_open"]) == ([], False)


@pytest.mark.slow
def test_a_sentence_of_two_thousand_words(option: str) -> None:
    rows = (f"{number}\tx{number}" + "\t_" * 8 + "\n" for number in range(1, 2001))
    result = run(option, "-", text="".join(rows) + "\n")
    assert result.exit_code == 0
    assert result.stdout.count("\troot\t") == 1


# --- raw text ---------------------------------------------------------------------------------------------


def test_raw_text_becomes_a_treebank(option: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(TEXT)
    sentences = read(run(option, tmp_path / "in.txt").stdout)
    assert run(option, "-", text=TEXT).stdout == "".join(map(str, sentences))
    assert [sentence.comments for sentence in sentences] == [
        ("# sent_id = 1", "# text = the dog cannot bark."),
        ("# sent_id = 2", "# text = the cat sees"),
    ]
    assert [word.form for word in sentences[0].words] == ["the", "dog", "can", "not", "bark", "."]
    assert sentences[0].rows[2] == "3-4\tcannot\t_\t_\t_\t_\t_\t_\t_\t_"
    assert [word.misc for word in sentences[0].words] == ["_", "_", "_", "_", "SpaceAfter=No", "_"]
    assert all(None not in sentence.heads for sentence in sentences)


def test_raw_text_needs_a_segmenter(model_file: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(TEXT)
    option = f"--model={model_file(with_segmenter=False)}"
    for arguments in ([tmp_path / "in.txt", tmp_path / "out"], ["the dog barks"]):
        result = run(option, *arguments)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert result.stderr.startswith("treewhile: the model was trained without raw text, so it cannot")
    assert not (tmp_path / "out").exists()


def test_phrases_are_trees_in_brackets(bank: Path, phrasing: str) -> None:
    result = run(phrasing, "--constituents", bank)
    assert result.exit_code == 0
    trees = [*read_trees(io.BytesIO(result.stdout.encode()))]
    assert [tree.words for tree in trees] == [("the", "dog", "'s"), ("ξένος", "🎉")]
    assert [tree.phrase.label for tree in trees] == ["ROOT", "ROOT"]
    lines = [json.loads(line) for line in run(phrasing, "--constituents", "--json", bank).stdout.splitlines()]
    told = [[Constituent(*one) for one in line["constituents"]] for line in lines]
    assert [[*constituents_of(tree.phrase)[1:]] for tree in trees] == told


def test_words_with_blanks_stand_in_brackets(phrasing: str) -> None:
    line = "1\tten thousand\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    assert "ten_thousand)" in run(phrasing, "--constituents", "-", text=line).stdout


@pytest.mark.parametrize("source", ["the dog", "-"])
def test_a_model_without_phrases_is_told(source: str, option: str) -> None:
    result = run(option, "--constituents", source, text=TREEBANK)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("treewhile: the model has no constituents: learn them with")


# --- a text at the prompt ---------------------------------------------------------------------------------


def test_a_text_is_drawn_with_what_must_still_come(option: str) -> None:
    result = run(option, "the very old")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    drawing = lines[: lines.index("")]
    assert drawing[-1].split()[:4] == ["root", "the", "very", "old"]
    assert drawing[-2].count("▼") >= 3
    rows = [line.split() for line in lines[len(drawing) + 3 :]]
    assert [row[:2] for row in rows[:3]] == [["1", "the"], ["2", "very"], ["3", "old"]]
    assert {row[0] for row in rows[3:]} <= {"[NOUN]", "[VERB]"}


def test_phrases_of_a_text_are_drawn_and_written(phrasing: str) -> None:
    result = run(phrasing, "--constituents", "the very old")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    drawing = lines[: lines.index("")]
    assert drawing[-1].split() == ["the", "very", "old"]
    [line] = run(phrasing, "--constituents", "--json", "the very old").stdout.splitlines()
    assert "".join(drawing).count("┌") == len(json.loads(line)["constituents"])
    [tree] = read_trees(io.BytesIO("\n".join(lines[len(drawing) + 1 :]).encode()))
    assert tree.words == ("the", "very", "old")


def test_the_last_sentence_is_open_unless_it_ends(option: str) -> None:
    def parts(text: str) -> list[tuple[list[str], bool]]:
        lines = map(json.loads, run(option, "--json", text).stdout.splitlines())
        return [(line["words"], line["is_open"]) for line in lines]

    assert parts("the dog barks") == [(["the", "dog", "barks"], True)]
    assert parts("the dog barks.") == [(["the", "dog", "barks", "."], False)]
    assert parts("the dog\n\nthe cat") == [(["the", "dog"], False), (["the", "cat"], True)]
    assert parts("the dog\n\n") == [(["the", "dog"], False)]


def test_several_sentences_stand_apart(option: str) -> None:
    printed = run(option, "the dog\n\nthe cat").stdout
    assert printed.index("root the dog") < printed.index("\n\n  ") < printed.index("root the cat")


def test_a_file_is_no_text_even_if_it_is_missing(tmp_path: Path) -> None:
    assert is_text("Peter drives")
    assert is_text("I like treebanks.")
    assert not is_text("Peter")
    assert not is_text("my letter.txt")
    assert not is_text("my bank.conllu")
    (tmp_path / "a name").write_text("")
    assert not is_text(str(tmp_path / "a name"))


@pytest.mark.parametrize("name", ["hello", "letter", "--", "hello."])
def test_a_word_that_is_no_file_is_told_where_it_can_be_parsed(name: str, option: str) -> None:
    result = run(option, "--", name)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    assert result.stderr.startswith(f"treewhile: there is no file {name!r}, and a text at the prompt has two")


@pytest.mark.parametrize("source", ["", " ", "\n"])
def test_nothing_is_no_text(source: str, option: str) -> None:
    result = run(option, source)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "treewhile: IN is empty: name a file, or give a text of two words or more\n"


@pytest.mark.parametrize("name", ["mising.conllu", "my letter.txt", "folder/letter"])
def test_a_mistyped_name_is_told(name: str, option: str) -> None:
    result = run(option, name)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == f"treewhile: cannot read {name}: No such file or directory\n"


# --- what is refused --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_word_that_is_too_long_is_told_with_its_place(jobs: int, option: str, tmp_path: Path) -> None:
    text = TREEBANK.replace("🎉", "x" * 10_001)
    result = run(option, "--jobs", jobs, "-", tmp_path / "out", text=text)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("treewhile: the form 'xxx")
    assert result.stderr.endswith(", at standard input:11, column FORM\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_sentences_before_a_bad_one_come_out(jobs: int, option: str, model: Model) -> None:
    result = run(option, "--jobs", jobs, "-", text=TREEBANK + "1\tcut short\n")
    assert result.exit_code == 1
    assert result.stdout_bytes.decode() == parsed(model, TREEBANK)


def test_a_model_that_is_none_is_told_in_one_line(model_file: Callable[..., Path], tmp_path: Path) -> None:
    whole = model_file().read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "random").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "empty").write_bytes(b"")
    newer = read_model(model_file())
    write_model(tmp_path / "newer", type(newer)(newer.arrays, {**newer.information, "version": 99}))
    for name in ("cut", "random", "empty", "newer", "missing"):
        result = run(f"--model={tmp_path / name}", "the dog")
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert str(tmp_path / name) in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument 'IN'"),
        (["in", "out", "more"], "unexpected extra argument"),
        (["in", "--jobs", "0"], "0 is not in the range x>=1"),
    ],
)
def test_bad_usage_ends_with_2(arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr


# --- processes --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compiled() -> None:
    """All kernels that parsing takes, so that nobody has to be told of compiling."""
    subprocess.run([*PROCESS, "parse", "-"], input=b"The dog barks.\n", check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
@pytest.mark.parametrize("seconds", [0, 3])
def test_a_signal_ends_all_processes_without_a_word(
    number: signal.Signals, code: int, seconds: int, option: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", WITH_SIGINT, "parse", option, "--jobs", "2", "-", str(tmp_path / "out")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, start_new_session=True, **pipes) as process:
        process.stdin.write(TREEBANK.encode() * 20)
        process.stdin.flush()
        wait_until(lambda: len(list(tmp_path.iterdir())) > 0)
        time.sleep(seconds)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # as a terminal does
        else:
            process.send_signal(number)
        printed, messages = process.communicate(timeout=60)
    assert (process.returncode, printed) == (code, b"")
    assert messages == b"" or number == signal.SIGKILL, "then a process may miss what it was to start with"
    assert not (tmp_path / "out").exists()
    wait_until(lambda: not group_exists(process.pid))


@pytest.mark.slow
@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_reader_who_has_enough_ends_it_in_silence(jobs: int, option: str) -> None:
    command = [*PROCESS, "parse", option, "--jobs", str(jobs), "-"]
    left = read_one_byte(command, TREEBANK.encode())
    assert (left.code, left.messages) == (141, b"")
    wait_until(lambda: not group_exists(left.pid))


# --- other languages --------------------------------------------------------------------------------------

HEBREW = "אתמול קראתי ספר מעניין מאוד."
DUTCH = "weet jij of de winkel op de hoek vandaag nog open is?"
PORTUGUESE = "você sabe se a padaria da esquina ainda está aberta hoje?"


@pytest.fixture
def english(option: str, tmp_path: Path) -> str:
    file = read_model(option.removeprefix("--model="))
    write_model(
        tmp_path / "english.safetensors", replace(file, information={**file.information, "language": "en"})
    )
    return f"--model={tmp_path / 'english.safetensors'}"


@pytest.mark.parametrize("text", [HEBREW, "我昨天 读了一本书。", "Привет мир"])
def test_a_text_in_an_unknown_script_is_refused(option: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(text)
    given = [[option, tmp_path / "in.txt"], [option, tmp_path / "in.txt", tmp_path / "out.conllu"]]
    for result in (run(option, text), *(run(*some) for some in given)):
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)
        assert result.stderr.startswith("treewhile: the text is in ")
        assert "with --model (installed are af, " in result.stderr
    assert not (tmp_path / "out.conllu").exists()


def test_a_stream_in_an_unknown_script_is_refused(option: str) -> None:
    result = run(option, "-", text=f"{HEBREW}\n\n{HEBREW}\n")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1)


def test_a_name_in_another_script_is_parsed(option: str) -> None:
    result = run(option, "-", text="Владимир sees the dog.\n")
    assert (result.exit_code, result.stderr) == (0, "")


def test_another_language_is_told_once_and_changes_nothing(english: str, option: str, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(f"{DUTCH}\n\n" * 40)
    here, there = run(english, tmp_path / "in.txt"), run(option, tmp_path / "in.txt")
    assert here.stdout == there.stdout
    looks = f"treewhile: {tmp_path / 'in.txt'} looks like Dutch, and the model knows English"
    assert here.stderr == f"{looks}: choose --model nl\n"
    assert there.stderr == ""


def test_it_is_said_where_no_model_is_installed(english: str, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"af": Path("af"), "en": Path("en")}
    monkeypatch.setattr("treewhile.server.commands.text_notices.installed_models", lambda: names)
    result = run(english, PORTUGUESE)
    looks = "treewhile: the text looks like Portuguese, and the model knows English"
    assert result.stderr == f"{looks}: no model of Portuguese is installed, but af, en\n"
    assert result.exit_code == 0


def test_the_language_of_a_stream_is_told_when_it_is_sure(english: str) -> None:
    result = run(english, "-", text=f"the dog\n\n{DUTCH}\n\n{DUTCH}\n\n")
    assert (result.exit_code, result.stderr.count("looks like Dutch")) == (0, 1)
    assert result.stderr.startswith("treewhile: standard input looks like Dutch")
