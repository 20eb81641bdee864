"""Verbs with clitics are made up as a treebank writes them: Spanish with accents, Portuguese with hyphens."""

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


def portuguese() -> Counter[tuple[str, tuple[str, ...]]]:
    infinitives = [(f"{verb}-se", (verb, "se")) for verb in INFINITIVES]
    without_r = [(f"{verb}-lo", (verb, "lo")) for verb in ("fazê", "vê", "perdê", "torná")]
    nasal = [(f"{verb}-se", (verb, "se")) for verb in ("viram", "tornam", "fizeram")]
    others = [("disse-lhe", ("disse", "lhe")), ("deu-me", ("deu", "me"))]
    whole = [(word, (word,)) for word in ("guarda-chuva", "bem-te-vi", "terça-feira")]
    return Counter([*infinitives, *without_r, *nasal, *others, *whole])


def test_clitics_within_futures_and_two_in_one_are_cut() -> None:
    tokens = portuguese()
    splits = learn_splits(tokens + verbs_with_clitics(tokens))
    assert splits.words("Juntar-se-ão") == ("Juntarão", "se")
    assert splits.words("vendê-los-emos") == ("venderemos", "los")
    assert splits.words("far-lho-ei") == ("farei", "lhe", "o")
    assert splits.words("Trouxe-ma") == ("Trouxe", "me", "a")
    assert splits.words("ajudaram-no") == ("ajudaram", "no")
    assert splits.words("guarda-chuva") == ("guarda-chuva",)
    assert splits.words("bem-te-vi") == ("bem-te-vi",)


def test_languages_that_write_clitics_otherwise_get_none() -> None:
    italian = Counter((f"{verb[:-1]}lo", (verb, "lo")) for verb in INFINITIVES)
    catalan = Counter((f"{verb}-{one}", (verb, one)) for verb in INFINITIVES for one in ("se", "li"))
    few = Counter((f"{verb}lo", (verb, "lo")) for verb in INFINITIVES[: LEAST_VERBS - 1])
    assert [verbs_with_clitics(tokens) for tokens in (italian, catalan, few)] == [Counter()] * 3
