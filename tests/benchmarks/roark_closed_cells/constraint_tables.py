"""Table 4 of Roark, Hollingshead & Bodenstab 2012: what each union of constraints comes to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from treewhile.incremental.constituents.chart_constraints import NONE, OperatingPoints, constraint_names
from treewhile.incremental.constituents.grammar_models import GrammarModel
from treewhile.incremental.constituents.grammar_phrases import AS_ASKED, GrammarPhrases
from treewhile.incremental.constituents.operating_points import Trial, trials
from treewhile.oracles.constituents.grammars import Side
from treewhile.oracles.constituents.phrase_trees import Phrase


class Printed(NamedTuple):
    """A row as printed: agreement with Section 24 of the WSJ, and seconds."""

    f1: float
    seconds: float


class Row(NamedTuple):
    """A row as measured."""

    f1: float
    precision: float
    recall: float
    seconds: float
    speed_up: float
    words_per_second: float
    loosened: int  # sentences that took fewer constraints


PRINTED: Final[Mapping[Side, Mapping[str, Printed]]] = {
    "right": {
        NONE: Printed(71.5, 451),
        "ghp": Printed(75.3, 46),
        "hp": Printed(74.6, 50),
        "quad": Printed(73.8, 70),
        "linear": Printed(72.4, 106),
        "unary": Printed(72.0, 386),
        "hp+quad": Printed(74.6, 48),
        "hp+linear": Printed(74.4, 48),
        "ghp+quad": Printed(75.3, 45),
        "ghp+linear": Printed(75.1, 44),
        "ghp+unary": Printed(75.7, 34),
        "ghp+unary+quad": Printed(75.8, 33),
    },
    "left": {
        NONE: Printed(71.7, 774),
        "ghp": Printed(75.4, 66),
        "hp": Printed(74.9, 75),
        "quad": Printed(74.0, 99),
        "linear": Printed(71.7, 448),
        "unary": Printed(71.9, 607),
        "hp+quad": Printed(74.9, 69),
        "hp+linear": Printed(74.7, 71),
        "ghp+quad": Printed(75.4, 62),
        "ghp+linear": Printed(75.2, 62),
        "ghp+unary": Printed(75.7, 37),
        "ghp+unary+quad": Printed(75.7, 37),
    },
}


def constraint_rows(
    model: GrammarModel, trees: Sequence[Phrase], advance: Callable[[int], None] = lambda count: None
) -> dict[str, Row]:
    """All rows for a model, one after the other, with seconds of the processor."""
    names = PRINTED[model.grammar.form.side]
    parsers = {name: GrammarPhrases(model, constraint_names(name)) for name in names}
    found = trials(parsers, trees, advance)
    whole = sum(found[NONE].seconds)
    return {name: _row(trial, whole) for name, trial in found.items()}


def _row(trial: Trial, whole: float) -> Row:
    """A row, where no constraints at all take `whole` seconds."""
    seconds, brackets = sum(trial.seconds), trial.scores.brackets
    return Row(
        100 * brackets.f1,
        100 * brackets.precision,
        100 * brackets.recall,
        seconds,
        whole / seconds,
        trial.words_per_second,
        len(trial.outcomes) - trial.outcomes.count(AS_ASKED),
    )


def row_name(name: str, points: OperatingPoints) -> str:
    """A row with its operating points, as the paper writes it: GHP(40) + Unary(40)."""
    shown = {"ghp": "GHP", "hp": "HP"}
    return (
        " + ".join(
            f"{shown.get(one, one.capitalize())}({getattr(points, one):g})" for one in constraint_names(name)
        )
        or "none"
    )
