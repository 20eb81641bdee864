"""Scores by hand, and `udtools`, the official scorer, as the judge of random pairs and of noisy treebanks.

`udtools` is under the GPL: tests may import it, the product may not.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import eq
from pathlib import Path
from random import Random

import pytest
from cases import cases, each, each_seed
from every_tree import all_trees, cross
from hypothesis import given, settings
from hypothesis import strategies as st
from reach import Reached
from udtools import udeval

from treewhile.incremental.scores.conll_scores import (
    ComparedTreebanks,
    conll_scores,
    crossing_score,
    label_scores,
)
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles import InputError

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
TREEBANKS = [path for path in sorted(DATA.rglob("*.conllu")) if path.stat().st_size < 2_000_000]

WITHOUT_TREES = ["Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"]
MEASURES = [*WITHOUT_TREES, "UAS", "LAS", "CLAS", "MLAS", "BLEX"]
EVERY_MEASURE = {*MEASURES, "LAS with subtypes"}


def row(
    id_: object, form: str, head: object = "_", deprel: str = "_", upos: str = "_", lemma: str = "_"
) -> str:
    return f"{id_}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_\n"


def read(text: str, name: str = "gold.conllu") -> list[Sentence]:
    stream = io.BytesIO(text.encode())
    stream.name = name
    return list(read_sentences(stream))


def assert_as_the_judge_says(gold: str, system: str) -> None:
    theirs = udeval.evaluate(*(judge_reads(text) for text in (gold, system)))
    ours = conll_scores(read(gold), read(system))
    assert set(ours) == EVERY_MEASURE
    assert_labels_add_up(gold, system)
    for name in MEASURES:
        one, other = ours[name], theirs[name]
        assert (name, one) == (
            name,
            (other.correct, other.gold_total, other.system_total, other.aligned_total),
        )
        assert (one.precision, one.recall, one.f1) == (other.precision, other.recall, other.f1)
        assert one.aligned_accuracy == other.aligned_accuracy


def assert_labels_add_up(gold: str, system: str) -> None:
    """The relations share out the words of LAS, and what is right of them, without a rest."""
    attached, labels = conll_scores(read(gold), read(system))["LAS"], label_scores(read(gold), read(system))
    relations = [score for label, score in labels.items() if ":" not in label]
    assert tuple(map(sum, zip(*relations, strict=True))) == attached


def judge_reads(text: str) -> object:
    return udeval.load_conllu(io.StringIO(text, newline="\n"), "text", {"multiple_roots_okay": True})


# --- scores by hand ---------------------------------------------------------------------------------------

GOLD = (
    row(1, "She", 3, "nsubj:pass", "PRON", "she")
    + row("2-3", "wasn't")
    + row(2, "was", 0, "root", "AUX", "be")
    + row(3, "n't", 2, "advmod", "PART")
    + row(4, "the", 5, "det", "DET", "the")
    + row(5, "best", 2, "xcomp", "ADJ", "good")
    + "\n"
)


def test_a_treebank_agrees_with_itself() -> None:
    scores = conll_scores(read(GOLD), read(GOLD))
    assert set(scores) == EVERY_MEASURE
    assert {score.f1 for score in scores.values()} == {1.0}
    assert scores["Words"] == (5, 5, 5, None)
    assert scores["CLAS"] == (4, 4, 4, 4)


def test_labels_may_differ_in_subtypes_but_for_las_with_subtypes() -> None:
    scores = conll_scores(read(GOLD), read(GOLD.replace("nsubj:pass", "nsubj")))
    assert scores["LAS"].f1 == scores["MLAS"].f1 == 1.0
    assert scores["LAS with subtypes"] == (4, 5, 5, 5)


def test_words_of_other_tokens_are_not_aligned() -> None:
    system = (
        GOLD.replace(row("2-3", "wasn't"), "").replace("\twas\t", "\twas n\t").replace("\tn't\t", "\t't\t")
    )
    scores = conll_scores(read(GOLD), read(system))
    assert (scores["Tokens"].precision, scores["Tokens"].recall) == (3 / 5, 3 / 4)
    assert scores["Words"] == (3, 5, 5, None)
    assert scores["UPOS"].aligned_accuracy == 1.0
    assert scores["UAS"].aligned_accuracy == 1 / 3, "only `the` has an aligned head"


def test_function_words_count_for_mlas_and_lemmas_for_blex() -> None:
    system = (
        GOLD.replace("\tDET\t", "\tPRON\t").replace("\tgood\t", "\tbest\t").replace("\tn't\t_", "\tn't\tnot")
    )
    scores = conll_scores(read(GOLD), read(system))
    assert (scores["CLAS"].correct, scores["MLAS"].correct, scores["BLEX"].correct) == (4, 3, 3)
    assert scores["Lemmas"].correct == 4, "where gold has no lemma, any is right"


def test_each_relation_is_scored_and_each_subtype_on_its_own() -> None:
    system = GOLD.replace("nsubj:pass", "nsubj:outer").replace("\t2\tadvmod", "\t5\tadvmod")
    scores = label_scores(read(GOLD), read(system.replace("\txcomp", "\tadvmod")))
    assert scores["nsubj"] == (1, 1, 1, 1)
    assert scores["nsubj:pass"] == (0, 1, 0, 1)
    assert scores["nsubj:outer"] == (0, 0, 1, 0)
    assert scores["advmod"] == (0, 1, 2, 1), "on another head, and in place of another relation"
    assert scores["xcomp"] == (0, 1, 0, 1)
    assert [*scores][-1] == "nsubj:outer", "what only the system has comes last"


PUNCTUATED = row(1, "Go", 0, "root", "VERB", "go") + row(2, "«", 1, "punct") + row(3, "$", 2, "dep") + "\n"


def test_punctuation_can_be_left_out() -> None:
    system = PUNCTUATED.replace("\t1\tpunct", "\t3\tpunct").replace("\t2\tdep", "\t1\tdep")
    with_all, without = (
        conll_scores(read(PUNCTUATED), read(system), punctuation=one) for one in (True, False)
    )
    assert (with_all["UAS"], without["UAS"]) == ((1, 3, 3, 3), (1, 2, 2, 2)), "$ is a word"
    assert without["UPOS"] == (2, 2, 2, 2)
    for name in ("Tokens", "Sentences", "Words", "CLAS", "MLAS", "BLEX"):
        assert with_all[name] == without[name]


def test_paths_are_read(tmp_path: Path) -> None:
    (tmp_path / "gold.conllu").write_text(GOLD)
    assert conll_scores(str(tmp_path / "gold.conllu"), tmp_path / "gold.conllu") == conll_scores(
        read(GOLD), iter(read(GOLD))
    )


def test_empty_treebanks_score_nothing() -> None:
    assert {(score.f1, score.precision, score.recall) for score in conll_scores([], []).values()} == {
        (0, 0, 0)
    }


# --- what is refused --------------------------------------------------------------------------------------


@each(
    "system, problem",
    [
        (
            GOLD.replace("wasn't", "was'nt"),
            'but gold goes on with "n\'tthebest" and the system with "\'ntthebest", '
            "at gold.conllu:3, column FORM and system.conllu:3, column FORM",
        ),
        (
            GOLD.replace("best", "best!"),
            "goes on with nothing and the system with '!', "
            "at gold.conllu:6, column FORM and system.conllu:6, column FORM",
        ),
        ("", "the system with nothing, at gold.conllu:1, column FORM and an empty treebank"),
        (GOLD.replace("\tbest\t", "\t\u00a0\t"), "more than spaces, at system.conllu:6, column FORM"),
        (
            GOLD.replace("\t5\tdet", "\t_\tdet"),
            "the head _ has to be a number, .*, at system.conllu:5, column HEAD",
        ),
        (GOLD.replace("\t2\txcomp", "\t4\txcomp"), "circle: 4 <- 5 <- 4; .* system.conllu:1, column HEAD"),
    ],
)
def test_what_cannot_be_compared_is_refused(system: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        conll_scores(read(GOLD), read(system, "system.conllu"))


# --- the judge --------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Node:
    """A word that knows its head itself, so that words may come and go."""

    columns: list[str]
    head: Node | None = None


@dataclass
class Surface:
    """A token: its form, and its words unless these are the token itself."""

    form: str
    words: list[Node]
    is_multiword: bool


def surfaces(sentence: Sentence) -> list[Surface]:
    nodes = [Node([*word[1:6], word.deprel]) for word in sentence.words]
    for node, head in zip(nodes, sentence.heads, strict=True):
        node.head = nodes[head - 1] if head else None
    tokens, left = [], iter(nodes)
    range_end = 0
    for id_, form, *_ in (row.split("\t") for row in sentence.rows):
        if "-" in id_:
            first, range_end = map(int, id_.split("-"))
            tokens.append(Surface(form, [next(left) for _ in range(first, range_end + 1)], True))
        elif id_.isdigit() and int(id_) > range_end:
            tokens.append(Surface(form, [next(left)], False))
    return tokens


def as_text(treebank: Iterable[list[Surface]]) -> str:
    return "".join(map(sentence_as_text, treebank))


def sentence_as_text(tokens: list[Surface]) -> str:
    """The sentence in CoNLL-U, with empty nodes; a head in another sentence becomes the root."""
    nodes = [node for token in tokens for node in token.words]
    numbers = {node: number for number, node in enumerate(nodes, 1)}
    cut_circles(nodes)
    rows, number = [], 0
    for token in tokens:
        if token.is_multiword:
            rows.append(row(f"{number + 1}-{number + len(token.words)}", token.form))
        for node in token.words:
            number += 1
            form, *others, deprel = node.columns
            columns = [form if token.is_multiword else token.form, *others, numbers.get(node.head, 0), deprel]
            rows.append("\t".join(map(str, [number, *columns, "_", "_"])) + "\n")
        if number % 5 == 0:
            rows.append(row(f"{number}.1", "empty"))
    return "".join(rows) + "\n"


def cut_circles(nodes: Iterable[Node]) -> None:
    safe: set[Node | None] = {None}
    for node in nodes:
        way = [node]
        while way[-1].head not in safe:
            if way[-1].head in way:
                way[-1].head = None
            else:
                way.append(way[-1].head)
        safe.update(way)


def noisy(treebank: list[list[Surface]], random: Random, rate: float) -> list[list[Surface]]:
    """The same characters with other analyses, words, tokens and sentences."""
    tokens = [token for sentence in treebank for token in sentence]
    ends = {id(sentence[-1]) for sentence in treebank}
    nodes = [node for token in tokens for node in token.words]
    sentences: list[list[Surface]] = [[]]
    for token in tokens:
        for node in token.words:
            disturb(node, nodes, random, rate)
        sentences[-1] += recut(token, random) if random.random() < rate else [token]
        if (id(token) in ends) != (random.random() < rate / 5):
            sentences.append([])
    return [merged(sentence, random, rate) for sentence in sentences if sentence]


def disturb(node: Node, nodes: Sequence[Node], random: Random, rate: float) -> None:
    """Another head nearby, and columns of other words."""
    at = random.randrange(len(nodes))
    if random.random() < rate:
        node.head = random.choice([None, node.head and node.head.head, *nodes[at : at + 3]])
    for column in range(1, 6):
        if random.random() < rate:
            node.columns[column] = random.choice(nodes[at : at + 3]).columns[column]


def recut(token: Surface, random: Random) -> list[Surface]:
    """The token as two, as one word, as a multiword token, or with a space in it."""
    form, first = token.form, token.words[0]
    at = random.randrange(len(form) + 1)
    match random.choice(["spaced", "two", "word", "multiword"]):
        case "two" if form[:at].strip() and form[at:].strip():
            second = Node([form[at:], *first.columns[1:]], first)
            return [Surface(form[:at], [first], False), Surface(form[at:], [second], False)]
        case "word":
            return [Surface(form, [first], False)]
        case "multiword":
            forms = [form[:at] or "x", form[at:].upper() or "y", form][random.randrange(3) :]
            return [Surface(form, [Node([part, *first.columns[1:]], first) for part in forms], True)]
    space = random.choice(" \u00a0\u3000")
    first.columns[0] = space + first.columns[0]
    return [Surface(form[:at] + space + form[at:], token.words, token.is_multiword)]


def merged(tokens: list[Surface], random: Random, rate: float) -> list[Surface]:
    """The sentence with some neighbouring tokens as one multiword token or one word."""
    merging = [tokens[0]]
    for token in tokens[1:]:
        if random.random() > rate / 2:
            merging.append(token)
        else:
            form, words = merging[-1].form + token.form, merging[-1].words + token.words
            multiword = random.random() < 0.7
            merging[-1] = Surface(form, words if multiword else words[:1], multiword)
    return merging


def test_a_word_that_begins_with_a_multiword_token_and_is_longer_may_be_aligned_to_a_word_of_it() -> None:
    gold = row(1, "aba", 0, "root") + "\n"
    system = (
        row("1-2", "ab") + row(1, "aba", 0, "root") + row(2, "b", 1, "case") + row(3, "a", 1, "obj") + "\n"
    )
    assert_as_the_judge_says(gold, system)
    assert conll_scores(read(gold), read(system))["Words"].correct == 1


SMALL = [
    GOLD,
    row(1, "a", 2, "det:poss", "DET", "a") + row(2, "a b", 0, "root", "NOUN") + row(3, "A", 2, "case") + "\n",
    row("1-3", "aba") + row(1, "a", 2, "aux") + row(2, "b", 0, "root") + row(3, "a", 2, "obj") + "\n",
    row("1-1", "ab") + row(1, "a", 0, "root") + row(2, "ab", 1, "mark") + row(3, "a\u00a0", 1, "cc") + "\n",
    row(1, "b", 0, "root", "NOUN")
    + row(2, "b", 1, "case", "ADP")
    + row(3, "b", 1, "cop", "AUX", "be")
    + "\n",
]


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(SMALL), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
def test_any_two_small_treebanks_over_one_text(texts: list[str], random: Random, rate: float) -> None:
    pair = [[surfaces(sentence) for sentence in read("".join(texts))] for _ in range(2)]
    gold, system = (as_text(noisy(treebank, random, rate)) for treebank in pair)
    assert_as_the_judge_says(gold, system)


if TREEBANKS:

    @pytest.mark.slow
    @pytest.mark.parametrize("at", range(len(TREEBANKS)), ids=[path.name for path in TREEBANKS])
    def test_noisy_treebanks(at: int) -> None:
        path, rate = TREEBANKS[at], (0.02, 0.2)[at % 2]
        whole = (sentence for sentence in read_sentences(path) if None not in sentence.heads)
        text = as_text(map(surfaces, islice(whole, 100)))
        system = noisy([surfaces(sentence) for sentence in read(text)], Random(1), rate)
        assert_as_the_judge_says(text, as_text(system))


# --- edges that cross ---------------------------------------------------------------------------------------


def tree(*heads: int, forms: str = "abcdefgh") -> str:
    return "".join(map(row, range(1, 9), forms, heads)) + "\n"


def test_an_edge_that_crosses_is_right_if_it_does_so_in_both_trees() -> None:
    gold, system = tree(3, 4, 0, 3), tree(3, 0, 2, 3)
    assert crossing_score(read(gold), read(gold)) == (3, 3, 3, 3)
    # 1 <- 3 crosses in both, 0 -> 2 in the system's alone, 0 -> 3 and 2 <- 4 in gold alone
    assert crossing_score(read(gold), read(system)) == (1, 3, 2, 3)
    assert crossing_score(read(gold), read(tree(3, 3, 0, 3))) == (0, 3, 0, 3), "the edge to 1 is, but alone"


def test_heads_of_edges_that_cross_in_one_tree_may_be_right_in_the_other() -> None:
    gold, system = read(tree(3, 4, 0, 3)), read(tree(3, 0, 2, 3))
    found = ComparedTreebanks(gold, system).crossing_heads()
    # of 1 <- 3, 0 -> 2 in the system only the first is right; of 1 <- 3, 0 -> 3, 2 <- 4 in gold it has one
    assert found == (1, 2, 1, 3)
    assert (found.precision, found.recall, found.f1) == (1 / 2, 1 / 3, 2 / 5)
    projective = ComparedTreebanks(gold, read(tree(3, 3, 0, 3))).crossing_heads()
    assert projective == (0, 0, 2, 3)
    assert (projective.precision, projective.f1) == (0, 0), "none is found to cross"


def test_edges_cross_within_their_sentence_wherever_that_ends() -> None:
    gold = tree(2, 0) + tree(3, 4, 0, 3)
    assert crossing_score(read(gold), read(gold)) == (3, 3, 3, 3)
    joined = tree(2, 0, 5, 6, 2, 5, forms="ababcd")
    assert crossing_score(read(gold), read(joined)) == (2, 3, 3, 3), "the last root hangs elsewhere"


def test_edges_to_punctuation_count_if_asked_and_are_crossed_anyway() -> None:
    gold = tree(2, 0, 1, 2, forms="ab.c")
    assert crossing_score(read(gold), read(gold)) == (3, 3, 3, 3)
    assert crossing_score(read(gold), read(gold), punctuation=False) == (2, 2, 2, 2)


@pytest.mark.reaches(0.5)
@each_seed(cases(30))
def test_edges_that_cross_are_those_of_both_trees(seed: int, reached: Reached) -> None:
    random = Random(seed)
    first = random.choice([heads for heads in all_trees(5) if crosses((3, heads[2]), heads)])
    other = random.choice([heads for heads in all_trees(5) if sum(map(eq, first, heads)) == 3])
    trees = (first, other)
    gold, system = ({edge for edge in enumerate(heads, 1) if crosses(edge, heads)} for heads in trees)
    found = crossing_score(*(read(tree(*heads)) for heads in trees))
    assert (found.correct, found.gold, found.system) == (len(gold & system), len(gold), len(system))
    reached(gold & system)


def crosses(edge: tuple[int, int], heads: Sequence[int]) -> bool:
    return any(cross(edge, other) for other in enumerate(heads, 1))
