"""Every example in docs/constraints.md is compiled and judged, and its message is the one that comes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from cases import each

from treewhile.incremental.constraints import (
    KnownNames,
    Situation,
    compile_grammar,
    find_conflicts,
    installed_grammars,
    mistakes_in,
    parse_grammar,
)
from treewhile.incremental.constraints.language.terms import EXTENTS, OPERATIONS
from treewhile.incremental.constraints.language.written import QUANTITIES
from treewhile.oracles import InputError

DOCS = (Path(__file__).parents[3] / "docs" / "constraints.md").read_text()
EXAMPLES = [
    "\n".join(line[4:] for line in block.splitlines())
    for block in re.findall(r"(?:^(?: {4}.*)?\n)+", DOCS, re.MULTILINE)
    if block.strip()
]
CALLED = [example for example in EXAMPLES if example.lstrip().startswith(">>>")]
FAULTY = [example for example in EXAMPLES if "# tag, a tag" in example]


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8
    assert len(FAULTY) == 1


@each("example", [example for example in EXAMPLES if example not in FAULTY + CALLED])
def test_an_example_is_a_grammar(example: str, tmp_path: Path) -> None:
    (tmp_path / "verbs.csv").write_text("word,objects\nslaap,none")
    program = compile_grammar(parse_grammar(example, folder=tmp_path), ["root", "det", "nsubj"])
    situation = Situation.of(program, ["the", "dog"], ["DET", "NOUN"], ["_", "_"], ["VERB"])
    heads, labels = np.array([0, 2, 3, 4], np.int32), np.array([0, 1, 2, 0], np.int32)
    assert isinstance(find_conflicts(situation, heads, labels), list)
    assert situation.faulty() == []


def test_the_example_of_a_mistake_is_told_as_it_says() -> None:
    text, message = FAULTY[0].strip().split("\n# ")
    with pytest.raises(InputError) as caught:
        parse_grammar(text)
    assert str(caught.value) == message


def test_all_mistakes_are_told_as_it_says() -> None:
    (example,) = CALLED
    call, told = example.strip().removeprefix(">>> ").split("\n")
    assert eval(call, {"mistakes_in": mistakes_in, "KnownNames": KnownNames}) == eval(told)


def test_every_grammar_that_comes_along_is_listed() -> None:
    assert set(re.findall(r"^\| `(\w+)` \| (?:`\w+`(?:, )?)* ?\|", DOCS, re.MULTILINE)) == {
        *installed_grammars()
    }


def test_every_call_is_documented() -> None:
    called = {
        "starts",
        "ends",
        "has",
        "count",
        "under",
        "dominates",
        "covers_outsider",
        "between",
        "agree",
        "exists",
    }
    assert all(f"`{extent}" in DOCS for extent in EXTENTS)
    assert all(f"| `{quantity}" in DOCS for quantity in QUANTITIES)
    predicted = {name for name in OPERATIONS if name.startswith(("is_", "predict")) or "probability" in name}
    for name in called | predicted:
        assert f"{name}(" in DOCS, name
    assert {"n.next", "n.previous"} <= {*re.findall(r"n\.\w+", DOCS)}
