"""Models with a grammar, taggers, and parameters of constraints, as a text that people can read.

A grammar is in sections with counts, which determine all else:

    [grammar]
    start ROOT
    side right
    markov 2
    parents no
    chains no

    [binary]
    1512 S NP @S:VP_.

    [unary]
    402 ROOT S

    [words]
    5021 DT the

A line has a count, then for a rule its parent and its children, for a word its tag and the word. `markov all`
names all children of an incomplete symbol. Lines may be in any order, each rule and each word once.

The section of the constraints

    [constraints]
    usual ghp+unary+quad
    ghp 40.0
    ...

comes before the sections of the grammar and of the taggers (`tagger_files`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final, Literal

from treewhile.incremental.constituents.binarization import Binarization, is_incomplete
from treewhile.incremental.constituents.chart_constraints import (
    OperatingPoints,
    constraint_names,
)
from treewhile.incremental.constituents.chart_taggers import ChartTaggers
from treewhile.incremental.constituents.sectioned_files import (
    Line,
    Section,
    read_sections,
    section_of,
    write_sections,
)
from treewhile.incremental.constituents.tagger_files import read_taggers, tagger_sections
from treewhile.incremental.constituents.treebank_grammars import Rule, TreebankGrammar
from treewhile.oracles.errors import InputError

FORM: Final = "grammar"
CHILDREN: Final = {"binary": 2, "unary": 1}
WORDS: Final = "words"
YES: Final = {True: "yes", False: "no"}
LARGEST: Final = 10**15  # maximum count, so that sums in floats are exact


def grammar_sections(grammar: TreebankGrammar) -> dict[str, Iterable[str]]:
    """Return the sections from which `grammar_in` restores the grammar."""
    return {
        FORM: _form_lines(grammar),
        **{name: _rule_lines(grammar.rules, children) for name, children in CHILDREN.items()},
        WORDS: _lines(grammar.words.items()),
    }


def grammar_in(sections: Mapping[str, Section], file_name: str | Path) -> TreebankGrammar:
    """Return the grammar of a file; raise InputError."""
    form = section_of(sections, FORM, file_name)
    start, binarization = _form(form)
    rules: dict[Rule, int] = {}
    for name, children in CHILDREN.items():
        rules |= _counts(section_of(sections, name, file_name), children + 1)
    words = section_of(sections, WORDS, file_name)
    tags = {(tag, word): count for (tag, word), count in _counts(words, 2).items()}
    if not tags:
        words.refuse("there are no words, add one with a tag")
    try:
        grammar = TreebankGrammar(binarization, start, rules, tags)
    except InputError as error:
        raise InputError(f"{error}, at {form.file_name}:{form.first_line}") from error
    _check_symbols(grammar, sections)
    return grammar


def _form_lines(grammar: TreebankGrammar) -> Iterator[str]:
    side, markov, with_parents, joins_chains = grammar.form
    yield f"start {grammar.start}"
    yield f"side {side}"
    yield f"markov {'all' if markov is None else markov}"
    yield f"parents {YES[with_parents]}"
    yield f"chains {YES[joins_chains]}"


def _rule_lines(rules: Mapping[Rule, int], children: int) -> Iterator[str]:
    return _lines((rule, count) for rule, count in rules.items() if len(rule) == children + 1)


def _lines(counts: Iterable[tuple[tuple[str, ...], int]]) -> Iterator[str]:
    """Yield lines of counts, sorted by parent, largest count first."""
    for names, count in sorted(counts, key=lambda item: (item[0][0], -item[1], item[0])):
        yield " ".join([str(count), *names])


def _form(section: Section) -> tuple[str, Binarization]:
    """Return the start symbol and the binarization in a section."""
    told: dict[str, tuple[str, Line]] = {}
    for line in section.lines:
        name, _, value = line.text.partition(" ")
        if name in told or not value:
            section.refuse(f"{line.text!r:.40} has to be a name and a value, each name once", line)
        told[name] = value, line
    start = _told(section, told, "start")
    side: Literal["left", "right"] = (
        "left" if _told(section, told, "side", "right", "left") == "left" else "right"
    )
    order = _told(section, told, "markov", "all", *map(str, range(10)))
    parents, chains = (_told(section, told, name, *YES.values()) == "yes" for name in ("parents", "chains"))
    return start, Binarization(side, None if order == "all" else int(order), parents, chains)


def _told(section: Section, told: Mapping[str, tuple[str, Line]], name: str, *choices: str) -> str:
    if name not in told:
        what = "no start symbol" if name == "start" else f"no {name!r}"
        section.refuse(f"the grammar has {what}, add a line '{name} ...'")
    value, line = told[name]
    if choices and value not in choices:
        section.refuse(f"{name!r} is {value!r:.40} and has to be {' or '.join(choices)}", line)
    return value


def _counts(section: Section, names: int) -> dict[tuple[str, ...], int]:
    """Return the counts in a section, with so many names behind each count."""
    counts: dict[tuple[str, ...], int] = {}
    for line in section.lines:
        count, *found = line.text.split(" ")
        key = tuple(found)
        if len(found) != names or "" in found:
            section.refuse(
                f"{line.text!r:.40} has to be a count and {names} names, with blanks between", line
            )
        if not (count.isascii() and count.isdigit() and 0 < int(count[:20]) <= LARGEST):
            section.refuse(f"the count {count!r:.40} has to be a number from 1 to {LARGEST}", line)
        if key in counts:
            section.refuse(f"{' '.join(key)!r:.40} was counted before, delete one of the lines", line)
        counts[key] = int(count)
    return counts


def _check_symbols(grammar: TreebankGrammar, sections: Mapping[str, Section]) -> None:
    """Refuse symbols that derive no words, and incomplete ones in wrong positions."""
    known = {rule[0] for rule in grammar.rules} | {tag for tag, _ in grammar.words}
    spine = 1 if grammar.form.side == "left" else 2
    for name, symbols, places in (("binary", 3, (0, spine)), ("unary", 2, ()), (WORDS, 1, ())):
        for line in sections[name].lines:
            for place, symbol in enumerate(line.text.split(" ")[1 : symbols + 1]):
                if symbol not in known:
                    sections[name].refuse(f"{symbol!r:.40} has neither rules nor words, add one", line)
                if is_incomplete(symbol) and place not in places:
                    what = f"the incomplete symbol {symbol!r:.40} cannot stand here in a grammar"
                    sections[name].refuse(f"{what} that is binary on the {grammar.form.side}", line)


SECTION: Final = "constraints"
USUAL: Final = "usual"
COMPRESSED: Final = b"\x1f\x8b"


@dataclass(frozen=True, eq=False)
class GrammarModel:
    """Grammar with taggers, parameters of constraints, and the default constraints."""

    grammar: TreebankGrammar
    taggers: ChartTaggers
    points: OperatingPoints
    usual: tuple[str, ...]


def write_grammar_model(path: str | Path, model: GrammarModel) -> None:
    """Write the model, compressed if the name ends in `.gz`."""
    parts = {SECTION: _constraint_lines(model), **grammar_sections(model.grammar)}
    write_sections(path, parts | tagger_sections(model.taggers))


def read_grammar_model(path: str | Path) -> GrammarModel:
    """Return the model of a file; raise InputError."""
    sections = read_sections(path)
    usual, points = _constraints(section_of(sections, SECTION, path))
    return GrammarModel(grammar_in(sections, path), read_taggers(sections, path), points, usual)


def is_grammar_model(path: str | Path) -> bool:
    """Return whether a file begins like a grammar model."""
    try:
        with open(path, "rb") as file:
            start = file.read(2)
    except OSError:
        return False
    return start == COMPRESSED or start[:1] == b"["


def _constraint_lines(model: GrammarModel) -> Iterator[str]:
    yield f"{USUAL} {'+'.join(model.usual) or 'none'}"
    for field in fields(OperatingPoints):
        yield f"{field.name} {getattr(model.points, field.name)}"


def _constraints(section: Section) -> tuple[tuple[str, ...], OperatingPoints]:
    """Return the default constraints, and the parameters of all."""
    known = {field.name for field in fields(OperatingPoints)}
    usual: tuple[str, ...] = ()
    points: dict[str, float] = {}
    for line in section.lines:
        name, _, value = line.text.partition(" ")
        if name != USUAL and name not in known:
            section.refuse(f"{name!r:.40} is no constraint", line)
        try:
            if name == USUAL:
                usual = constraint_names(value)
            else:
                points[name] = float(value)
        except InputError as error:
            section.refuse(str(error), line)
        except ValueError:
            section.refuse(f"{line.text!r:.40} has to be a constraint and a number", line)
    return usual, OperatingPoints(**points)
