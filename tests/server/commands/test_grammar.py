"""The commands of people who write grammars."""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import small_treebanks
from command_runs import command
from small_sentences import conllu_of

from treewhile.incremental.constraints import installed_grammars
from treewhile.incremental.constraints.workbench.tuning import Tuner
from treewhile.oracles.errors import InputError
from treewhile.server.commands import grammar
from treewhile.server.commands.serve import grammars_by_model
from treewhile.server.work.engines import Engines
from treewhile.server.work.served_models import ServedModels

GRAMMAR = """
# Mine.
section order
constraint "det left" penalty 0.5, X: X.relation = det -> X.direction = left
constraint "one det" penalty 0.25, X and Y under one head: not (X.relation = det and Y.relation = det)
"""
SENTENCES = (
    "the/DET/2/det dog/NOUN/3/nsubj barks/VERB/0/root",
    "dog/NOUN/3/nsubj the/DET/1/det barks/VERB/0/root",
    "barks/VERB/0/root",
)

run = command("grammar")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.constraints").write_text(GRAMMAR)
    return tmp_path / "mine.constraints"


HEADS_FIRST = """
include predictors
constraint "one root" penalty 0, X and Y under one head: not is_root(X.head)
constraint "heads first" penalty 0, X: X.direction = right
"""


@pytest.fixture
def heads_first(tmp_path: Path) -> Path:
    (tmp_path / "heads_first.constraints").write_text(HEADS_FIRST)
    return tmp_path / "heads_first.constraints"


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    (tmp_path / "gold.conllu").write_text(conllu_of(*SENTENCES))
    return tmp_path / "gold.conllu"


# --- all ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", grammar.SUMMARIES)
def test_every_command_has_a_help_text_with_an_example(name: str) -> None:
    assert f"\n    treewhile grammar {name}" in run(name, "--help").stdout


def test_commands_are_listed_where_none_is_named() -> None:
    result = run()
    assert (result.exit_code, result.stdout) == (2, "")
    assert all(summary in result.stderr for summary in grammar.SUMMARIES.values())


# --- list and show ------------------------------------------------------------------------------------------


def test_installed_grammars_are_listed() -> None:
    listed = run("list").stdout
    assert all(f"\n{name} " in listed for name in installed_grammars())
    said = json.loads(run("list", "--json").stdout)
    assert [*said] == [*installed_grammars()]
    assert said["general"]["includes"] == ["universal", "predictors"]
    assert said["predictors"]["predictors"] == ["committed"]
    assert said["predictors"]["sections"]["predictors"] + said["predictors"]["sections"]["scores"] == 5


def test_a_grammar_is_shown_in_the_words_of_its_author(mine: Path) -> None:
    assert run("show", mine).stdout == GRAMMAR
    assert "section roots\n" in run("show", "general").stdout
    (first, second) = json.loads(run("show", mine, "--json").stdout)["constraints"]
    assert first == {
        "constraint": "det left",
        "section": "order",
        "weighs": True,
        "tells": False,
        "penalty": 0.5,
        "edges": "one_edge",
        "file": str(mine),
        "line": 4,
    }
    assert second["edges"] == "under_one_head"


def test_a_grammar_that_is_missing_is_told() -> None:
    result = run("show", "nowhere")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "there is neither an installed grammar nor a file named 'nowhere'" in result.stderr


# --- check --------------------------------------------------------------------------------------------------

WRONG = """
constraint "a" penalty 0.5, X: X.label = subj
constraint "b" penalty 2, X: X.tag = VERB
constraint "c" penalty 0.5, X: X.tag = 3
set s = {
constraint "d" penalty 0.5, X: has(X, {nsubject}) and X.Numerus = Sing or X.Number = Singular
"""


def test_all_mistakes_are_told_with_their_places(tmp_path: Path, model_file: Callable[..., Path]) -> None:
    path = tmp_path / "wrong.constraints"
    path.write_text(WRONG)
    result = run("check", path, "--model", model_file())
    lines = result.stdout.splitlines()
    assert result.exit_code == 1
    assert result.stderr == (f"treewhile: {path} has 7 mistakes: correct what is listed on standard output\n")
    assert [line.removeprefix(f"{path}:").split(": ")[0] for line in lines] == [
        *("2:42", "3:24", "4:38", "6:1", "6:40", "6:57", "6:86")
    ]
    assert "nsubj" in lines[0]
    said = run("check", path, "--json")
    assert said.exit_code == 1
    mistakes = json.loads(said.stdout)["mistakes"]
    assert [*mistakes[0]] == ["line", "column", "message", "file"]
    assert len(mistakes) == 3


