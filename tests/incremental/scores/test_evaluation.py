from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from operator import eq

import pytest
from udtools import udeval

from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.risks import RISK
from treewhile.incremental.scores.evaluation import (
    DELAYED,
    Evaluated,
    check_gold,
    evaluate_sentence,
    gold_words,
    report,
    stream_sentence,
)
from treewhile.incremental.scores.stream_scores import DELAYS
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles import InputError

Draw = Callable[[random.Random, int], Sequence[str]]
LABELS = ["nsubj", "nsubj:pass", "det", "obj", "punct", "flat:foreign"]


def read(text: str) -> list[Sentence]:
    stream = io.BytesIO(text.encode())
    stream.name = "gold.conllu"
    return list(read_sentences(stream))


def row(number: int, form: str, head: object, label: str, tag: str = "NOUN", feats: str = "_") -> str:
    return f"{number}\t{form}\t_\t{tag}\t_\t{feats}\t{head}\t{label}\t_\t_\n"


@pytest.fixture
def gold(random_words: Draw) -> list[Sentence]:
    """Sentences of random words and trees."""
    source = random.Random(7)
    return read("".join(tree(source, random_words(source, length)) for length in [1, 2, 3, 5, 8, 13, 32]))


def tree(source: random.Random, forms: Sequence[str]) -> str:
    rows = []
    for number, form in enumerate(forms, 1):
        head = source.randrange(1, number) if number > 1 else 0
        label, tag = source.choice(LABELS) if head else "root", source.choice(["NOUN", "VERB", "DET"])
        rows.append(row(number, form, head, label, tag, source.choice(["_", "Number=Sing"])))
    return "".join(rows) + "\n"


def ticking() -> Callable[[], float]:
    """A clock on which each look takes a millisecond."""
    ticks: Iterator[int] = count()
    return lambda: next(ticks) / 1000


def evaluated(model: Model, gold: Sequence[Sentence]) -> list[Evaluated]:
    return [evaluate_sentence(model, sentence, ticking()) for sentence in gold]


# --- whole sentences --------------------------------------------------------------------------------------


@pytest.mark.parametrize("tags", ["predicted", "gold-upos", "gold"])
def test_scores_of_whole_sentences_are_those_of_the_judge(
    tags: str, make_model: Callable[..., Model], gold: list[Sentence]
) -> None:
    results = [evaluate_sentence(make_model(tags=tags), sentence) for sentence in gold]
    texts = ["".join(map(str, sentences)) for sentences in (gold, [result.system for result in results])]
    theirs = udeval.evaluate(
        *(udeval.load_conllu(io.StringIO(text, newline="\n"), "x", {}) for text in texts)
    )
    ours = json.loads(json.dumps(report(gold, results)))
    assert "stream" not in ours
    for name, score in theirs.items():
        if name in ours["scores"]:
            assert ours["scores"][name]["f1"] == score.f1
            assert ours["scores"][name]["aligned_accuracy"] == score.aligned_accuracy
    assert {"UPOS", "UFeats", "UAS", "LAS", "CLAS", "MLAS"} <= {*theirs} & {*ours["scores"]}
    assert 0 < ours["scores"]["UAS"]["f1"] < 1
    assert (ours["scores"]["UPOS"]["f1"] == 1) is (tags != "predicted")


# --- word by word -----------------------------------------------------------------------------------------


def test_the_best_parse_ends_as_that_of_the_whole(model: Model, gold: list[Sentence]) -> None:
    scores = report(gold, evaluated(model, gold))
    best = {kind: scores["stream"][kind]["best"]["final"] for kind in ("labelled", "unlabelled")}
    assert best == {"labelled": scores["scores"]["LAS"]["f1"], "unlabelled": scores["scores"]["UAS"]["f1"]}


def test_all_measures_are_told_of_all_parses(model: Model, gold: list[Sentence]) -> None:
    stream = json.loads(json.dumps(report(gold, evaluated(model, gold))))["stream"]
    measures = {*DELAYS, "correct", "correct_predictions", "wrong_predictions", "wrong", "edit_overhead"}
    measures |= {"correction_time", "relative_correctness", "virtual_precision", "virtual_recall"}
    for kind in ("labelled", "unlabelled"):
        assert [*stream[kind]] == ["best", "committed_0", "committed_1", "committed_2", f"risk_{RISK:g}"]
        assert all(set(shares) == measures for shares in stream[kind].values())
    assert [*stream["by_tenth"]] == [str(tenth) for tenth in range(1, 11)]
    assert [*stream["by_length"]] == ["1-5", "6-10", "11-20", "21-30", "31-40", "41-"]
    assert stream["by_length"]["41-"]["best"]["final"] is None


