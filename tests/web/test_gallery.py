"""The gallery of trees in the documentation: each example is a page that draws what it shows."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_expect import expect
from page_servers import PageServer

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "docs" / "doors" / "tree-gallery.md"
PICTURES = GALLERY.parent / "gallery"
EXAMPLES = dict(re.findall(r"^## (.*?)\n.*?^```html\n(.*?)^```$", GALLERY.read_text(), re.M | re.S))
FORMS = {
    "While somebody types": ["The", "dog"],
    "Phrases": ["The", "dog", "sleeps"],
    "Right to left": ["הכלב", "רץ", "בגן"],
    "Another language": ["Regen"],
}
DOG = ["The", "dog", "never", "sleeps"]

OpenExample = Callable[[str], Any]


@pytest.fixture
def open_example(new_page: Callable[..., Any], tmp_path: Path) -> Iterator[OpenExample]:
    """Opens an example by its title."""
    for name in ("dep-tree.js", "texts-de.json"):
        shutil.copy(ROOT / "web" / "built" / name, tmp_path)
    with PageServer(tmp_path) as origin:

        def open_titled(title: str) -> Any:
            html = f"<!doctype html>\n<meta charset=utf-8>\n<link rel=icon href=data:,>\n{EXAMPLES[title]}"
            (tmp_path / "page.html").write_text(html)
            page = new_page()
            page.goto(f"{origin}/page.html")
            page.locator("dep-tree .word, phrase-tree .word").first.wait_for()
            return page

        yield open_titled


@pytest.mark.parametrize("title", [*EXAMPLES])
def test_an_example_draws_its_words_and_has_a_picture(open_example: OpenExample, title: str) -> None:
    page = open_example(title)
    drawn = page.locator("svg").first.text_content()
    assert all(form in drawn for form in FORMS.get(title, DOG if title != "One row" else ["river"]))
    assert page.mistakes == []
    picture = PICTURES / f"{title.lower().replace(' ', '-')}.svg"
    if "TREEWHILE_GALLERY" in os.environ:  # makes the pictures anew
        picture.write_text(page.evaluate("document.querySelector('dep-tree, phrase-tree').toSVG()"))
    assert picture.read_text().startswith("<svg")
    assert f"gallery/{picture.name}" in GALLERY.read_text()


def test_one_row_is_one_row_and_colours_are_those_of_the_style(open_example: OpenExample) -> None:
    page = open_example("One row")
    tops = page.locator("dep-tree .word").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().top)"
    )
    assert len(tops) == 15
    assert max(tops) - min(tops) < 1
    page = open_example("Colours")
    line = page.locator("dep-tree .stable path").first
    assert line.evaluate("one => getComputedStyle(one).stroke") == "rgb(230, 57, 70)"


def test_compact_trees_fold_punctuation(open_example: OpenExample) -> None:
    assert "punct" in open_example("A tree").locator("dep-tree svg").first.text_content()
    assert "punct" not in open_example("Compact").locator("dep-tree svg").first.text_content()


def test_a_word_that_is_dragged_hangs_on_its_new_head(open_example: OpenExample) -> None:
    page = open_example("Corrections")
    word, head = (page.locator("dep-tree .word", has_text=form) for form in ("never", "dog"))
    word.hover()
    page.mouse.down()
    head.hover()
    page.mouse.up()
    expect(page.locator("output")).to_have_text("never hangs on dog")
    assert page.evaluate("document.querySelector('dep-tree').analysis.words[2].head") == 2


def test_the_element_speaks_another_language(open_example: OpenExample) -> None:
    page = open_example("Another language")
    expect(page.locator("dep-tree svg").first).to_have_attribute("aria-label", "Abhängigkeitsbaum")
    expect(page.locator("dep-tree thead th").nth(2)).to_have_text("Wortart")
