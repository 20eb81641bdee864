from __future__ import annotations

from click.testing import CliRunner

from treewhile.oracles import is_projective
from treewhile.server.commands import demo, treewhile


def test_the_demo_ends_by_itself_and_shows_all_three() -> None:
    result = CliRunner().invoke(treewhile, ["demo"], catch_exceptions=False)
    assert (result.exit_code, result.stderr) == (0, "")
    typing, two_trees = result.stdout.split("Here is a sentence")
    assert "[NOUN]" in typing
    assert two_trees.count("▼") == 2 * len(demo.FORMS)
    assert "keeps 6 of the 7 edges.\nThere are 2 as good;" in result.stdout
    assert "6 of 7 gold edges made" in result.stdout
    assert max(map(len, result.stdout.split("\n"))) < 120


def test_the_sentence_of_the_demo_is_worth_showing() -> None:
    assert not is_projective(demo.HEADS)
