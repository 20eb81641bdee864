"""Name lookup and type checks of written constraints: items become constraints of terms.

Each rule below returns the term of an expression, or raises an InputError with its place. Constants are
folded at once, so a constant penalty is known to lie between 0 and 1, and no constant divides by zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final, NamedTuple

from treewhile.incremental.constraints.language.known_names import FEATURES
from treewhile.incremental.constraints.language.terms import (
    AFFIX_CALLS,
    ARITHMETIC,
    ARITHMETIC_SIGNS,
    CALLS,
    CONTEXT_ATTRIBUTES,
    DIRECTIONS,
    EDGE_ATTRIBUTES,
    EDGES_MAY_CROSS,
    FEATURE,
    FUNCTIONS,
    LOGIC_SIGNS,
    NAMES,
    NEIGHBOURS,
    NODE_ATTRIBUTES,
    NODE_TESTS,
    ORDER_SIGNS,
    PREDICTIONS,
    RELATION_OPERATIONS,
    SCORED,
    SCORES,
    SET_CALLS,
    TOLD,
    Asked,
    Constraint,
    Kind,
    MessageText,
    NameUse,
    Penalty,
    Relation,
    Term,
)
from treewhile.incremental.constraints.language.written import (
    RELATIONS,
    Broken,
    Expression,
    OtherPenalty,
    Place,
    WordSet,
    WrittenConstraint,
    WrittenMessage,
    problem,
)


class PlacedWords(NamedTuple):
    """Words of a set, and the places of them."""

    words: frozenset[str]
    places: Mapping[str, Place]

    @classmethod
    def of(cls, words: Iterable[str], places: Iterable[Place]) -> PlacedWords:
        placed = dict(zip(words, places, strict=True))
        return cls(frozenset(placed), placed)


Sets = Mapping[str, PlacedWords]
COUNTS: Final = frozenset({"distance", "count", "position"}) | SCORED  # always at least 0


class Scope:
    """Sets and constraints by name that are defined before an item."""

    def __init__(self) -> None:
        self.sets: dict[str, PlacedWords] = {}
        self.constraints: dict[str, Constraint] = {}
        self._broken: set[str] = set()  # names of constraints with mistakes

    def add(self, item: WordSet | WrittenConstraint | OtherPenalty | Broken) -> None:
        match item:
            case WordSet():
                _refuse_second(item.name, item.name in self.sets, "set", item.place)
                self.sets[item.name] = PlacedWords.of(item.words, item.places)
            case WrittenConstraint():
                _refuse_second(item.name, item.name in self.constraints, "constraint", item.place)
                self._broken.add(item.name)
                self.constraints[item.name] = checked_constraint(item, self.sets)
                self._broken.remove(item.name)
            case OtherPenalty() if item.name not in self._broken:
                self.constraints[item.name] = self._with_other_penalty(item)
            case Broken("set"):
                self.sets.setdefault(item.name, PlacedWords(frozenset(), {}))
            case Broken():
                self._broken.add(item.name)

    def _with_other_penalty(self, item: OtherPenalty) -> Constraint:
        before = self.constraints.get(item.name)
        if before is None:
            what = f"no constraint named {item.name!r:.60} stands before"
            raise problem(f"{what}{suggestion(item.name, self.constraints)}", item.place)
        return before.with_penalty(_Checker(self.sets, before.relation).penalty(item.penalty))


def _refuse_second(name: str, is_second: bool, what: str, place: Place) -> None:
    if is_second:
        raise problem(f"there is a {what} named {name!r:.60} already: give this one another name", place)


def checked_constraint(written: WrittenConstraint, sets: Sets) -> Constraint:
    relation = Relation(RELATIONS.index(written.relation) + 1 if written.relation else 0)
    checker = _Checker(sets, relation)
    return Constraint(
        written.name,
        written.section,
        None if written.penalty is None else checker.penalty(written.penalty),
        relation,
        checker.term(written.formula, Kind.TRUTH),
        None if written.message is None else checker.message(written.message),
        written.place,
        (*checker.uses,),
        (*checker.divisions,),
    )


class _Checker:
    def __init__(self, sets: Sets, relation: Relation) -> None:
        self._sets = sets
        self.uses: list[NameUse] = []
        self.divisions: list[Place] = []
        self._edges = ("X",) if relation == Relation.ONE_EDGE else ("X", "Y")

    def penalty(self, written: Expression) -> Penalty:
        term = self.term(written, Kind.NUMBER)
        if term.operation != "number":
            return term
        if not 0 <= term.value <= 1:
            raise problem(f"the penalty {term.value:g} has to be a number from 0 to 1", written.place)
        return float(term.value)

    def message(self, written: WrittenMessage) -> MessageText:
        parts = [part if isinstance(part, str) else self._told(part) for part in written.parts]
        return MessageText((*parts,), None if written.marks is None else self.term(written.marks, Kind.NODE))

    def _told(self, written: Expression) -> Term:
        """Return the term in braces in a sentence, which must be a word or a name."""
        term = self._any(written)
        if term.operation == "word" or term.kind not in TOLD:
            what = f"{_described(written, term)} stands in braces, where a word's node has to stand"
            raise problem(f"{what}, for example {{X}} or {{X.head}}", written.place)
        return term

    def term(self, written: Expression, kind: Kind) -> Term:
        """Return the term of an expression, which must be of this kind."""
        term = self._any(written)
        if term.kind != kind:
            raise problem(
                f"{_described(written, term)} stands here, where a {kind} has to stand", written.place
            )
        return term

    def _any(self, written: Expression) -> Term:
        match written.form:
            case "number":
                return Term("number", Kind.NUMBER, value=written.value)
            case "truth":
                return Term("truth", Kind.TRUTH, value=written.value)
            case "text":
                return Term("word", Kind.WORD, value=written.value)
            case "name":
                return self._name(written)
            case "attribute":
                return self._attribute(written)
            case "call":
                return self._call(written)
            case "operation":
                return self._operation(written)
        raise problem(
            "a set stands here, where only `in`, has, count, under, between, starts and ends take one",
            written.place,
        )

    def _name(self, written: Expression) -> Term:
        if written.value in ("X", "Y"):
            return Term("dependent", Kind.NODE, value=self._edge(written))
        if written.value == EDGES_MAY_CROSS:
            return Term(EDGES_MAY_CROSS, Kind.TRUTH)
        return Term("word", Kind.WORD, value=written.value)

    def _edge(self, written: Expression) -> str:
        if written.form != "name" or written.value not in ("X", "Y"):
            raise problem("an edge has to stand here: X, or Y in a constraint on two edges", written.place)
        if written.value not in self._edges:
            raise problem("Y is no edge here: the constraint is on one edge, X", written.place)
        return str(written.value)

    # --- attributes -----------------------------------------------------------------------------------------

    def _attribute(self, written: Expression) -> Term:
        (of,) = written.operands
        name = written.value
        if of.form == "name" and name in EDGE_ATTRIBUTES:
            operation, kind = EDGE_ATTRIBUTES[name]
            return Term(operation, kind, value=self._edge(of))
        node = self.term(of, Kind.NODE)
        if node.operation == "dependent" and name in CONTEXT_ATTRIBUTES:  # X.dependent.head is X.head
            operation, kind = EDGE_ATTRIBUTES[name]
            return Term(operation, kind, value=node.value)
        if name in CONTEXT_ATTRIBUTES:
            return Term(*CONTEXT_ATTRIBUTES[name], (node,))
        if name == "position":
            return Term("position", Kind.NUMBER, (node,))
        if name in NEIGHBOURS:
            return Term(name, Kind.NODE, (node,))
        if name in NODE_ATTRIBUTES:
            return Term("attribute", NODE_ATTRIBUTES[name], (node,), name)
        if name[:1].isupper():
            self._note(Asked.FEATURE, name, written.name_place or written.place)
            return Term("attribute", Kind.FEATURE, (node,), FEATURE + name)
        known = (*NODE_ATTRIBUTES, "position", *NEIGHBOURS, *EDGE_ATTRIBUTES)
        raise problem(
            f"there is no attribute {name!r:.40}{_feature_hint(name) or suggestion(name, known)}",
            written.place,
        )

    # --- calls ----------------------------------------------------------------------------------------------

    def _call(self, written: Expression) -> Term:
        name, arguments = written.value, written.operands
        if name in NODE_TESTS:
            return Term(name, Kind.TRUTH, (self.term(self._arguments(written, 1)[0], Kind.NODE),))
        if name in SCORES:
            return Term(name, Kind.NUMBER, value=self._edge(*self._arguments(written, 1)))
        if name == "covers_outsider":
            return Term(name, Kind.TRUTH, value=self._edge(*self._arguments(written, 1)))
        if name in FUNCTIONS:
            self._arguments(written, 1 if name == "abs" else 2)
            return self._computed(FUNCTIONS[name], arguments, written.place)
        if name in SET_CALLS and len(arguments) == 1:
            return Term(name, SET_CALLS[name], (self.term(arguments[0], Kind.NODE),))
        if name == "exists":
            return self._exists(*self._arguments(written, 1))
        self._arguments(written, 2)
        return self._call_of_two(written)

    def _call_of_two(self, written: Expression) -> Term:
        name, (first, second) = written.value, written.operands
        if name in SET_CALLS:
            labels = self._set_of(Asked.LABEL_OR_RELATION, second)
            return Term(name, SET_CALLS[name], (self.term(first, Kind.NODE),), labels)
        if name in AFFIX_CALLS:
            return Term(name, Kind.TRUTH, (self.term(first, Kind.NODE),), self._affixes(second))
        if name == "agree":
            return self._agreeing(written)
        if name == "between":
            return Term(name, Kind.TRUTH, value=(self._edge(first), self._set_of(Asked.TAG, second)))
        if name == "dominates":
            return Term(name, Kind.TRUTH, (self.term(first, Kind.NODE), self.term(second, Kind.NODE)))
        predictor = _predictor(first)
        self._note(Asked.PREDICTOR, predictor, first.place)
        return Term(name, PREDICTIONS[name], (self.term(second, Kind.NODE),), predictor)

    def _arguments(self, written: Expression, count: int) -> tuple[Expression, ...]:
        """Return the arguments of a call, whose number must be right."""
        if written.value not in CALLS:
            raise problem(
                f"there is no term {written.value}(...){suggestion(written.value, CALLS)}", written.place
            )
        given = len(written.operands)
        if given != count:
            many = "one argument" if count == 1 else f"{count} arguments"
            raise problem(f"{written.value} takes {many}, and {given} stand here", written.place)
        return written.operands

    def _exists(self, of: Expression) -> Term:
        term = self._any(of)
        if term.kind == Kind.TRUTH:
            raise problem("a truth value always exists: ask for a node, a number or a name", of.place)
        return Term("number_exists" if term.kind == Kind.NUMBER else "exists", Kind.TRUTH, (term,))

    def _set_of(self, kind: Asked, written: Expression) -> frozenset[str]:
        """Return the words of a set in which names of a kind stand."""
        found = self._set(written)
        self.uses.append(NameUse(kind, found.places))
        return found.words

    def _note(self, kind: Asked, name: str, place: Place, of: str = "") -> None:
        self.uses.append(NameUse(kind, {name: place}, of))

    def _note_names(self, asked: Term, places: Mapping[str, Place]) -> None:
        """Note the names with which a term is compared, if it is known which there are."""
        if asked.kind == Kind.FEATURE:
            self.uses.append(NameUse(Asked.VALUE, places, asked.value.removeprefix(FEATURE)))
        elif asked.kind == Kind.TAG:
            self.uses.append(NameUse(Asked.TAG, places))
        elif asked.kind == Kind.LABEL:
            kind = Asked.RELATION if asked.operation in RELATION_OPERATIONS else Asked.LABEL
            self.uses.append(NameUse(kind, places))

    def _set(self, written: Expression) -> PlacedWords:
        if written.form == "set":
            return PlacedWords.of(written.value, (word.place for word in written.operands))
        if written.form != "name":
            raise problem("a set has to stand here: {some, words} or the name of a set", written.place)
        if written.value not in self._sets:
            what = f"there is no set {written.value}{suggestion(written.value, self._sets)}"
            raise problem(f"{what}, or define it before: set {written.value} = {{...}}", written.place)
        return self._sets[written.value]

    def _affixes(self, written: Expression) -> frozenset[str]:
        affixes = self._set(written).words
        if "" in affixes:
            raise problem("every word starts and ends with nothing: leave it out of the set", written.place)
        return frozenset(affix.casefold() for affix in affixes)

    # --- operations -----------------------------------------------------------------------------------------

    def _operation(self, written: Expression) -> Term:
        sign = written.value
        if sign in LOGIC_SIGNS:
            operands = tuple(self.term(operand, Kind.TRUTH) for operand in written.operands)
            return Term(LOGIC_SIGNS[sign], Kind.TRUTH, operands)
        if sign in ARITHMETIC_SIGNS:
            return self._computed(ARITHMETIC_SIGNS[sign], written.operands, written.place)
        if sign in ORDER_SIGNS:
            operation, is_turned = ORDER_SIGNS[sign]
            operands = tuple(self.term(operand, Kind.NUMBER) for operand in written.operands)
            return Term(operation, Kind.TRUTH, operands[::-1] if is_turned else operands)
        left, right = written.operands
        if sign == "in":
            return self._member(left, right)
        return self._compared(sign == "=", left, right, written.place)

    def _member(self, left: Expression, right: Expression) -> Term:
        term, words = self._any(left), self._set(right)
        if term.kind not in NAMES:
            raise problem(f"{_described(left, term)} stands here, where a name has to stand", left.place)
        for word in words.words:
            _check_direction(term.kind, word, right.place)
        self._note_names(term, words.places)
        return Term("member", Kind.TRUTH, (term,), words.words)

    def _compared(self, is_equal: bool, left: Expression, right: Expression, place: Place) -> Term:
        a, b = self._any(left), self._any(right)
        fits = a.kind == b.kind != Kind.TRUTH or (Kind.WORD in (a.kind, b.kind) and {a.kind, b.kind} <= NAMES)
        if not fits:
            what = f"{_described(left, a)} cannot be compared with {_described(right, b)}"
            raise problem(f"{what}: compare like with like" + _arrow_hint(a, b), place)
        for term, other, written in ((a, b, right), (b, a, left)):
            if other.operation == "word":
                _check_direction(term.kind, other.value, written.place)
                self._note_names(term, {other.value: written.place})
        equal = Term("equal" if a.kind == Kind.NUMBER else "same", Kind.TRUTH, (a, b))
        return equal if is_equal else Term("not", Kind.TRUTH, (equal,))

    def _agreeing(self, written: Expression) -> Term:
        left, right = written.operands
        a, b = self._any(left), self._any(right)
        if a.kind != b.kind or a.kind not in NAMES:
            what = f"{_described(left, a)} cannot agree with {_described(right, b)}"
            raise problem(f"{what}: agree takes two names of one kind", written.place)
        return Term("agree", Kind.TRUTH, (a, b))

    def _computed(self, operation: str, operands: Iterable[Expression], place: Place) -> Term:
        """Return a term for a number; a constant if its operands are constants."""
        terms = tuple(self.term(operand, Kind.NUMBER) for operand in operands)
        if operation == "divide" and terms[1].operation == "number" and terms[1].value == 0:
            raise problem("this divides by zero: correct the divisor", place)
        if operation == "divide" and _least(terms[1]) <= 0:
            self.divisions.append(place)
        if any(term.operation != "number" for term in terms):
            return Term(operation, Kind.NUMBER, terms)
        value = ARITHMETIC[operation](*(term.value for term in terms))
        if not math.isfinite(value):
            raise problem("the result of this is too large: use smaller numbers", place)
        return Term("number", Kind.NUMBER, value=float(value))


def _predictor(written: Expression) -> str:
    if written.form not in ("name", "text") or written.value in ("X", "Y"):
        raise problem("the name of a predictor has to stand here, for example committed", written.place)
    return str(written.value)


def _check_direction(kind: Kind, word: str, place: Place) -> None:
    if kind == Kind.DIRECTION and word not in DIRECTIONS:
        raise problem(f"{word!r:.40} is no direction: use left or right", place)


def _described(written: Expression, term: Term) -> str:
    """Return the description of an expression for a message."""
    if term.operation == "word":
        return f"the word {term.value!r:.40}"
    if written.form in ("attribute", "call"):
        return f"{written.value!s:.40}, a {term.kind},"
    return f"a {term.kind}"


def _least(term: Term) -> float:
    """Return a lower bound of a number, or of the absolute value of a constant."""
    if term.operation == "number":
        return abs(float(term.value))
    operands = [_least(operand) for operand in term.operands]
    match term.operation:
        case "add":
            return sum(operands)
        case "multiply" if min(operands) >= 0:
            return math.prod(operands)
        case "minimum":
            return min(operands)
        case "maximum":
            return max(operands)
        case "absolute":
            return max(operands[0], 0)
    return 0 if term.operation in COUNTS else -math.inf


def _arrow_hint(a: Term, b: Term) -> str:
    return ", and truth values by <->" if a.kind == b.kind == Kind.TRUTH else ""


def _feature_hint(name: str) -> str:
    """Return a hint to the feature whose name was not capitalized, or to what a search lacks."""
    if name in ("lemma", "xpos"):
        return ": a search does not know it, so compare lower, or ask starts(...) or ends(...)"
    near = [feature for feature in FEATURES if feature.lower() == name.lower()]
    return f": did you mean {near[0]}? Features are capitalized" if near else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar known name, or a general one."""
    by_lower = {other.lower(): other for other in sorted(known)}
    near = get_close_matches(name[:40].lower(), by_lower, 1)
    return f": did you mean {by_lower[near[0]]}?" if near else ": correct the name"
