"""Spanish verbs with clitics are made up where a treebank writes such tokens, with their accents."""

from collections import Counter

from treewhile.incremental.training.clitics import LEAST_VERBS, verbs_with_clitics
from treewhile.incremental.training.segmentation import learn_splits

INFINITIVES = [
    "ver",
    "tener",
    "ser",
    "hacer",
    "comer",
    "beber",
    "poder",
    "leer",
    "creer",
    "mover",
    "dar",
    "hablar",
    "cantar",
    "llevar",
    "mirar",
    "comprar",
    "pagar",
    "dejar",
    "ganar",
    "tomar",
    "decir",
    "pedir",
]


def spanish() -> Counter[tuple[str, tuple[str, ...]]]:
    cut = [(f"{verb}lo", (verb, "lo")) for verb in INFINITIVES]
    gerunds = [
        ("mirándose", ("mirando", "se")),
        ("diciéndole", ("diciendo", "le")),
        ("viéndome", ("viendo", "me")),
        ("haciéndolo", ("haciendo", "lo")),
    ]
    whole = [(word, (word,)) for word in ("suelo", "abuelo", "capítulo", "límite", "película")]
    return Counter([*cut, *gerunds, *whole])


def test_two_clitics_stand_behind_an_accent() -> None:
    made = dict(verbs_with_clitics(spanish()).keys())
    assert made["decírselo"] == ("decir", "se", "lo")
    assert made["comprártelas"] == ("comprar", "te", "las")
    assert made["vérmelo"] == ("ver", "me", "lo")
    assert made["mirándoselo"] == ("mirando", "se", "lo")


def test_imperatives_take_an_accent_where_they_grow_too_long_for_none() -> None:
    made = dict(verbs_with_clitics(spanish()).keys())
    assert made["dime"] == ("di", "me")
    assert made["dámelo"] == ("da", "me", "lo")
    assert made["siéntate"] == ("sienta", "te")
    assert made["tráenoslo"] == ("trae", "nos", "lo")
    assert made["cuéntamelo"] == ("cuenta", "me", "lo")


def test_verbs_that_the_treebank_lacks_are_split_likewise() -> None:
    tokens = spanish()
    splits = learn_splits(tokens + verbs_with_clitics(tokens))
    assert splits.words("Enviárnosla") == ("Enviar", "nos", "la")
    assert splits.words("escribiéndotelo") == ("escribiendo", "te", "lo")
    assert splits.words("CAPÍTULO") == ("CAPÍTULO",)


def test_languages_that_write_clitics_otherwise_get_none() -> None:
    portuguese = Counter((f"{verb}-lo", (verb, "lo")) for verb in INFINITIVES)
    italian = Counter((f"{verb[:-1]}lo", (verb, "lo")) for verb in INFINITIVES)
    few = Counter((f"{verb}lo", (verb, "lo")) for verb in INFINITIVES[: LEAST_VERBS - 1])
    assert [verbs_with_clitics(tokens) for tokens in (portuguese, italian, few)] == [Counter()] * 3