@pytest.mark.parametrize("name", installed_grammars())
def test_installed_grammars_have_no_mistakes(name: str, model_file: Callable[..., Path]) -> None:
    result = run("check", name, "--model", model_file())
    assert (result.exit_code, result.stderr) == (0, "")


def test_what_labels_decide_is_noted(tmp_path: Path, model_file: Callable[..., Path]) -> None:
    path = tmp_path / "idle.constraints"
    path.write_text(
        'constraint "holds" penalty 0.5, X: X.label = obj -> X.relation = obj\n'
        'constraint "fails" penalty 0.5, X: X.label = det and X.label = obj\n'
        'constraint "no det" penalty 0, X: X.label != det\n'
    )
    said = json.loads(run("check", path, "--model", model_file(), "--json").stdout)
    assert said["mistakes"] == []
    assert [(note["line"], note["message"].split(": ")[0]) for note in said["notes"]] == [
        (1, "the constraint 'holds'"),
        (2, "the constraint 'fails'"),
        (3, "no edge can have the label det"),
    ]
    assert "note: the constraint 'holds'" in run("check", path, "--model", model_file()).stdout


def test_names_that_the_model_gives_no_word_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "far.constraints"
    lines = ["X.Animacy = Anim", "X.Number = Dual", "X.Number in {Dual, Sing}", "exists(X.Animacy)"]
    path.write_text("\n".join(f"constraint c{i} penalty 0.5, X: {line}" for i, line in enumerate(lines)))
    said = json.loads(run("check", path, "--model", "en", "--json").stdout)
    assert said["mistakes"] == []
    assert [(note["line"], note["column"], note["message"]) for note in said["notes"]] == [
        (1, 33, "the model gives no word the feature Animacy"),
        (2, 42, "the model gives no word Number=Dual"),
    ]


def test_contradictions_are_noted_with_a_sentence(tmp_path: Path, model_file: Callable[..., Path]) -> None:
    path = tmp_path / "hard.constraints"
    path.write_text(
        "include universal\n"
        'constraint "verbs are roots" penalty 0, X: X.tag = VERB -> X.relation = root\n'
        'constraint "one root" penalty 0, X and Y of any kind: X.relation != root or Y.relation != root\n'
    )
    said = json.loads(run("check", path, "--model", model_file(), "--json").stdout)
    (note,) = [note for note in said["notes"] if "contradict" in note["message"]]
    assert note["line"] == 3
    assert note["message"] == (
        "'verbs are roots' and 'one root' contradict each other: no tree of .../VERB .../VERB keeps both"
    )


def test_what_always_holds_by_its_names_is_noted(tmp_path: Path, model_file: Callable[..., Path]) -> None:
    path = tmp_path / "idle.constraints"
    path.write_text(
        'constraint "a" penalty 0.5, X: X.tag = DET and X.tag = VERB -> has(X)\n'
        'constraint "b" penalty 0.5, X: X.tag in {DET, VERB} or X.tag != VERB\n'
        'constraint "c" penalty 0.5, X: X.lower = the and not X.lower in {the, a}\n'
        'constraint "d" penalty 0.5, X: X.tag = DET -> X.head.tag = VERB or X.tag = VERB\n'
    )
    said = json.loads(run("check", path, "--model", model_file(), "--json").stdout)
    assert [note["message"] for note in said["notes"]] == [
        "the constraint 'a': its left side can never hold: no tree can break it",
        "the constraint 'b': it always holds: no tree can break it",
        "the constraint 'c': it contradicts itself: every edge breaks it, so it weighs nothing",
    ]


