"""Taggers as sections of a text file, each weight beside its feature and tags.

A section of a tagger has the lines `order 1`, `conditioned yes`, `tags` with their names, and `templates`;
then `after`, tags of a state and a tag, with the weight of each transition; then the features, each with its
weights: a tag and a weight, or the previous tag, `>`, a tag and a weight, separated by tabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np

from treewhile.incremental.constituents.chart_taggers import ChartTaggers
from treewhile.incremental.constituents.sectioned_files import Line, Section, section_of
from treewhile.incremental.constituents.sequence_taggers import (
    Floats,
    SequenceTagger,
    states_of,
)
from treewhile.incremental.constituents.tagger_features import NUMBER_OF_KIND, Field, Template, Templates
from treewhile.incremental.constituents.tagger_training import DECIMALS, TaggerShape

FREQUENT: Final = "frequent words"
SECTIONS: Final = {
    "parts_of_speech": "tagger of parts of speech",
    "begins": "tagger of begins",
    "ends": "tagger of ends",
    "unaries": "tagger of unaries",
}
HEADER: Final = ("order", "conditioned", "tags", "templates")
FIELD: Final = re.compile(r"([a-z]+\d?)([+-][12])?")


def tagger_sections(taggers: ChartTaggers) -> dict[str, Iterable[str]]:
    """Return the sections from which `read_taggers` restores the taggers."""
    found: dict[str, Iterable[str]] = {FREQUENT: sorted(taggers.frequent)}
    for field, name in SECTIONS.items():
        found[name] = tagger_lines(getattr(taggers, field))
    return found


def read_taggers(sections: Mapping[str, Section], file_name: str | Path) -> ChartTaggers:
    """Return the taggers of a file; raise InputError."""
    frequent = frozenset(line.text for line in section_of(sections, FREQUENT, file_name).lines)
    tags, begins, ends, unaries = (
        read_tagger(section_of(sections, name, file_name)) for name in SECTIONS.values()
    )
    return ChartTaggers(tags, begins, ends, unaries, frequent)


def tagger_lines(tagger: SequenceTagger) -> Iterator[str]:
    yield f"order {tagger.order}"
    yield f"conditioned {'yes' if tagger.is_conditioned else 'no'}"
    yield " ".join(["tags", *tagger.tags])
    yield " ".join(["templates", *tagger.templates.names])
    states = state_names(tagger.tags, tagger.order)
    for before, state in zip(*np.nonzero(np.isfinite(tagger.transitions)), strict=True):
        tag = tagger.tags[state % len(tagger.tags)]
        yield f"after {states[before]} {tag}\t{_number(tagger.transitions[before, state])}"
    columns = column_names(tagger.tags, tagger.is_conditioned)
    ends = tagger.starts.tolist()
    entries = [
        f"{columns[column]} {_number(weight)}"
        for column, weight in zip(tagger.columns.tolist(), tagger.weights.tolist(), strict=True)
    ]
    for number, name in enumerate(tagger.names):
        yield "\t".join([name, *entries[ends[number] : ends[number + 1]]])


def read_tagger(section: Section) -> SequenceTagger:
    """Return the tagger of a section; raise InputError."""
    shape = _shape(section)
    rest = section.lines[len(HEADER) :]
    transitions = np.full((states_of(len(shape.tags), shape.order),) * 2, -np.inf)
    features = _read_transitions(section, rest, shape, transitions)
    names, starts, columns, weights = _read_features(section, rest[features:], shape)
    return SequenceTagger(
        shape.tags,
        shape.order,
        shape.templates,
        shape.is_conditioned,
        names,
        np.array(starts, np.int32),
        np.array(columns, np.int32),
        np.array(weights, np.float32),
        transitions,
    )


def state_names(tags: tuple[str, ...], order: int) -> list[str]:
    """Return the names of states: their tags, separated by >."""
    return [">".join(state) for state in product(tags, repeat=max(1, order))]


def column_names(tags: tuple[str, ...], is_conditioned: bool) -> list[str]:
    """Return the names of columns of weights: tags, then optionally pairs of tags."""
    pairs = (">".join(pair) for pair in product(tags, repeat=2)) if is_conditioned else ()
    return [*tags, *pairs]


def _number(value: float) -> str:
    return f"{value:.{DECIMALS}f}"


def _shape(section: Section) -> TaggerShape:
    """Return the shape in the first lines of a tagger."""
    values = []
    for name, line in zip(HEADER, section.lines, strict=False):
        first, *rest = line.text.split(" ")
        if first != name or not rest:
            section.refuse(f"the tagger's {name} have to stand here", line)
        values.append((rest, line))
    if len(values) < len(HEADER):
        section.refuse(f"the tagger has to begin with {', '.join(HEADER)}")
    (order, line), (conditioned, _), (tags, _), (templates, place) = values
    if order[0] not in ("0", "1", "2"):
        section.refuse(f"the Markov order is 0, 1 or 2, and not {order[0]!r:.40}", line)
    read = [_template(section, name, place) for name in templates]
    return TaggerShape(tuple(tags), int(order[0]), Templates(read), conditioned == ["yes"])


def _template(section: Section, name: str, line: Line) -> Template:
    if name == "always":
        return ()
    fields = []
    for text in name.split(","):
        match = FIELD.fullmatch(text)
        if match is None or match[1] not in NUMBER_OF_KIND:
            section.refuse(f"there is no template {name!r:.40}", line)
        fields.append(Field(match[1], int(match[2] or 0)))
    return tuple(fields)


def _read_transitions(section: Section, lines: list[Line], shape: TaggerShape, transitions: Floats) -> int:
    """Fill in the transitions; return the number of their lines."""
    tags, order = shape.tags, shape.order
    states = {name: number for number, name in enumerate(state_names(tags, order))}
    for number, line in enumerate(lines):
        if not line.text.startswith("after "):
            return number
        try:
            told, weight = line.text.split("\t")
            _, before, tag = told.split(" ")
            state = [*before.split(">")[1:], tag] if order == 2 else [tag]
            transitions[states[before], states[">".join(state)]] = float(weight)
        except (ValueError, KeyError):
            section.refuse("a transition is `after`, tags, a tag, a tab and a number", line)
    return len(lines)


def _read_features(
    section: Section, lines: list[Line], shape: TaggerShape
) -> tuple[tuple[str, ...], list[int], list[int], list[float]]:
    """Return names of features, starts of their entries, and the columns and weights of these."""
    places = {name: number for number, name in enumerate(column_names(shape.tags, shape.is_conditioned))}
    lengths = map(len, shape.templates.templates)
    templates = dict(zip(shape.templates.names, lengths, strict=True))
    names, starts, columns, weights = [], [0], [], []
    for line in lines:
        name, *entries = line.text.split("\t")
        template, *texts = name.split(" ")
        if templates.get(template) != len(texts):
            section.refuse(f"the feature {name!r:.60} has no such template, or not as many parts", line)
        try:
            for entry in entries:
                column, _, weight = entry.rpartition(" ")
                columns.append(places[column])
                weights.append(float(weight))
        except (ValueError, KeyError):
            section.refuse("the weights of a feature are a tag, a blank and a number each", line)
        names.append(name)
        starts.append(len(columns))
    return tuple(names), starts, columns, weights
