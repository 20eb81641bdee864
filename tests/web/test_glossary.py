"""Whether everything that trees say of words is explained."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from treewhile.incremental.parsers.shipped_models import installed_models, load_model

TEXTS = json.loads((Path(__file__).parents[2] / "web" / "source" / "glossary" / "en.json").read_text())
DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
TREEBANKS = sorted((DATA / "ud").glob("*/*.conllu"))
RELATIONS = (
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated "
    "expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum "
    "root vocative xcomp"
)
TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
FEATURES = {
    "Abbr": "Yes",
    "Animacy": "Anim Hum Inan Nhum",
    "Aspect": "Hab Imp Iter Perf Prog Prosp",
    "Case": "Abe Abl Abs Acc Add Ade All Ben Cau Cmp Cns Com Dat Del Dis Ela Equ Erg Ess Gen Ill Ine Ins Lat "
    "Loc Nom Par Per Sub Sup Tem Ter Tra Voc",
    "Clusivity": "Ex In",
    "Definite": "Com Cons Def Ind Spec",
    "Degree": "Abs Aug Cmp Dim Equ Pos Sup",
    "Deixis": "Abv Bel Even Med Nvis Prox Remt",
    "DeixisRef": "1 2",
    "Evident": "Fh Nfh",
    "ExtPos": "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PRON PROPN SCONJ VERB",
    "Foreign": "Yes",
    "Gender": "Com Fem Masc Neut",
    "Mood": "Adm Cnd Des Imp Ind Int Irr Jus Nec Opt Pot Prp Qot Sub",
    "NumType": "Card Dist Frac Mult Ord Range Sets",
    "Number": "Coll Count Dual Grpa Grpl Inv Pauc Plur Ptan Sing Tri",
    "Person": "0 1 2 3 4",
    "Polarity": "Neg Pos",
    "Polite": "Elev Form Humb Infm",
    "Poss": "Yes",
    "PronType": "Art Dem Emp Exc Ind Int Neg Prs Rcp Rel Tot",
    "Reflex": "Yes",
    "Tense": "Fut Imp Past Pqp Pres",
    "Typo": "Yes",
    "VerbForm": "Conv Fin Gdv Ger Inf Part Sup Vnoun",
    "Voice": "Act Antip Bfoc Cau Dir Inv Lfoc Mid Pass Rcp",
}


def values_of(features: str) -> Iterator[str]:
    """Each value with its feature."""
    for feature in features.split("|") if features not in ("", "_") else []:
        name, _, values = feature.partition("=")
        yield from (f"{name}={value}" for value in values.split(","))


def is_explained(feature: str) -> bool:
    """Whether a value has an entry, or its feature without the layer."""
    name, _, value = feature.partition("=")
    plain = f"{name.partition('[')[0]}={value[:1].upper()}{value[1:]}"
    return feature in TEXTS["features"] or plain in TEXTS["features"]


@pytest.mark.parametrize("name", installed_models())
def test_all_that_a_model_says_is_explained(name: str) -> None:
    model = load_model(name)
    inventory = model.inventory
    values = {value for features in inventory.features for value in values_of(features)}
    phrases = {label for chain in getattr(model.spans, "labels", ()) for label in chain}
    assert {*inventory.labels} - {*TEXTS["relations"]} == set()
    assert {*inventory.tags} - {*TEXTS["tags"]} == set()
    assert [value for value in values if not is_explained(value)] == []
    assert phrases - {*TEXTS["phrases"]} == set()


@pytest.mark.slow
@pytest.mark.skipif(not TREEBANKS, reason="needs treebanks")
def test_all_that_treebanks_say_is_explained() -> None:
    tags, relations, features = set(), set(), set()
    for file in TREEBANKS:
        for line in file.read_text().splitlines():
            if re.match(r"\d+\t", line):
                columns = line.split("\t")
                tags.add(columns[3])
                features.add(columns[5])
                relations.add(columns[7])
    assert tags - {*TEXTS["tags"]} == set()
    assert relations - {*TEXTS["relations"]} == set()
    values = {value for one in features for value in values_of(one)}
    assert [value for value in values if not is_explained(value)] == []


def test_all_that_is_universal_is_explained() -> None:
    assert {*RELATIONS.split()} - {*TEXTS["relations"]} == set()
    assert {*TAGS.split()} - {*TEXTS["tags"]} == set()
    universal = [f"{name}={value}" for name, values in FEATURES.items() for value in values.split()]
    assert [value for value in universal if value not in TEXTS["features"]] == []


@pytest.mark.parametrize("kind", ["tags", "relations", "features", "phrases"])
def test_entries_have_a_name_a_sentence_and_an_example(kind: str) -> None:
    entries: dict[str, list[Any]] = TEXTS[kind]
    for sign, (name, says, example) in entries.items():
        assert name, sign
        assert name[0].islower() or name.startswith("Roman"), sign
        assert says.count(".") == 1, sign
        assert says.endswith("."), sign
        assert sign == "_" or len(re.findall(r"\*[^*]+\*", example)) >= 1, sign
        assert example.count("*") % 2 == 0, sign


def test_subtypes_say_more_than_what_they_are_kinds_of() -> None:
    relations: dict[str, list[str]] = TEXTS["relations"]
    for label, (_, says, _) in relations.items():
        base = label.partition(":")[0]
        assert label == base or says != relations[base][1], label