def test_examples_that_fail_are_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "examples.constraints"
    path.write_text(
        "include general\n"
        'constraint "good" penalty 0.9, X: X.tag = DET -> X.direction = left\n'
        '    right "the dog barks ." right "dogs bark ."\n'
        'constraint "bad" penalty 0.9, X: X.tag = DET -> X.direction = left\n'
        '    wrong "the dog barks ."\n'
        'constraint "told", X: X.lower = xx -> X.tag = DET says "no" wrong "the xx barks ."\n'
    )
    result = run("check", path, "--model", "en", "--json")
    (mistake,) = json.loads(result.stdout)["mistakes"]
    assert result.exit_code == 1
    assert (mistake["line"], mistake["column"]) == (5, 11)
    assert mistake["message"] == (
        "the wrong example 'the dog barks .' keeps 'bad': correct either, or take words that the model reads "
        "as you do. It reads the/DET (det of dog), dog/NOUN (nsubj of barks), barks/VERB (root), "
        "./PUNCT (punct of barks)"
    )


@pytest.mark.slow
def test_random_damage_never_hangs_and_is_told_by_place(
    tmp_path: Path, model_file: Callable[..., Path]
) -> None:
    source, path = random.Random(34), tmp_path / "damaged.constraints"
    text = installed_grammars()["alone"].read_text("utf-8").replace("include universal\n", "")
    pieces, model = ['"', "{", ")", "->", "and", "X", "0", "include", "\ufeff", "\0", "\n", " "], model_file()
    for round_ in range(1_000):
        first = source.randrange(len(text))
        cut = first + source.choice([0, 0, 1, 3, 30])
        damaged = text[:first] + source.choice([*pieces, ""]) + text[cut:]
        path.write_text(damaged, "utf-8")
        known = ["--model", model] if round_ % 20 == 0 else []
        start = time.process_time()
        result = run("check", path, "--json", *known)
        assert time.process_time() - start < 5
        mistakes = json.loads(result.stdout)["mistakes"]
        assert result.exit_code == bool(mistakes)
        lines = damaged.count("\n") + 1
        assert all(one["line"] in range(1, lines + 1) and one["column"] > 0 for one in mistakes)


# --- stats --------------------------------------------------------------------------------------------------


def test_constraints_are_counted_on_a_treebank(mine: Path, treebank: Path) -> None:
    lines = run("stats", mine, treebank, "--examples").stdout.splitlines()
    assert lines[2].split() == ["det", "left", "0.5", "2", "1", "50.00"]
    assert lines[-1].strip() == "gold.conllu:5: *dog* *the* barks"


def test_programs_get_counts_with_examples(mine: Path, treebank: Path) -> None:
    said = json.loads(run("stats", mine, treebank, "--json").stdout)
    assert (said["sentences"], said["words"]) == (3, 7)
    first, second = said["constraints"]
    assert (first["cases"], first["broken"], first["remark"]) == (2, 1, "")
    assert first["examples"] == [
        {"sentence": 2, "place": "gold.conllu:5", "words": [1, 2], "text": "*dog* *the* barks"}
    ]
    assert (second["cases"], second["remark"]) == (0, "dead: it never applies")
    assert json.loads(run("stats", mine, treebank, "--json", "--limit", 1).stdout)["words"] == 3


def test_trees_of_a_parser_are_counted_too(
    mine: Path, treebank: Path, model_file: Callable[..., Path]
) -> None:
    said = json.loads(run("stats", mine, treebank, "--json", "--model", model_file()).stdout)
    assert {"cases", "broken", "share", "examples"} == {*said["constraints"][0]["parser"]}
    assert "lift" in run("stats", mine, treebank, "--model", model_file()).stdout


def test_a_treebank_without_trees_is_refused(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "words.conllu").write_text(conllu_of("dog/NOUN/_/_"))
    result = run("stats", mine, tmp_path / "words.conllu")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1


# --- diff ---------------------------------------------------------------------------------------------------


def test_what_an_edit_wins_and_loses_is_shown_by_sentence(
    tmp_path: Path, treebank: Path, heads_first: Path, model_file: Callable[..., Path]
) -> None:
    (tmp_path / "old.constraints").write_text("include predictors\n")
    diff = ("diff", tmp_path / "old.constraints", heads_first, treebank, "--model", model_file())
    first, second = (run(*diff).stdout for _ in range(2))
    assert first == second
    assert "gold.conllu:5 (sentence 2): 0 won, 1 lost, because of 'heads first'" in first
    assert "lost  3 barks: " in first
    assert "sentences changed: 1 of 3" in first
    said = json.loads(run(*diff, "--json").stdout)
    assert (said["won"], said["lost"], said["right_before"] - said["right_after"]) == (0, 1, 1)
    (changed,) = said["changed"]
    assert changed["words"][0]["form"] == "dog"
    assert next(iter(changed["because"])) == "heads first"


