"""Error message for a missing package of an extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Run a block of imports; a ModuleNotFoundError says how to install the extra.

    with needs("spacy"):
        import spacy
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] == "treewhile":
            raise
        said = f"{missing.name} is not installed: pip install 'treewhile[{extra}]' brings it"
        raise ModuleNotFoundError(said, name=missing.name) from None
