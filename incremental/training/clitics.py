"""Verbs with clitics that news hardly have: Spanish *decírselo* and *dime*, Portuguese *dá-mo*, *dar-lhe-ei*.

They are made up from a treebank's own verbs, as it writes and cuts these: Spanish adds clitics to the verb,
Portuguese puts hyphens between. So does French, whose clitics stand here, too: `made_up_tokens` adds them to
verbs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Final, TypeAlias

Token: TypeAlias = tuple[str, tuple[str, ...]]  # a surface with its words
Tokens: TypeAlias = Counter[Token]

FIRST: Final = ("me", "te", "se", "nos", "os")
SECOND: Final = ("lo", "la", "los", "las")
CLITICS: Final = frozenset((*FIRST, *SECOND, "le", "les"))
STRESSED: Final = dict(zip("aeiou", "áéíóú", strict=True))
LEAST_VERBS: Final = 20  # with a clitic each, in a treebank that others are made up from

HYPHENED: Final = ("me", "te", "se", "lhe", "nos", "vos", "lhes")
AFTER_NASALS: Final = ("no", "na", "nos", "nas")
CONTRACTED: Final = {
    first[:-1] + second: (first, second)
    for first, second in product(("me", "te", "lhe"), ("o", "a", "os", "as"))
}
FUTURES: Final = ("ei", "ás", "á", "emos", "ão", "ia", "ias", "íamos", "iam")
SHORT_STEMS: Final = ("dir", "far", "trar")  # of futures
WITHOUT_R: Final = {"ar": "á", "er": "ê", "ir": "i"}  # how infinitives end before *lo*

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

# French pronouns behind verbs, each with its hyphen: in questions, and behind imperatives
ASKING: Final = (
    *("-je", "-tu", "-il", "-elle", "-on", "-nous", "-vous", "-ils", "-elles"),
    *("-t-il", "-t-elle", "-t-on", "-ce"),
)
COMMANDED: Final = (
    *("-moi", "-toi", "-le", "-la", "-les", "-lui", "-leur", "-nous", "-vous", "-y", "-en"),
    *("-le -moi", "-la -moi", "-les -moi", "-le -lui", "-la -lui", "-les -lui", "-le -leur", "-les -leur"),
    *("-nous -en", "-vous -en", "-lui -en", "-nous -y", "-vous -y", "-m' en", "-t' en"),
)
ENDS_OF_IMPERATIVES: Final = ("e", "s", "ez")
APPOINTMENT: Final = "rendez-vous"  # mostly no command


def verbs_with_clitics(tokens: Tokens) -> Tokens:
    """Return tokens that verbs make with clitics, in the manner of a treebank; none where it has no such."""
    split = [(surface.lower(), *map(str.lower, words)) for surface, words in tokens if len(words) == 2]
    added = {verb for surface, verb, clitic in split if _is_added(surface, verb, clitic)}
    hyphened = {(verb, clitic) for surface, verb, clitic in split if surface == f"{verb}-{clitic}"}
    spanish = _spanish(sorted(added)) if len(added) >= LEAST_VERBS else []
    return Counter([*spanish, *_portuguese(hyphened)])


def _is_added(surface: str, verb: str, clitic: str) -> bool:
    is_verb = verb.endswith(("ar", "er", "ir", "ndo"))
    return is_verb and clitic in CLITICS and surface in (verb + clitic, _stressed(verb) + clitic)


def _spanish(verbs: Sequence[str]) -> list[Token]:
    pairs = [*product(FIRST, SECOND)]
    return [
        *((_stressed(verb) + "".join(pair), (verb, *pair)) for verb in verbs for pair in pairs),
        *_imperatives(),
    ]


def _stressed(verb: str) -> str:
    """Return an infinitive or a gerund with its accent, as it is written before clitics."""
    at = len(verb) - (2 if verb.endswith("r") else 4)
    return verb[:at] + STRESSED.get(verb[at], verb[at]) + verb[at + 1 :]


def _imperatives() -> list[Token]:
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


def _portuguese(hyphened: set[tuple[str, str]]) -> list[Token]:
    verbs = sorted({verb for verb, _ in hyphened})
    if len(verbs) < LEAST_VERBS or not {"se", "lhe"} <= {clitic for _, clitic in hyphened}:
        return []  # Catalan has hyphens, too
    clitics = {**{clitic: (clitic,) for clitic in HYPHENED}, **CONTRACTED}
    nasal = [verb for verb in verbs if verb.endswith(("m", "ão", "õe"))]
    stems = [*SHORT_STEMS, *sorted({_infinitive(verb) for verb in verbs} - {""})]
    return [
        *((f"{verb}-{written}", (verb, *words)) for verb in verbs for written, words in clitics.items()),
        *((f"{verb}-{clitic}", (verb, clitic)) for verb in nasal for clitic in AFTER_NASALS),
        *(
            (f"{stem}-{written}-{future}", (stem + future, *words))
            for stem in stems
            for future in FUTURES
            for written, words in clitics.items()
        ),
        *(
            (f"{stem[:-2]}{WITHOUT_R[stem[-2:]]}-{clitic}-{future}", (stem + future, clitic))
            for stem in stems
            for future in FUTURES
            for clitic in SECOND
        ),
    ]


def _infinitive(verb: str) -> str:
    """Return the infinitive that stands, whole or without its r, before a clitic; nothing for other forms."""
    if verb.endswith((*WITHOUT_R,)):
        return verb
    return next(
        (verb[: -len(bare)] + end for end, bare in WITHOUT_R.items() if bare != "i" and verb.endswith(bare)),
        "",
    )