# --- explain ------------------------------------------------------------------------------------------------

NO_OBLIQUE = """
include general
constraint "no oblique" penalty 0.001, X: X.lower = telescope -> X.relation != obl
"""
MAN = (
    "I/PRON/2/nsubj saw/VERB/0/root the/DET/4/det man/NOUN/2/obj "
    "with/ADP/7/case a/DET/7/det telescope/NOUN/2/obl ./PUNCT/2/punct"
)


@pytest.fixture
def man(tmp_path: Path) -> tuple[Path, Path]:
    """A grammar that takes another tree than gold for a sentence, and the sentence."""
    (tmp_path / "no_oblique.constraints").write_text(NO_OBLIQUE)
    (tmp_path / "man.conllu").write_text(conllu_of(MAN))
    return tmp_path / "no_oblique.constraints", tmp_path / "man.conllu"


def test_two_trees_stand_side_by_side_with_what_turns_them(man: tuple[Path, Path]) -> None:
    explain = ("explain", *man, "--sentence", 1, "--model", "en")
    shown = run(*explain).stdout
    assert "obl of 2 saw" in shown
    assert "as a search has confirmed:\n  penalty " in shown
    said = json.loads(run(*explain, "--json").stdout)
    assert said["other"]["heads"] == [2, 0, 4, 2, 7, 7, 2, 2]
    assert said["found"]["cost"] < said["other"]["cost"]
    (change,) = said["change"]
    assert change["before"] != change["after"]
    assert ("no tree costs less than the one found, as the search has shown" in shown) == said["proven"]


def test_it_is_told_whether_some_tree_may_be_better(tmp_path: Path, man: tuple[Path, Path]) -> None:
    beside = 'constraint "no neighbours" penalty 0.5, X and Y under one head: false'
    for lines, is_proven in (("", True), (beside, False)):
        grammar = tmp_path / "mine.constraints"
        grammar.write_text(f"include predictors\n{lines}")
        explain = ("explain", grammar, man[1], "--sentence", 1, "--model", "en")
        assert json.loads(run(*explain, "--json").stdout)["proven"] == is_proven
        said = "no tree costs less" if is_proven else "has not shown that no tree costs less"
        assert said in run(*explain).stdout


def test_tags_that_were_chosen_count_in_the_cost_of_a_tree(tmp_path: Path) -> None:
    tagged, source = tmp_path / "tagged.constraints", tmp_path / "cooking.conllu"
    noun = 'constraint "a noun" penalty 0.1, X: X.lower = cooking -> X.tag = NOUN'
    tagged.write_text(f"include general\ntags at least 0.1\n{noun}\n")
    source.write_text(conllu_of("She/PRON/2/nsubj likes/VERB/0/root cooking/NOUN/2/obj ./PUNCT/2/punct"))
    explain = ("explain", tagged, source, "--sentence", 1, "--model", "en")
    said = json.loads(run(*explain, "--json").stdout)
    assert said["found"]["tags"][2] == "NOUN"
    for side in (said["found"], said["other"]):
        differing = sum(one["cost"] for one in side["conflicts"].values())
        assert 0.1 < side["cost_of_tags"] <= side["cost"] - differing + 1e-6
    assert re.search(r"^ *tags +0\.\d+ +0\.\d+ *$", run(*explain).stdout, re.MULTILINE)


def test_a_silent_constraint_tells_its_first_condition_that_fails(man: tuple[Path, Path]) -> None:
    explain = ("explain", *man, "--sentence", 1, "--model", "en", "--why-not")
    lines = run(*explain, "one object").stdout.splitlines()
    assert lines[0] == "4 man and 8 .: fails at Y.relation = obj (Y.relation is punct)"
    (first, *_) = json.loads(run(*explain, "no oblique", "--json").stdout)["edges"]
    assert first == {
        "words": [7],
        "held": 1,
        "condition": "X.relation = obl",
        "values": {"X.relation": "nmod"},
    }
    result = run(*explain, "det wrong")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no constraint 'det wrong'" in result.stderr


