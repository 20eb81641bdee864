"""Endless English sentences from a small grammar."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

# Expansions of nonterminals, which are in capitals; the first expansion is short and ends deep sentences.
RULES: Final = {
    name: expansions.split(" | ")
    for name, expansions in {
        "SENTENCE": "SUBJECT VERB OBJECT | SUBJECT VERB OBJECT PLACE | TIME , SUBJECT VERB OBJECT"
        " | SUBJECT VERB OBJECT , but SUBJECT VERB OBJECT"
        " | when SUBJECT VERB OBJECT , SUBJECT SAID that SUBJECT VERB OBJECT"
        " | SUBJECT SAID that OBJECT was MANNER than OBJECT",
        "SUBJECT": "she | NAME | the ADJECTIVE NOUN | the NOUN of NAME | the NOUN that VERB OBJECT | nobody",
        "OBJECT": "it | a NOUN | two ADJECTIVE NOUN2 | the NOUN PLACE | NAME 's NOUN | the NOUN and a NOUN",
        "VERB": "saw | has painted | will carry | could not find | quietly sold | kept | wants to repair",
        "SAID": "said | thought | has written | never believed",
        "MANNER": "older | much slower | more useful | less expensive",
        "NOUN": "lamp | gardener | bridge | violin | neighbour | kettle | map | window | ferry | recipe",
        "NOUN2": "boats | ladders | stories | umbrellas | teachers | bicycles",
        "ADJECTIVE": "red | quiet | broken | famous | wooden | very small | half-finished",
        "NAME": "Ada | Tom Miller | Mrs. Okafor | Berlin | Lena",
        "PLACE": "there | in the kitchen | behind the old station | near NAME | at the end of the street",
        "TIME": "later | yesterday | in the spring | before the rain came",
    }.items()
}
DEEPEST: Final = 5


def invented_words(source: Random) -> Iterator[str]:
    """Yield words with their punctuation, without end."""
    while True:
        yield from sentence(source).split()


def sentence(source: Random) -> str:
    text = " ".join(_expand("SENTENCE", source, 0)).replace(" ,", ",").replace(" 's", "'s")
    return text[0].upper() + text[1:] + "."


def _expand(name: str, source: Random, depth: int) -> Iterator[str]:
    choices = RULES[name][:1] if depth > DEEPEST else RULES[name]
    for part in source.choice(choices).split():
        if part in RULES:
            yield from _expand(part, source, depth + 1)
        else:
            yield part
