"""Types of arguments as texts, which `oracles/prebuilt/dispatch.c` describes, and as numba has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from numba import types
from numba.np.numpy_support import from_dtype
from numpy import dtype

from treewhile.oracles.errors import InputError

TOKEN: Final = re.compile(r"(?P<array>[biuf]\d\d[CFA]R?)|(?P<number>[biuf]\d)|(?P<none>-)|(?P<name>\w*)\(|\)")


def text_of(type_: Any) -> str:
    if isinstance(type_, types.BaseTuple):
        held: Any = type_
        name = held.instance_class.__name__ if hasattr(held, "instance_class") else ""
        return f"{name}({''.join(map(text_of, held))})"
    if isinstance(type_, types.Array):
        return f"{text_of(type_.dtype)}{type_.ndim}{type_.layout}{'' if type_.mutable else 'R'}"
    if isinstance(type_, types.NoneType):
        return "-"
    if isinstance(type_, types.Boolean):
        return "b1"
    kind = "f" if isinstance(type_, types.Float) else "i" if type_.signed else "u"
    return f"{kind}{type_.bitwidth // 8}"


def types_of(text: str, named: Mapping[str, type]) -> Sequence[Any]:
    """Return numba's types for the text of a tuple, which names named tuples that are given."""
    tokens = TOKEN.finditer(text)
    opened = next(tokens, None)
    if opened is None or opened["name"] != "":
        raise InputError(f"these are no types of arguments: {text:.80}")
    return tuple(_inside(tokens, named))


def _inside(tokens: Iterator[re.Match[str]], named: Mapping[str, type]) -> Iterator[Any]:
    for token in tokens:
        if token[0] == ")":
            return
        yield _type(token, tokens, named)
    raise InputError("a tuple of types does not end")


def _type(token: re.Match[str], tokens: Iterator[re.Match[str]], named: Mapping[str, type]) -> Any:
    if token["array"]:
        number, ndim, rest = token[0][:2], int(token[0][2]), token[0][4:]
        layout: Any = token[0][3]
        return types.Array(from_dtype(dtype(number)), ndim, layout, readonly=rest == "R")
    if token["number"]:
        return from_dtype(dtype(token[0]))
    if token["none"]:
        return types.none
    held = [*_inside(tokens, named)]
    if not token["name"]:
        return types.Tuple(held)
    return types.BaseTuple.from_types(held, named[token["name"]])
