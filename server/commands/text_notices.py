"""Texts that are not in the language of the model: one sentence that says so, and which model to choose."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Final

import click

from treewhile.incremental.parsers.shipped_models import installed_models
from treewhile.incremental.texts.languages import LANGUAGES, other_language
from treewhile.incremental.texts.scripts import SHORTEST, count_letters, refusal, unknown_script
from treewhile.oracles.errors import InputError

if TYPE_CHECKING:
    from treewhile.incremental import Sentence
    from treewhile.incremental.parsers.parsing import Model

ENOUGH: Final = 1000  # characters from which the language of a file is told
SHORTEST_WHOLE: Final = 4  # letters of a whole text in an unknown script that is refused


def refuse_script(model: Model, text: str, shortest: int = SHORTEST_WHOLE) -> None:
    """Raise InputError for a text in a script that the model does not know."""
    known = model.inventory.scripts
    script = unknown_script(count_letters(text), known, shortest)
    if script is not None:
        names = ", ".join(installed_models())
        raise InputError(f"{refusal(script, known)}, with --model (installed are {names})")


def notice_language(model: Model, text: str, what: str) -> bool:
    """Say so if a text looks like another language than the model's; return whether it does."""
    language = other_language(text, model.language)
    if language is None:
        return False
    looks = f"{what} looks like {LANGUAGES[language]}, and the model knows {LANGUAGES[model.language]}"
    names = installed_models()
    instead = f"choose --model {language}" if language in names else _none_for(language, [*names])
    click.echo(f"treewhile: {looks}: {instead}", err=True)
    return True


def _none_for(language: str, names: list[str]) -> str:
    return f"no model of {LANGUAGES[language]} is installed, but {', '.join(names)}"


def checked_sentences(sentences: Iterator[Sentence], model: Model, source: str) -> Iterator[Sentence]:
    """Yield all sentences; refuse an unknown script and notice another language by the first ones, once.

    From standard input each sentence is yielded at once, since a reader may wait for it.
    """
    what = "standard input" if source == "-" else source
    text, is_noticed = "", False
    waiting: list[Sentence] = []
    for sentence in chain(sentences, [None]):
        if sentence is not None:
            waiting.append(sentence)
            text += " ".join(word.form for word in sentence.words) + " "
        is_enough = len(text) >= ENOUGH
        if sentence is None or is_enough or source == "-":
            refuse_script(model, text, SHORTEST_WHOLE if sentence is None else SHORTEST)
            is_noticed = is_noticed or notice_language(model, text, what)
            yield from waiting
            waiting = []
        if is_enough:
            break
    yield from sentences