def test_other_parses_have_the_same_words(man: tuple[Path, Path], treebank: Path) -> None:
    explain = ("explain", *man, "--model", "en")
    result = run(*explain, "--sentence", 1, "--other", treebank)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "has other words" in result.stderr
    assert "there is no sentence 2 in" in run(*explain, "--sentence", 2).stderr


# --- profile ------------------------------------------------------------------------------------------------


def test_searches_are_measured_without_each_constraint(
    treebank: Path, heads_first: Path, model_file: Callable[..., Path]
) -> None:
    profile = ("profile", heads_first, treebank, "--model", model_file())
    said = json.loads(run(*profile, "--json").stdout)
    assert (said["sentences"], len(said["without"])) == (3, 7)
    (row,) = (row for row in said["without"] if row["constraint"] == "heads first")
    assert row["sentences_changed"] >= 1
    assert row["tried"] == said["tried"] - round(row["trees_saved"] * said["tried"])
    lines = run(*profile, "--limit", 2).stdout.splitlines()
    assert lines[0].startswith("2 sentences settled: ")
    assert any(line.startswith("one root ") for line in lines)


# --- new ----------------------------------------------------------------------------------------------------


def test_a_first_grammar_is_written_with_counts_and_examples(tmp_path: Path) -> None:
    (tmp_path / "many.conllu").write_text("".join(map(str, small_treebanks.treebank(80, seed=1))))
    result = run("new", "Made up", tmp_path / "many.conllu")
    assert (result.exit_code, result.stderr.count("\n")) == (0, 1)
    text = result.stdout
    assert '\nconstraint "Made up: det stands left" penalty ' in text
    assert "\n# broken in 0 of " in text
    assert 'Made up: amod agrees in Case"' in text
    (tmp_path / "made_up.constraints").write_text(text)
    assert run("check", tmp_path / "made_up.constraints").exit_code == 0


def test_a_first_grammar_is_scored_on_sentences_held_out(
    made_up: Path, model_file: Callable[..., Path], tmp_path: Path
) -> None:
    out = tmp_path / "out.constraints"
    result = run("new", "it", made_up, "--model", model_file(), "--out", out, "--json")
    figures = json.loads(result.stderr)
    assert (figures["sentences"], figures["held_out"]) == (7, 1)
    assert {"parser", "general", "new"} <= {*figures}
    assert out.read_text().startswith("# A first grammar of it, from the 7 sentences of made_up.conllu.")


# --- tune ---------------------------------------------------------------------------------------------------


@pytest.fixture
def made_up(tmp_path: Path) -> Path:
    (tmp_path / "made_up.conllu").write_text("".join(map(str, small_treebanks.treebank(8, seed=1))))
    return tmp_path / "made_up.conllu"


TUNED = """
include predictors
constraint "subjects right" penalty 0.5, X: X.relation = nsubj -> X.direction = right
constraint "det left" penalty 0.5, X: X.relation = det -> X.direction = left
"""


@pytest.fixture
def tuned(tmp_path: Path) -> Path:
    (tmp_path / "tuned.constraints").write_text(TUNED)
    return tmp_path / "tuned.constraints"


def test_penalties_are_tuned_and_held_out_sentences_told(
    made_up: Path, tuned: Path, model_file: Callable[..., Path], tmp_path: Path
) -> None:
    long = " ".join([f"dog/NOUN/{number}/{'obj' if number else 'root'}" for number in range(41)])
    (tmp_path / "more.conllu").write_text(made_up.read_text().replace("amod", "obj") + conllu_of(long))
    result = run("tune", tmp_path / "more.conllu", "--model", model_file(), "--grammar", tuned, "--json")
    said = json.loads(result.stderr)
    assert (said["learnt"], said["held_out"], said["left_out"]) == (4, 4, 1)
    assert result.exit_code == (said["after"] < said["before"])
    assert result.stdout.startswith("# penalties of tuned, tuned for ")
    assert 'penalty "subjects right" ' in result.stdout