def test_committed_parses_that_act_by_risk_are_those_of_their_risks(
    model: Model, gold: list[Sentence]
) -> None:
    for sentence in gold:
        stream = stream_sentence(model, sentence, ticking(), risks=[0.75, 0.25, RISK])
        names = [name for name in stream.labelled if name.startswith("risk_")]
        assert names == [f"risk_{RISK:g}", "risk_0.25", "risk_0.75"]
        for name, risk in zip(names, (RISK, 0.25, 0.75), strict=True):
            parse = GrowingParse(model, risk=risk)
            for word in sentence.words:
                parse.append(word.form)
            parse.close()
            right = map(eq, (word.head for word in gold_words(sentence)), parse.committed().heads)
            assert stream.unlabelled[name].final == sum(right)
            assert stream.delays[name] == parse.delays


def test_the_mean_delay_is_that_of_all_attachments_before_the_end(model: Model, gold: list[Sentence]) -> None:
    results = evaluated(model, gold)
    delays = report(gold, results)["stream"]["mean_delay"]
    assert [*delays] == ["committed_0", "committed_1", "committed_2", f"risk_{RISK:g}"]
    assert [delays[name] for name in DELAYED] == [0, 1, 2]
    waited = [delay for one in results if one.stream for delay in one.stream.delays[f"risk_{RISK:g}"]]
    assert delays[f"risk_{RISK:g}"] == pytest.approx(sum(waited) / len(waited))
    assert {*report(gold[:1], evaluated(model, gold[:1]))["stream"]["mean_delay"].values()} == {None}


def test_groups_add_up_to_the_whole(model: Model, gold: list[Sentence]) -> None:
    streams = [result.stream for result in evaluated(model, gold)]
    for stream in filter(None, streams):
        assert sum(counts.correct for counts in stream.by_tenth.values()) == stream.labelled["best"].correct
        assert {counts.words for counts in stream.labelled.values()} == {stream.words}
    assert [stream.words for stream in streams if stream] == [1, 2, 3, 5, 8, 13, 32]


@pytest.mark.parametrize(
    ("length", "prefixes"), [(10, {k: [k] for k in range(1, 11)}), (4, {3: [1], 5: [2], 8: [3], 10: [4]})]
)
def test_a_prefix_belongs_to_the_tenth_that_it_ends_in(
    length: int, prefixes: dict[int, list[int]], model: Model
) -> None:
    gold = read(tree(random.Random(1), "x" * length))[0]
    for tenth, counts in stream_sentence(model, gold, ticking()).by_tenth.items():
        decided = counts.correct + counts.wrong + counts.correct_predictions + counts.wrong_predictions
        assert decided == sum(prefixes.get(tenth, []))


def test_what_is_not_committed_yet_may_be_right_in_its_head_but_not_in_its_label(model: Model) -> None:
    gold = read(row(1, "the", 2, "det") + row(2, "dog", 0, "root") + "\n")
    stream = stream_sentence(model, gold[0], ticking())
    for name in DELAYED:
        assert (stream.unlabelled[name].initial, stream.labelled[name].initial) in [(1, 0), (2, 1)]
        assert stream.labelled[name].correct_predictions == 0


def test_subtypes_of_labels_do_not_count(model: Model) -> None:
    text = row(1, "the", 2, "det") + row(2, "dog", 0, "root") + "\n"
    plain, subtyped = (read(text.replace("det", label))[0] for label in ("det", "det:poss"))
    assert gold_words(plain) == gold_words(subtyped)
    counts = [stream_sentence(model, sentence, ticking()) for sentence in (plain, subtyped)]
    assert counts[0].labelled == counts[1].labelled


def test_labels_of_another_language_are_wrong_and_no_trouble(model: Model, gold: list[Sentence]) -> None:
    others = [
        sentence.with_columns({number: {"deprel": "andere"} for number in range(1, len(sentence.words) + 1)})
        for sentence in gold
    ]
    scores = report(others, evaluated(model, others))
    assert scores["scores"]["LAS"]["correct"] == 0
    assert {shares["final"] for shares in scores["stream"]["labelled"].values()} == {0}


def test_times_are_those_of_the_clock_in_milliseconds(model: Model, gold: list[Sentence]) -> None:
    tick = pytest.approx(1)
    times = report(gold, evaluated(model, gold))["milliseconds"]
    assert times == {name: {"p50": tick, "p99": tick} for name in ("committed", "best", "best_of_30_words")}
    short = report(gold[:3], evaluated(model, gold[:3]))["milliseconds"]
    assert short["best_of_30_words"] == {"p50": None, "p99": None}


# --- what is refused --------------------------------------------------------------------------------------


def test_scores_need_whole_trees() -> None:
    with pytest.raises(InputError, match="the treebank has no sentences"):
        check_gold([])
    unknown = read(row(1, "a", 0, "root") + row(2, "b", "_", "_") + "\n")
    with pytest.raises(
        InputError, match=r"^the head _ has to be a number, .* at gold.conllu:2, column HEAD$"
    ):
        check_gold(unknown)
    circle = read(row(1, "a", 2, "x") + row(2, "b", 1, "x") + "\n")
    with pytest.raises(InputError, match=r"circle.*gold.conllu:1, column HEAD$"):
        check_gold(circle)
