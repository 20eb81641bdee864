"""What to say where the package of others that a door needs is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """A block that imports what an extra brings; a ModuleNotFoundError says how to install it.

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
