"""How well the language of a text is told, and how often a notice is wrong while somebody types.

    python tests/benchmarks/bench_languages.py en=en_ewt-dev.conllu nl=nl_alpino-dev.conllu ...

Sentences of treebanks, cut to their first letters; shorter ones are left out. In lower case names look like
other words; punctuation plays no part. Then each sentence is typed as it is written, letter by letter, into a
document of its own language, where every notice is wrong, and into one of another, where it is counted how
many letters the right notice takes, if it comes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Final

from rich.console import Console
from rich.table import Table

from treewhile.incremental.sessions.readable_content import LOOKED_AT
from treewhile.incremental.texts.languages import CODES, likely_language, other_language
from treewhile.incremental.training.language_learning import TEXT

LETTERS: Final = (20, 40, 80)
MOST_TYPED: Final = 1000  # sentences of each language


def sentences_of(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.removeprefix(TEXT).strip() for line in lines if line.startswith(TEXT)]


def first_letters(text: str, letters: int) -> str | None:
    """The beginning of a text with as many letters; None if it has fewer."""
    for place, letter in enumerate(text, 1):
        letters -= letter.isalpha()
        if not letters:
            return text[:place]
    return None


def share_right(texts: Sequence[str], language: str) -> str:
    told = [likely_language(text) for text in texts]
    right = sum(one is not None and one.language == language for one in told)
    return f"{100 * right / len(texts):.1f}%" if texts else ""


def notices(text: str, own: str) -> Iterator[tuple[int, str]]:
    """Each notice while a text is typed, with the number of letters until then."""
    told = None
    for end in range(1, len(text) + 1):
        before, told = told, other_language(text[max(0, end - LOOKED_AT) : end], own, told)
        if told and told != before:
            yield sum(map(str.isalpha, text[:end])), told


def typed(texts: Sequence[str], language: str) -> tuple[str, str, str, str]:
    """Wrong notices of 1,000; in others, the shares that are right and wrong, and after how many letters."""
    wrong = sum(any(notices(text, language)) for text in texts)
    others = [code for code in CODES if code != language]
    firsts = [next(notices(text, others[at % len(others)]), None) for at, text in enumerate(texts)]
    told = [first for first in firsts if first]
    right = [letters for letters, code in told if code == language]
    shares = [f"{100 * count / len(texts):.1f}%" for count in (len(right), len(told) - len(right))]
    return f"{1000 * wrong / len(texts):.1f}", *shares, f"{median(right):.0f}"


def main(arguments: Sequence[str]) -> None:
    heads = [f"{kind} {letters} letters" for kind in ("as written,", "lower case,") for letters in LETTERS]
    table = Table("treebank", *heads, "wrong of 1,000", "noticed", "as another", "letters, median")
    for argument in arguments:
        language, _, name = argument.partition("=")
        texts = sentences_of(Path(name))
        cuts = [[cut for text in texts if (cut := first_letters(text, letters))] for letters in LETTERS]
        lower = [[text.lower() for text in some] for some in cuts]
        shares = [share_right(some, language) for some in (*cuts, *lower)]
        table.add_row(Path(name).stem, *shares, *typed(texts[:MOST_TYPED], language))
    Console(width=200).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