def test_penalties_that_score_worse_are_not_written(
    made_up: Path,
    tuned: Path,
    model_file: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def score(_: object, sentence: object, with_penalties: bool = True) -> Counter[str]:
        return Counter({"words": 10, "right": 4 if with_penalties else 5})

    monkeypatch.setattr(Tuner, "score", score)
    out = tmp_path / "out.constraints"
    result = run("tune", made_up, "--model", model_file(), "--grammar", tuned, "--out", out)
    assert (result.exit_code, out.exists()) == (1, False)
    assert "words right before tuning: 50.00%\nwords right after tuning: 40.00%\n" in result.stderr
    assert result.stderr.endswith(
        "treewhile: the tuned penalties score worse, so nothing was written: give more sentences\n"
    )


def test_tuning_needs_two_sentences(treebank: Path, model_file: Callable[..., Path]) -> None:
    result = run("tune", treebank, "--limit", 1, "--model", model_file())
    assert (result.exit_code, result.stdout) == (1, "")
    assert "tuning needs two" in result.stderr


# --- grammars in other commands -----------------------------------------------------------------------------


def roots(text: str) -> list[int]:
    return [json.loads(line)["heads"].index(0) + 1 for line in text.splitlines()]


def test_parses_are_searched_under_a_grammar(
    treebank: Path, heads_first: Path, model_file: Callable[..., Path], tmp_path: Path
) -> None:
    model, under = ("--model", model_file()), ("--grammar", heads_first)
    parse = command("parse")
    assert roots(parse(treebank, "--json", *model).stdout) == [1, 3, 1]
    assert roots(parse(treebank, "--json", *model, *under).stdout) == [1, 1, 1]
    assert roots(parse(treebank, "--json", *model, *under, "--time-limit", 0).stdout) == [1, 3, 1]
    assert roots(parse("the dog barks.\n\n", "--json", *model, *under).stdout) == [1]
    parse(treebank, *model, *under, "--out", tmp_path / "out")
    parsed = (tmp_path / "out" / "gold.conllu").read_text()
    assert [row.split("\t")[0] for row in parsed.splitlines() if "\t0\t" in row] == ["1", "1", "1"]
    searched = parse(treebank, "--search", *model)
    assert (searched.exit_code, searched.stderr) == (0, "")


def test_a_time_limit_needs_a_search(treebank: Path) -> None:
    result = command("parse")(treebank, "--time-limit", 5)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "give --search or --grammar" in result.stderr


def test_a_grammar_that_forgets_the_model_is_told(
    treebank: Path, mine: Path, model_file: Callable[..., Path]
) -> None:
    result = command("parse")(treebank, "--model", model_file(), "--grammar", mine)
    assert result.exit_code == 0
    assert result.stderr.count("\n") == 1
    assert "include predictors" in result.stderr


def test_scores_are_those_of_the_search_under_a_grammar(
    tmp_path: Path, heads_first: Path, model_file: Callable[..., Path]
) -> None:
    (tmp_path / "first.conllu").write_text(conllu_of("dog/NOUN/0/root the/DET/1/det barks/VERB/1/obj"))
    evaluate = command("evaluate", str(model_file()), str(tmp_path / "first.conllu"), "--json")
    before, said = (json.loads(evaluate(*options).stdout) for options in ((), ("--grammar", heads_first)))
    assert said["grammar"] == str(heads_first)
    assert "grammar" not in before
    assert before["scores"]["UAS"]["f1"] < said["scores"]["UAS"]["f1"] == 1
    timed = evaluate("--grammar", heads_first, "--stream", "--time-limits", "inf").stdout
    assert "search_with" in timed


def test_a_server_takes_grammars_by_model() -> None:
    served = ServedModels(["en", "af"])
    given = ["universal", "af=general", "en=alone"]
    assert grammars_by_model(served, given) == {"en": ["universal", "alone"], "af": ["general"]}
    with pytest.raises(InputError, match="two grammars of en have the same name"):
        grammars_by_model(served, ["universal", "en=universal"])
    with pytest.raises(InputError, match="nor a file named 'x=general'"):
        grammars_by_model(served, ["x=general"])


def test_documents_are_searched_under_the_grammar_of_the_server(
    heads_first: Path, model_file: Callable[..., Path]
) -> None:
    engines = Engines(ServedModels([str(model_file())], grammars={"tiny": [str(heads_first)]}))
    session = engines.load("tiny")["tiny"].new_session()
    *_, last = session.run(["dog", "the", "barks"], time_limit=None)
    assert [word.head for word in last.words] == [0, 1, 1]


def test_a_grammar_is_for_a_server_that_is_started_here() -> None:
    result = command("type")("--url", "ws://127.0.0.1:1", "--grammar", "general")
    assert result.exit_code == 2
