"""Verbs with clitics as Spanish writes them, *decírselo*, *dime*, of which treebanks of news have too few.

They are made up for treebanks that write clitics behind their verbs without a mark, and cut them: Portuguese
writes a hyphen, Italian drops a letter of the verb.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Final, TypeAlias

Tokens: TypeAlias = Counter[tuple[str, tuple[str, ...]]]  # surfaces with their words

FIRST: Final = ("me", "te", "se", "nos", "os")
SECOND: Final = ("lo", "la", "los", "las")
CLITICS: Final = frozenset((*FIRST, *SECOND, "le", "les"))
STRESSED: Final = dict(zip("aeiou", "áéíóú", strict=True))
LEAST_VERBS: Final = 20  # with a clitic each, in a treebank that others are made up from

# Imperatives that are said every day, with the clitics that they are said with
SHORT: Final = {
    "da": "me le nos les lo la me+lo me+la me+los me+las se+lo se+la nos+lo nos+la",
    "di": "me le nos les lo me+lo se+lo nos+lo",
    "haz": "me le lo la te nos los las me+lo me+la se+lo",
    "pon": "me te lo la le los las nos me+lo me+la te+lo te+la se+lo",
    "ten": "lo la me los las",
    "trae": "me lo la nos me+lo me+la nos+lo",
    "ve": "te",
    "ven": "te",
}
LONG: Final = {
    "me": "ayuda avisa cuenta deja disculpa diga enseña escucha espera explica llama mira muestra perdona "
    "permita ponga presta",
    "te": "acuerda acuesta calla fija imagina lava levanta quita queda sienta tranquiliza",
    "se": "acuerde calle fije imagine levante quede siente",
    "lo": "deja mira olvida piensa toma",
    "me+lo": "cuenta diga enseña explica presta",
}


def verbs_with_clitics(tokens: Tokens) -> Tokens:
    """Return tokens that a treebank's own verbs make with two clitics, and imperatives with clitics.

    There are none where the treebank does not write clitics like this.
    """
    verbs = {words[0].lower() for surface, words in tokens if _is_verb_with_clitic(surface.lower(), words)}
    if len(verbs) < LEAST_VERBS:
        return Counter()
    pairs = [*product(FIRST, SECOND)]
    made = [(_stressed(verb) + "".join(pair), (verb, *pair)) for verb in sorted(verbs) for pair in pairs]
    return Counter([*made, *_imperatives()])


def _is_verb_with_clitic(surface: str, words: tuple[str, ...]) -> bool:
    return (
        len(words) == 2
        and words[1].lower() in CLITICS
        and words[0].lower().endswith(("ar", "er", "ir", "ndo"))
        and surface in (words[0].lower() + words[1].lower(), _stressed(words[0].lower()) + words[1].lower())
    )


def _stressed(verb: str) -> str:
    """Return an infinitive or a gerund with its accent, as it is written before clitics."""
    at = len(verb) - (2 if verb.endswith("r") else 4)
    return verb[:at] + STRESSED.get(verb[at], verb[at]) + verb[at + 1 :]


def _imperatives() -> list[tuple[str, tuple[str, ...]]]:
    short = [(verb, one.split("+")) for verb, clitics in SHORT.items() for one in clitics.split()]
    long = [(verb, one.split("+")) for one, verbs in LONG.items() for verb in verbs.split()]
    return [(_with_accent(verb, clitics), (verb, *clitics)) for verb, clitics in short + long]


def _with_accent(verb: str, clitics: list[str]) -> str:
    """Return an imperative with its clitics: words of more than two syllables take an accent on the verb."""
    vowels = [at for at, letter in enumerate(verb) if letter in STRESSED and not _glides(verb, at)]
    stressed = vowels[-2] if len(vowels) > 1 else vowels[0]
    bears_accent = len(vowels) + len(clitics) > 2
    accent = STRESSED[verb[stressed]] if bears_accent else verb[stressed]
    return verb[:stressed] + accent + verb[stressed + 1 :] + "".join(clitics)


def _glides(verb: str, at: int) -> bool:
    """Return whether the i or u at a place belongs to the syllable of the vowel behind it."""
    return verb[at] in "iu" and verb[at + 1 : at + 2] in STRESSED
