"""Treebanks of languages made up for tests.

One has two orders of words, agreement, and edges that cross; another is there to be waited for.
"""

from __future__ import annotations

import io
import random

from treewhile.incremental import Sentence, read_sentences

NOUNS = ["lom", "takel", "virn", "osk", "pellam", "grint"]
VERBS = ["dovet", "sunet", "krimet", "halet"]
ADJECTIVES = ["fusi", "klani", "beri"]


def treebank(sentences: int, seed: int) -> list[Sentence]:
    """Sentences like "ta fusi lom dovet ta oskit ." with trees, always the same for a seed."""
    chances = random.Random(seed)
    text = "".join(
        f"# text = {_text(rows)}\n{_lines(rows)}\n" for rows in (_rows(chances) for _ in range(sentences))
    )
    return [*read_sentences(io.BytesIO(text.encode()))]


def unclear_treebank(sentences: int, seed: int) -> list[Sentence]:
    """Sentences of three words, always the same for a seed.

    Which one of "lom virn" hangs on the other is told by the last word, "uf" or "ok"; of "osk grint" it is
    always the first one.
    """
    chances = random.Random(seed)
    kinds = [chances.choice(UNCLEAR) for _ in range(sentences)]
    text = "".join(
        _lines([(form, "NOUN", "_", head, "dep" if head else "root") for form, head in rows]) + "\n"
        for rows in kinds
    )
    return [*read_sentences(io.BytesIO(text.encode()))]


UNCLEAR = [
    [("lom", 0), ("virn", 1), ("uf", 1)],
    [("lom", 2), ("virn", 0), ("ok", 2)],
    [("osk", 2), ("grint", 0), ("ok", 2)],
]


Row = tuple[str, str, str, int, str]  # form, tag, features, head, label


def _rows(chances: random.Random) -> list[Row]:
    subject = _phrase(chances, "", "nsubj")
    particle = chances.random() < 0.2
    verb = len(subject) + 1
    rows = [(form, tag, feats, head or verb, label) for form, tag, feats, head, label in subject]
    rows.append((chances.choice(VERBS), "VERB", "Mood=Ind", 0, "root"))
    rows += (
        [
            (form, tag, feats, head + len(rows) if head else verb, label)
            for form, tag, feats, head, label in _phrase(chances, "it", "obj")
        ]
        if chances.random() < 0.8
        else []
    )
    if particle:  # it belongs to the subject, across the verb
        rows.append(("uf", "PART", "_", len(subject), "discourse"))
    return [*rows, (".", "PUNCT", "_", verb, "punct")]


def _phrase(chances: random.Random, ending: str, label: str) -> list[Row]:
    """A noun after its determiner and adjective; 0 is the head of the noun."""
    adjectives = chances.sample(ADJECTIVES, chances.choice([0, 0, 1, 2]))
    noun = len(adjectives) + 2
    case = "Case=Acc" if ending else "Case=Nom"
    rows: list[Row] = [("ta", "DET", "_", noun, "det")]
    rows += [(adjective + ending, "ADJ", case, noun, "amod") for adjective in adjectives]
    return [*rows, (chances.choice(NOUNS) + ending, "NOUN", case, 0, label)]


def _lines(rows: list[Row]) -> str:
    lines = []
    for number, (form, tag, features, head, label) in enumerate(rows, 1):
        misc = "SpaceAfter=No" if number == len(rows) - 1 else "_"
        lines.append("\t".join([str(number), form, "_", tag, "_", features, str(head), label, "_", misc]))
    return "\n".join(lines) + "\n"


def _text(rows: list[Row]) -> str:
    return " ".join(form for form, *_ in rows).replace(" .", ".")
