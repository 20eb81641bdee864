"""First grammars from treebanks: word order, distances, agreement, uniqueness and valency by relation.

Candidates come from counts of the edges of a treebank. Then they are counted as constraints, exactly as
`statistics` counts those of any grammar: a candidate stays if it has enough cases and few exceptions, and
its penalty is the share of exceptions to the power of 0.3, as in the installed grammars. Constraints on the
tags of relations are left to the included grammar: more of them made trees worse, in German and Dutch.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.grammars import parse_grammar
from treewhile.incremental.constraints.language.terms import relation_of
from treewhile.incremental.constraints.machine.attributes import values_of
from treewhile.incremental.constraints.workbench.statistics import ConstraintCounts, count, words_of
from treewhile.incremental.treebanks.treebank import Sentence, Word

LEAST_CASES: Final = 20
MOST_BROKEN: Final = 0.08  # share of the cases
SURE: Final = 0.95  # share of edges from which an order is a rule
NEAR: Final = 0.98  # share of edges that are not longer than near ones
LIFT: Final = 1.2  # how much more often features agree, or companions come, than by chance
POWER: Final = 0.3  # the arc scorer knows most already
HARDEST: Final = 0.02
LONGEST_SHOWN: Final = 12  # words around an exception

SECTIONS: Final = {
    "order": "On which side of their heads words stand.",
    "distance": "How far words stand from their heads.",
    "agreement": "Features in which words agree with their heads.",
    "uniqueness": "Relations that come once under a head.",
    "valency": "Relations that come together under a head, or never do.",
}


class Candidate(NamedTuple):
    """Constraint before it is counted; the example is an edge that keeps it."""

    section: str
    name: str
    edges: str
    formula: str
    example: str = ""


class Rule(NamedTuple):
    """Candidate that stays, with its counts and penalty, and an exception in the treebank, if any."""

    candidate: Candidate
    counts: ConstraintCounts
    penalty: float
    exception: str


class EdgeCounts:
    """Counts of the edges of a treebank, by relation."""

    def __init__(self) -> None:
        self.edges, self.left = Counter[str](), Counter[str]()
        self.distances: dict[str, Counter[int]] = defaultdict(Counter)
        self.values: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        self.heads, self.many = (
            Counter[str](),
            Counter[str](),
        )  # that have a relation below them, or two of it
        self.together = Counter[tuple[str, str]]()
        self.all_heads = 0
        self.examples: dict[str, str] = {}

    def add(self, sentence: Sentence) -> None:
        below: dict[int, Counter[str]] = defaultdict(Counter)
        for number, word in enumerate(sentence.words, 1):
            relation, head = relation_of(word.deprel), int(word.head)
            below[head][relation] += 1
            if head:
                self._add_edge(relation, number, word, head, sentence.words[head - 1])
        for head, relations in below.items():
            if head:
                self._add_family(relations)

    def _add_edge(self, relation: str, number: int, word: Word, head_number: int, head: Word) -> None:
        self.edges[relation] += 1
        self.left[relation] += number < head_number
        self.distances[relation][abs(number - head_number)] += 1
        pair = (word.form, head.form) if number < head_number else (head.form, word.form)
        self.examples.setdefault(relation, " ... ".join(pair))
        theirs = values_of(head.feats)
        for feature, value in values_of(word.feats).items():
            if feature in theirs:
                self.values[relation, feature][value, theirs[feature]] += 1

    def _add_family(self, relations: Mapping[str, int]) -> None:
        self.all_heads += 1
        self.heads.update(relations.keys())
        self.many.update(relation for relation, number in relations.items() if number > 1)
        self.together.update(combinations(sorted(relations), 2))


def candidates_of(counts: EdgeCounts) -> Iterator[Candidate]:
    """Yield the constraints that counts suggest."""
    for kind in (_orders, _distances, _agreements, _unique, _valencies):
        yield from kind(counts)


def _frequent(counts: EdgeCounts) -> Iterator[tuple[str, int]]:
    for relation, number in counts.edges.most_common():
        if number >= LEAST_CASES:
            yield relation, number


def _orders(counts: EdgeCounts) -> Iterator[Candidate]:
    for relation, number in _frequent(counts):
        share = counts.left[relation] / number
        side = "left" if share >= SURE else "right" if 1 - share >= SURE else ""
        if side:
            formula = f"X.relation = {_quoted(relation)} -> X.direction = {side}"
            yield Candidate("order", f"{relation} stands {side}", "X", formula, counts.examples[relation])


def _distances(counts: EdgeCounts) -> Iterator[Candidate]:
    for relation, number in _frequent(counts):
        longest, seen = 0, 0
        while seen < NEAR * number:
            longest += 1
            seen += counts.distances[relation][longest]
        formula = f"X.relation = {_quoted(relation)} -> X.distance <= {longest}"
        yield Candidate("distance", f"{relation} is near", "X", formula, counts.examples[relation])


def _agreements(counts: EdgeCounts) -> Iterator[Candidate]:
    for (relation, feature), pairs in sorted(counts.values.items()):
        number = pairs.total()
        mine, theirs = Counter[str](), Counter[str]()
        for (one, other), times in pairs.items():
            mine[one] += times
            theirs[other] += times
        same = sum(times for (one, other), times in pairs.items() if one == other) / number
        chance = sum(mine[value] * theirs[value] for value in mine) / number**2
        if number >= LEAST_CASES and same >= 1 - MOST_BROKEN and same >= min(LIFT * chance, 1 - chance / 10):
            of = f"X.{_quoted(feature)}, X.head.{_quoted(feature)}"
            formula = f"X.relation = {_quoted(relation)} -> agree({of})"
            yield Candidate("agreement", f"{relation} agrees in {feature}", "X", formula)


def _unique(counts: EdgeCounts) -> Iterator[Candidate]:
    for relation, number in counts.heads.most_common():
        if number >= LEAST_CASES and counts.many[relation] <= (1 - SURE) * number:
            word = _quoted(relation)
            formula = f"X.relation = {word} -> Y.relation != {word}"
            yield Candidate("uniqueness", f"one {relation}", "X and Y under one head", formula)


def _valencies(counts: EdgeCounts) -> Iterator[Candidate]:
    for (one, other), times in sorted(counts.together.items()):
        for given, needed in ((one, other), (other, one)):
            share, usual = times / counts.heads[given], counts.heads[needed] / counts.all_heads
            if counts.heads[given] >= LEAST_CASES and share >= 1 - MOST_BROKEN and share >= LIFT * usual:
                formula = f"X.relation = {_quoted(given)} -> has(X.head, {{{_quoted(needed)}}})"
                yield Candidate("valency", f"{given} needs {needed}", "X", formula)
    frequent = sorted(relation for relation, number in counts.heads.items() if number >= LEAST_CASES)
    for one, other in combinations(frequent, 2):
        expected = counts.heads[one] * counts.heads[other] / counts.all_heads
        if expected >= LEAST_CASES and counts.together[one, other] <= (1 - SURE) * expected:
            formula = f"X.relation = {_quoted(one)} -> not has(X.head, {{{_quoted(other)}}})"
            yield Candidate("valency", f"no {other} beside {one}", "X", formula)


def _quoted(word: str) -> str:
    is_plain = word.isascii() and word.isalpha() and len(word) > 1
    return word if is_plain else json.dumps(word, ensure_ascii=False)


# --- rules and texts ----------------------------------------------------------------------------------------


def rules_of(sentences: Sequence[Sentence], advance: Callable[[int], None] = lambda _: None) -> list[Rule]:
    """Return the rules of a treebank, in the order of sections."""
    counts = EdgeCounts()
    for sentence in sentences:
        counts.add(sentence)
        advance(1)
    candidates = [*candidates_of(counts)]
    grammar = parse_grammar("\n".join(_constraint(candidate, 0.5) for candidate in candidates))
    counted = count(grammar, sentences, advance=advance)
    return [
        Rule(candidate, of, _penalty(of), _exception(sentences, of))
        for candidate, of in zip(candidates, counted, strict=True)
        if of.cases >= LEAST_CASES and of.broken <= MOST_BROKEN * of.cases
    ]


def _penalty(of: ConstraintCounts) -> float:
    share = (of.broken + 0.5) / (of.cases + 1)
    return float(f"{max(share**POWER, HARDEST):.2g}")


def _exception(sentences: Sequence[Sentence], of: ConstraintCounts) -> str:
    if not of.examples:
        return ""
    sentence = sentences[of.examples[0].sentence - 1]
    words = words_of(of.examples[0], [word.head for word in sentence.words])
    forms = [f"*{one.form}*" if n in words else one.form for n, one in enumerate(sentence.words, 1)]
    first = max(0, words[0] - 1 - LONGEST_SHOWN // 3)
    return " ".join(forms[first : max(first + LONGEST_SHOWN, words[-1] + 1)])


def _constraint(candidate: Candidate, penalty: float) -> str:
    _, name, edges, formula, _ = candidate
    return f"constraint {json.dumps(name, ensure_ascii=False)} penalty {penalty:g}, {edges}:\n    {formula}\n"


def grammar_text_of(rules: Sequence[Rule], language: str, source: str, sentences: int) -> str:
    """Return the text of a grammar with some rules, each with its counts and examples in comments."""
    lines = [
        f"# A first grammar of {language}, from the {sentences:,} sentences of {source}. Above each",
        "# constraint stands how many of its cases in the treebank break it, an edge that keeps it, and an",
        "# exception. Edit it: throw out what is chance, say what you know.",
        "",
        "include general",
    ]
    for section, about in SECTIONS.items():
        inside = [rule for rule in rules if rule.candidate.section == section]
        if inside:
            lines += ["", f"section {json.dumps(f'{language} {section}')}", "", f"# {about}", ""]
            lines += [line for rule in inside for line in (*_comments(rule), _written(rule, language))]
    return "\n".join(lines)


def _written(rule: Rule, language: str) -> str:
    named = rule.candidate._replace(name=f"{language}: {rule.candidate.name}")
    return _constraint(named, rule.penalty)


def _comments(rule: Rule) -> Iterator[str]:
    of = rule.counts
    yield f"# broken in {of.broken:,} of {of.cases:,} cases" + (
        f"; kept in: {_safe(rule.candidate.example)}" if rule.candidate.example else ""
    )
    if rule.exception:
        yield f"# broken in: {_safe(rule.exception)}"


def _safe(text: str) -> str:
    return " ".join(text.split())
