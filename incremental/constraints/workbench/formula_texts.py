"""Terms as texts in the language of constraints, for explanations."""

from __future__ import annotations

import json
import re
from typing import Final

from treewhile.incremental.constraints.language.terms import (
    ARITHMETIC_SIGNS,
    CONTEXT_ATTRIBUTES,
    EDGE_ATTRIBUTES,
    FEATURE,
    FUNCTIONS,
    NEIGHBOURS,
    QUANTIFIERS,
    Term,
)
from treewhile.incremental.constraints.language.written import RESERVED

SIGNS: Final = {
    "implies": "->",
    "equivalent": "<->",
    "and": "and",
    "or": "or",
    "power": "**",
    "same": "=",
    "equal": "=",
    "less": "<",
    "at_most": "<=",
    **{operation: sign for sign, operation in ARITHMETIC_SIGNS.items() if len(sign) == 1},
}
PLAIN: Final = re.compile(r"[^\W\d]\w*")
OF_EDGES: Final = {operation: name for name, (operation, _) in EDGE_ATTRIBUTES.items()}
OF_NODES: Final = {
    **{operation: name for name, (operation, _) in CONTEXT_ATTRIBUTES.items()},
    **dict.fromkeys(NEIGHBOURS),
    "direction_of": "direction",
    "distance_of": "distance",
    "position": "position",
}
CALLED: Final = {
    **{operation: name for name, operation in FUNCTIONS.items()},
    "number_exists": "exists",
    "meet": "agree",
}
VARIABLES: Final = "ZVWUTS"  # of quantifiers, the outermost first


def text_of_term(term: Term) -> str:
    """Return a term as it could be written in a grammar."""
    operation, value = term.operation, term.value
    operands = [_inside(operand) for operand in term.operands]
    if operation in ("number", "truth"):
        return f"{value:g}" if operation == "number" else str(value).lower()
    if operation == "word":
        return _word(value)
    if operation in SIGNS:
        return f" {SIGNS[operation]} ".join(operands)
    if operation == "not":
        return _negated(term)
    if operation in QUANTIFIERS:
        return _quantified(term)
    if operation == "member":
        return f"{operands[0]} in {_set(value)}"
    return _asked(term, operands)


def _asked(term: Term, operands: list[str]) -> str:
    """Return an attribute or a call as text."""
    operation, value = term.operation, term.value
    if operation in ("dependent", "bound"):
        return str(value) if operation == "dependent" else VARIABLES[value]
    if operation in ("entry", "contains", "matches"):
        return _looked_up(term, operands[0])
    if operation in OF_EDGES:
        return f"{value}.{OF_EDGES[operation]}"
    if operation in OF_NODES:
        return f"{operands[0]}.{OF_NODES[operation] or operation}"
    if operation == "attribute":
        return f"{operands[0]}.{_word(str(value).removeprefix(FEATURE))}"
    if operation == "between":
        return f"between({value[0]}, {_set(value[1])})"
    first = [value] if isinstance(value, str) else []  # a predictor or an edge; a set stands last
    last = [_set(value)] if isinstance(value, frozenset) else []
    arguments = ", ".join([*first, *operands, *last])
    name = CALLED.get(operation, operation)
    return f"{name}({arguments})" if arguments else name


def _inside(term: Term) -> str:
    text = text_of_term(term)
    return f"({text})" if term.operation in SIGNS and _is_weak(term) else text


def _is_weak(term: Term) -> bool:
    return SIGNS[term.operation] in ("->", "<->", "and", "or")


def _negated(term: Term) -> str:
    (of,) = term.operands
    if of.operation in ("same", "equal"):
        return " != ".join(map(_inside, of.operands))
    return f"not {_inside(of)}" if of.operation not in SIGNS or _is_weak(of) else f"not ({text_of_term(of)})"


def _looked_up(term: Term, node: str) -> str:
    """Return an entry of a table, or a comparison of an attribute with words or a pattern."""
    of, what = term.value
    if term.operation == "entry":
        return f"{of.name}({node}).{what}"
    attribute = f"{node}.{_word(str(of).removeprefix(FEATURE))}"
    if term.operation == "contains":
        return f"{attribute} has {_word(*what) if len(what) == 1 else _set(frozenset(what))}"
    return f"{attribute} matches {json.dumps(what.text, ensure_ascii=False)}"


def _quantified(term: Term) -> str:
    (extent, level), (begin, formula) = term.value, term.operands
    of = "" if begin.operation == "number" else f" {text_of_term(begin)}"
    quantity = "number of" if term.operation == "number_of" else "some"
    return f"{quantity} {VARIABLES[level]} {extent}{of}: ({text_of_term(formula)})"


def _set(words: object) -> str:
    assert isinstance(words, frozenset)
    return "{" + ", ".join(map(_word, sorted(words))) + "}"


def _word(word: str) -> str:
    return word if PLAIN.fullmatch(word) and word not in RESERVED else json.dumps(word, ensure_ascii=False)
