"""Name lookup and type checks of written constraints: items become constraints of terms.

Each rule below returns the term of an expression, or raises an InputError with its place. Constants are
folded at once, so a constant penalty is known to lie between 0 and 1, and no constant divides by zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from treewhile.incremental.constraints.language.known_names import FEATURES
from treewhile.incremental.constraints.language.lexicon import Pattern, PatternError, Table
from treewhile.incremental.constraints.language.ranges import may_be_zero, never_holds, range_of
from treewhile.incremental.constraints.language.spellings import SPELT, misspelling
from treewhile.incremental.constraints.language.terms import (
    AFFIX_CALLS,
    ARITHMETIC,
    ARITHMETIC_SIGNS,
    CALLS,
    CONTEXT_ATTRIBUTES,
    DIRECTIONS,
    EDGE_ATTRIBUTES,
    EDGES_JUDGED,
    EDGES_MAY_CROSS,
    EXTENTS,
    FEATURE,
    FUNCTIONS,
    LEARNT,
    LOGIC_SIGNS,
    NAMES,
    NEIGHBOURS,
    NODE_ATTRIBUTES,
    NODE_TESTS,
    ORDER_SIGNS,
    PREDICTIONS,
    QUANTIFIERS,
    RELATION_OPERATIONS,
    SCORES,
    SET_CALLS,
    TOLD,
    Asked,
    Constraint,
    Example,
    Kind,
    MessageText,
    NameUse,
    Penalty,
    Relation,
    Term,
)
from treewhile.incremental.constraints.language.written import (
    DEEPEST,
    RELATIONS,
    Broken,
    Definition,
    Expression,
    GrammarError,
    Idle,
    OtherPenalty,
    Place,
    PlacedWords,
    TableFile,
    WordSet,
    WrittenConstraint,
    WrittenMessage,
    problem,
)

Made = TypeVar("Made")


DEEPEST_LOOP: Final = 3  # quantifiers in each other
MOST_TRIES: Final = 20_000  # combinations of nodes that a constraint looks at in a sentence of 20 words
LARGEST: Final = 10_000  # terms of a formula, definitions written out
MOST_KEPT: Final = 100_000  # results of checks, and terms in them


class FollowOnError(GrammarError):
    """Mistake that comes of another one, which is told."""


class KeptResults:
    """Results of checks by written item and what stands before it: after an edit most items are the same.

    They are told apart as objects, since comparing them takes long.
    """

    def __init__(self) -> None:
        self._by_item: dict[tuple[int, int], tuple[object, object, Any]] = {}
        self._size = 0

    def get(self, item: object, before: object, make: Callable[[], Made]) -> Made:
        """Return the result for an item behind others, which is made unless it is kept."""
        key = id(item), id(before)
        kept = self._by_item.get(key)
        if kept is None:
            kept = item, before, make()
            self._size += 1 + _terms_in(kept[2])
            if self._size > MOST_KEPT:
                self._by_item.clear()
                self._size = 0
            self._by_item[key] = kept
        made: Made = kept[2]
        return made


def _terms_in(made: object) -> int:
    """Return the number of terms in a result."""
    terms = made.terms if isinstance(made, Constraint) else ()
    return sum(1 for term in terms for _ in term.parts())


KEPT: Final = KeptResults()


class Scope:
    """Sets, tables, definitions and constraints by name that stand before an item."""

    def __init__(self) -> None:
        self.sets: dict[str, PlacedWords] = {}
        self.tables: dict[str, Table] = {}
        self.definitions: dict[str, Definition] = {}
        self.constraints: dict[str, Constraint] = {}
        self._broken: set[str] = set()  # names of constraints with mistakes
        self._refused: set[str] = set()  # names of tables and definitions with mistakes
        self._before: object = None  # stands for the sets, tables and definitions so far

    @property
    def is_empty(self) -> bool:
        return not (self.sets or self.tables or self.definitions or self.constraints or self._broken)

    def copy(self) -> Scope:
        copied = Scope()
        copied.sets, copied.tables, copied.definitions = {**self.sets}, {**self.tables}, {**self.definitions}
        copied.constraints, copied._broken = {**self.constraints}, {*self._broken}
        copied._refused = {*self._refused}
        copied._before = self._before
        return copied

    def add(self, item: WordSet | Definition | WrittenConstraint | OtherPenalty | Broken) -> None:
        match item:
            case WordSet():
                _refuse_second(item.name, item.name in self.sets, "set", item.place)
                self.sets[item.name] = item.words
                self._before = KEPT.get(item, self._before, object)
            case WrittenConstraint():
                _refuse_second(item.name, item.name in self.constraints, "constraint", item.place)
                self._broken.add(item.name)
                self.constraints[item.name] = KEPT.get(
                    item, self._before, lambda: checked_constraint(item, self)
                )
                self._broken.remove(item.name)
            case Definition():
                self._refuse_known(item.name, item.place)
                checker = _Checker(
                    self, Relation.ONE_EDGE, {name: _edge_term("X") for name in item.parameters}
                )
                checker.any(item.formula)
                self.definitions[item.name] = item
                self._before = KEPT.get(item, self._before, object)
            case OtherPenalty() if item.name not in self._broken:
                self.constraints[item.name] = self._with_other_penalty(item)
            case Broken("set"):
                self.sets.setdefault(item.name, PlacedWords.of([]))
                self._before = object()
            case Broken("define" | "table"):
                self.refuse(item)
            case Broken():
                self._broken.add(item.name)

    def refuse(self, item: object) -> None:
        """Note a table or a definition with a mistake, so that its uses are not told as further ones."""
        if isinstance(item, Definition | TableFile | Broken):
            self._refused.add(item.name)
            self._before = object()

    def is_refused(self, name: str) -> bool:
        return name in self._refused

    def add_table(self, table: Table, place: Place) -> None:
        self._refuse_known(table.name, place)
        self.tables[table.name] = table
        self._before = object()

    def _refuse_known(self, name: str, place: Place) -> None:
        if name in CALLS:
            raise problem(f"{name:.60} is a term of the language: give this one another name", place)
        _refuse_second(name, name in self.tables, "table", place)
        _refuse_second(name, name in self.definitions, "formula", place)

    def _with_other_penalty(self, item: OtherPenalty) -> Constraint:
        before = self.constraints.get(item.name)
        if before is None:
            what = f"no constraint named {item.name!r:.60} stands before"
            raise problem(f"{what}{suggestion(item.name, self.constraints)}", item.place)
        return before.with_penalty(_Checker(self, before.relation).penalty(item.penalty))


def _refuse_second(name: str, is_second: bool, what: str, place: Place) -> None:
    if is_second:
        raise problem(f"there is a {what} named {name!r:.60} already: give this one another name", place)


def checked_constraint(written: WrittenConstraint, scope: Scope) -> Constraint:
    relation = Relation(RELATIONS.index(written.relation) + 1 if written.relation else 0)
    checker = _Checker(scope, relation)
    made = Constraint(
        written.name,
        written.section,
        None if written.penalty is None else checker.penalty(written.penalty),
        relation,
        checker.term(written.formula, Kind.TRUTH),
        None if written.message is None else checker.message(written.message),
        written.place,
        (*checker.uses,),
        (*checker.divisions,),
        (*checker.idle,),
        tuple(Example(*example) for example in written.examples),
    )
    _refuse_dear(made)
    return made


def weighed_constraint(constraint: Constraint, weight: float) -> Constraint:
    """Return the constraint with its cost multiplied by a weight."""
    penalty = constraint.penalty
    if weight == 1 or penalty is None:
        return constraint
    if not isinstance(penalty, Term):
        return constraint.with_penalty(penalty**weight)
    nought, exponent = (Term("number", Kind.NUMBER, value=float(value)) for value in (0, weight))
    allowed = Term("maximum", Kind.NUMBER, (penalty, nought))
    return constraint.with_penalty(Term("power", Kind.NUMBER, (allowed, exponent)))


def _refuse_dear(constraint: Constraint) -> None:
    tries = tries_of(constraint)
    if tries > MOST_TRIES:
        what = f"this looks at about {tries} combinations of words in a sentence of 20"
        raise problem(f"{what}, and {MOST_TRIES} are allowed: quantify less", constraint.place)


def tries_of(constraint: Constraint) -> int:
    """Return about how many combinations of nodes a constraint looks at in a sentence of 20 words."""
    return EDGES_JUDGED[constraint.relation] * sum(map(_tries, constraint.terms))


def _tries(term: Term) -> int:
    """Return about how many combinations of nodes a term looks at."""
    if term.operation not in QUANTIFIERS:
        return max(1, sum(_tries(operand) for operand in term.operands if _has_loop(operand)))
    return EXTENTS[term.value[0]] * _tries(term.operands[1])


def _has_loop(term: Term) -> bool:
    return any(part.operation in QUANTIFIERS for part in term.parts())


def _edge_term(edge: str) -> Term:
    return Term("dependent", Kind.NODE, value=edge)


class _Checker:
    def __init__(self, scope: Scope, relation: Relation, nodes: Mapping[str, Term] | None = None) -> None:
        self._scope, self._sets = scope, scope.sets
        edges = ("X",) if relation == Relation.ONE_EDGE else ("X", "Y")
        self._nodes = {edge: _edge_term(edge) for edge in edges} if nodes is None else {**nodes}
        self._level = self._depth = self._size = 0
        self._called_at: Place | None = None  # where the outermost definition is called that is written out
        self.uses: list[NameUse] = []
        self.divisions: list[Place] = []
        self.idle: list[Idle] = []

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
        term = self.any(written)
        if term.operation == "word" or term.kind not in TOLD:
            what = f"{_described(written, term)} stands in braces, where a word's node has to stand"
            raise problem(f"{what}, for example {{X}} or {{X.head}}", written.place)
        return term

    def term(self, written: Expression, kind: Kind) -> Term:
        """Return the term of an expression, which must be of this kind."""
        term = self.any(written)
        if term.kind != kind:
            raise problem(
                f"{_described(written, term)} stands here, where a {kind} has to stand", written.place
            )
        return term

    def any(self, written: Expression) -> Term:
        """Return the term of an expression."""
        self._size += 1
        if self._size > LARGEST:
            what = f"this has more than {LARGEST} terms, definitions written out: shorten it"
            raise problem(what, self._called_at or written.place)
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
            case "quantifier":
                return self._quantified(written)
        raise problem(
            "a set stands here, where only `in`, has, count, under, between, starts and ends take one",
            written.place,
        )

    def _name(self, written: Expression) -> Term:
        if written.value in self._nodes:
            return self._nodes[written.value]
        if written.value in ("X", "Y"):
            raise self._no_edge(written)
        if written.value == EDGES_MAY_CROSS:
            return Term(EDGES_MAY_CROSS, Kind.TRUTH)
        return Term("word", Kind.WORD, value=written.value)

    def _edge(self, written: Expression) -> str:
        of = self._nodes.get(written.value) if written.form == "name" else None
        if of is not None and of.operation == "dependent":
            return str(of.value)
        if written.form == "name" and of is None and written.value in ("X", "Y"):
            raise self._no_edge(written)
        raise problem("an edge has to stand here: X, or Y in a constraint on two edges", written.place)

    def _no_edge(self, written: Expression) -> GrammarError:
        if "X" in self._nodes:
            return problem("Y is no edge here: the constraint is on one edge, X", written.place)
        known = ", ".join(self._nodes)
        return problem(f"{written.value} is no variable here: there are {known}", written.place)

    def _quantified(self, written: Expression) -> Term:
        """Return the term of `some`, `all`, `no` or `number of`, with a variable for each node."""
        (quantity, variable, extent), (*start, formula) = written.value, written.operands
        if variable in self._nodes:
            raise problem(f"{variable} has a meaning already: take another variable", written.place)
        if self._level == DEEPEST_LOOP:
            what = f"more than {DEEPEST_LOOP} quantifiers stand in each other"
            raise problem(f"{what}: divide the formula into constraints", written.place)
        begin = self.term(start[0], Kind.NODE) if start else Term("number", Kind.NUMBER, value=0.0)
        of = extent, self._level
        inner = self._with_node(variable, formula)
        if quantity == "number":
            return Term("number_of", Kind.NUMBER, (begin, inner), of)
        is_all, made_kind = quantity == "all", Kind.TRUTH
        found = Term("some", made_kind, (begin, _negated(inner) if is_all else inner), of)
        return found if quantity == "some" else _negated(found)

    def _with_node(self, variable: str, formula: Expression) -> Term:
        """Return the term of a formula in which a variable stands for a node."""
        self._nodes[variable] = Term("bound", Kind.NODE, value=self._level)
        self._level += 1
        inner = self.term(formula, Kind.TRUTH)
        self._level -= 1
        del self._nodes[variable]
        return inner

    def _defined(self, written: Expression) -> Term:
        """Return the term of a definition, with arguments for its variables."""
        definition = self._scope.definitions[written.value]
        given, expected = len(written.operands), len(definition.parameters)
        if given != expected:
            many = "one argument" if expected == 1 else f"{expected} arguments"
            raise problem(f"{written.value} takes {many}, and {given} stand here", written.place)
        nodes = [self.term(operand, Kind.NODE) for operand in written.operands]
        self._depth += definition.formula.depth
        if self._depth > DEEPEST:
            what = f"definitions make this more than {DEEPEST} levels deep"
            raise problem(f"{what}: divide it into constraints", written.place)
        before = self._nodes, self._called_at
        self._nodes = dict(zip(definition.parameters, nodes, strict=True))
        self._called_at = self._called_at or written.place
        term = self.any(definition.formula)
        self._nodes, self._called_at = before
        self._depth -= definition.formula.depth
        return term

    def _entry(self, table: Table, column: str, written: Expression) -> Term:
        """Return the entry of a node's form in a table: `VERBS(X).frame`."""
        (call,) = written.operands
        if len(call.operands) != 1:
            raise problem(f"{table.name} takes one argument, and {len(call.operands)} stand here", call.place)
        if column not in table.columns:
            what = f"the table {table.name} has no column {column:.60}"
            raise problem(f"{what}{suggestion(column, table.columns)}", written.place)
        return Term("entry", Kind.FEATURE, (self.term(call.operands[0], Kind.NODE),), (table, column))

    # --- attributes -----------------------------------------------------------------------------------------

    def _attribute(self, written: Expression) -> Term:
        (of,) = written.operands
        name = written.value
        if of.form == "call" and of.value in self._scope.tables:
            return self._entry(self._scope.tables[of.value], name, written)
        node = self.term(of, Kind.NODE)
        if node.operation == "dependent" and name in EDGE_ATTRIBUTES:  # X.dependent.head is X.head
            operation, kind = EDGE_ATTRIBUTES[name]
            return Term(operation, kind, value=node.value)
        if name == "dependent" and node.operation == "bound":
            return node
        if name in CONTEXT_ATTRIBUTES:
            return Term(*CONTEXT_ATTRIBUTES[name], (node,))
        if name == "position":
            return Term("position", Kind.NUMBER, (node,))
        if name in NEIGHBOURS:
            return Term(name, Kind.NODE, (node,))
        if name in LEARNT:
            self._note(Asked.LEARNT, name, written.name_place or written.place)
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
        if name in self._scope.definitions:
            return self._defined(written)
        if name in self._scope.tables:
            columns = " or ".join(f".{column}" for column in self._scope.tables[name].columns)
            raise problem(f"a column has to follow {name}(...): {columns:.60}", written.place)
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
        if self._scope.is_refused(written.value):
            raise FollowOnError(f"{written.value} has a mistake", written.place)
        if written.value not in CALLS:
            known = (*CALLS, *self._scope.definitions, *self._scope.tables)
            raise problem(
                f"there is no term {written.value}(...){suggestion(written.value, known)}", written.place
            )
        given = len(written.operands)
        if given != count:
            many = "one argument" if count == 1 else f"{count} arguments"
            raise problem(f"{written.value} takes {many}, and {given} stand here", written.place)
        return written.operands

    def _exists(self, of: Expression) -> Term:
        term = self.any(of)
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
        if asked.operation == "entry":
            table, column = asked.value
            for name, place in places.items():
                known = table.values[column]
                if not {*name.split(",")} <= known:
                    what = f"no word of the table {table.name} has the {column} {name:.60}"
                    raise problem(f"{what}{suggestion(name, known)}", place)
        elif asked.kind == Kind.FEATURE:
            self.uses.append(NameUse(Asked.VALUE, places, asked.value.removeprefix(FEATURE)))
        elif asked.kind == Kind.TAG:
            self.uses.append(NameUse(Asked.TAG, places))
        elif asked.operation == "attribute" and asked.value in SPELT:
            self.idle += [
                (mistake, place)
                for name, place in places.items()
                if name.casefold() not in places or name == name.casefold()
                if (mistake := misspelling(asked.value, name)) is not None
            ]
        elif asked.kind == Kind.XPOS:
            self.uses.append(NameUse(Asked.XPOS, places))
        elif asked.kind == Kind.LABEL:
            kind = Asked.RELATION if asked.operation in RELATION_OPERATIONS else Asked.LABEL
            self.uses.append(NameUse(kind, places))

    def _note_range(self, sign: str, left: Term, right: Term, place: Place) -> None:
        """Note a comparison of numbers if it never holds."""
        if never_holds(sign, left, right):
            what = f"this never holds: before {sign} stands {range_of(left)}, and behind it {range_of(right)}"
            self.idle.append((f"{what}: correct one of them", place))

    def _set(self, written: Expression) -> PlacedWords:
        if written.form == "set":
            placed: PlacedWords = written.value
            return placed
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
            a, b = (self.term(operand, Kind.NUMBER) for operand in written.operands)
            self._note_range(sign, a, b, written.place)
            return Term(operation, Kind.TRUTH, (b, a) if is_turned else (a, b))
        left, right = written.operands
        if sign == "in":
            return self._member(left, right)
        if sign == "has":
            return self._containing(left, right)
        if sign == "matches":
            return self._matching(left, right)
        return self._compared(sign == "=", left, right, written.place)

    def _member(self, left: Expression, right: Expression) -> Term:
        term, words = self.any(left), self._set(right)
        if term.kind not in NAMES:
            raise problem(f"{_described(left, term)} stands here, where a name has to stand", left.place)
        for word, place in words.places.items():
            _check_direction(term.kind, word, place)
        self._note_names(term, words.places)
        return Term("member", Kind.TRUTH, (term,), words.words)

    def _containing(self, left: Expression, right: Expression) -> Term:
        """Return the term of `X.Case has Nom`: a value is among those of a feature or an entry."""
        term = self.any(left)
        if term.kind != Kind.FEATURE:
            what = f"{_described(left, term)} stands here, where a feature has to stand"
            raise problem(f"{what}: only features have several values", left.place)
        is_one = right.form in ("text", "name") and right.value not in self._sets
        words = PlacedWords.of([(right.value, right.place)]) if is_one else self._set(right)
        self._note_names(term, words.places)
        return Term("contains", Kind.TRUTH, term.operands, (term.value, words.words))

    def _matching(self, left: Expression, right: Expression) -> Term:
        """Return the term of `X.lower matches "..."`."""
        term = self.any(left)
        if term.kind != Kind.FORM:
            what = f"{_described(left, term)} stands here, where a form has to stand"
            raise problem(f"{what}, for example X.lower", left.place)
        if right.form != "text":
            raise problem("a pattern in quotes has to stand here", right.place)
        pattern = Pattern(right.value)
        try:
            _ = pattern.automaton
        except PatternError as error:
            raise problem(f"the pattern is none, since {error}", right.place) from None
        if term.value == "lower" and (capital := pattern.capital) is not None:
            what = f"no word has {capital!r} in its lower: write {capital.casefold()!r}, or match its form"
            self.idle.append((what, right.place))
        return Term("matches", Kind.TRUTH, term.operands, (term.value, pattern))

    def _compared(self, is_equal: bool, left: Expression, right: Expression, place: Place) -> Term:
        a, b = self.any(left), self.any(right)
        fits = a.kind == b.kind != Kind.TRUTH or (Kind.WORD in (a.kind, b.kind) and {a.kind, b.kind} <= NAMES)
        if not fits:
            what = f"{_described(left, a)} cannot be compared with {_described(right, b)}"
            raise problem(f"{what}: compare like with like" + _arrow_hint(a, b), place)
        for term, other, written in ((a, b, right), (b, a, left)):
            if other.operation == "word":
                _check_direction(term.kind, other.value, written.place)
                self._note_names(term, {other.value: written.place})
        if is_equal and a.kind == Kind.NUMBER:
            self._note_range("=", a, b, place)
        equal = Term("equal" if a.kind == Kind.NUMBER else "same", Kind.TRUTH, (a, b))
        return equal if is_equal else Term("not", Kind.TRUTH, (equal,))

    def _agreeing(self, written: Expression) -> Term:
        left, right = written.operands
        a, b = self.any(left), self.any(right)
        if a.kind != b.kind or a.kind not in NAMES:
            what = f"{_described(left, a)} cannot agree with {_described(right, b)}"
            raise problem(f"{what}: agree takes two names of one kind", written.place)
        return Term("meet" if a.kind == Kind.FEATURE else "agree", Kind.TRUTH, (a, b))

    def _computed(self, operation: str, operands: Iterable[Expression], place: Place) -> Term:
        """Return a term for a number; a constant if its operands are constants."""
        terms = tuple(self.term(operand, Kind.NUMBER) for operand in operands)
        if operation == "divide" and terms[1].operation == "number" and terms[1].value == 0:
            raise problem("this divides by zero: correct the divisor", place)
        if operation == "divide" and may_be_zero(terms[1]):
            self.divisions.append(place)
        if any(term.operation != "number" for term in terms):
            return Term(operation, Kind.NUMBER, terms)
        value = ARITHMETIC[operation](*(term.value for term in terms))
        if not math.isfinite(value):
            raise problem("the result of this is too large: use smaller numbers", place)
        return Term("number", Kind.NUMBER, value=float(value))


def _negated(term: Term) -> Term:
    return Term("not", Kind.TRUTH, (term,))


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


def _arrow_hint(a: Term, b: Term) -> str:
    return ", and truth values by <->" if a.kind == b.kind == Kind.TRUTH else ""


def _feature_hint(name: str) -> str:
    """Return a hint to the feature whose name was not capitalized."""
    near = [feature for feature in FEATURES if feature.lower() == name.lower()]
    return f": did you mean {near[0]}? Features are capitalized" if near else ""


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint with the most similar known name, or a general one."""
    by_lower = {other.lower(): other for other in sorted(known)}
    near = get_close_matches(name[:40].lower(), by_lower, 1)
    return f": did you mean {by_lower[near[0]]}?" if near else ": correct the name"
