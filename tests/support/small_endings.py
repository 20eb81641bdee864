"""A small treebank in which it is easily told when sentences end."""

from __future__ import annotations

import random

NOUNS = ("dog", "cat", "old")


def ending_treebank(count: int, seed: int) -> str:
    """Sentences like "The dog sees the cat ." in CoNLL-U, always the same for a seed."""
    chances = random.Random(seed)
    return "".join(_sentence(chances) for _ in range(count))


def _sentence(chances: random.Random) -> str:
    rows = [("The", "DET", 2, "det"), (chances.choice(NOUNS), "NOUN", 3, "nsubj")]
    if chances.random() < 0.5:
        rows += [("barks", "VERB", 0, "root")]
    else:
        rows += [("sees", "VERB", 0, "root"), ("the", "DET", 5, "det"), ("cat", "NOUN", 3, "obj")]
    rows.append((".", "PUNCT", 3, "punct"))
    lines = [
        f"{number}\t{form}\t_\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"
        for number, (form, upos, head, label) in enumerate(rows, 1)
    ]
    return "".join([*lines, "\n"])
