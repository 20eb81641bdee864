from __future__ import annotations

from typing import Any

import pytest
from http_clients import Reply, ask_with_json
from real_servers import RealServer

cassis = pytest.importorskip("cassis")

SEGMENTATION = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
DEPENDENCY = "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency"
PREDICTED = "inception_internal_predicted"
TEXT = "The 🐕 barks . It is late ."
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def document() -> Any:
    """A document with tokens and sentences, and the layers that INCEpTION has for them."""
    types = cassis.TypeSystem()
    token = types.create_type(f"{SEGMENTATION}.Token", "uima.tcas.Annotation")
    types.create_type(f"{SEGMENTATION}.Sentence", "uima.tcas.Annotation")
    for layer, feature in ((POS, "PosValue"), (DEPENDENCY, "DependencyType"), ("custom.Span", "value")):
        made = types.create_type(layer, "uima.tcas.Annotation")
        types.create_feature(made, feature, "uima.cas.String")
        types.create_feature(made, PREDICTED, "uima.cas.Boolean")
    for end in ("Governor", "Dependent"):
        types.create_feature(types.get_type(DEPENDENCY), end, token)
    cas = cassis.Cas(typesystem=types)
    cas.sofa_string, cas.sofa_mime = TEXT, "text/plain"
    begin = 0
    for word in TEXT.split(" "):
        cas.add(token(begin=begin, end=begin + len(word)))
        begin += len(word) + 1
    sentence = types.get_type(f"{SEGMENTATION}.Sentence")
    middle = TEXT.index(". It") + 1
    cas.add_all([sentence(begin=0, end=middle), sentence(begin=middle + 1, end=len(TEXT))])
    return cas


def request(layer: str, feature: str) -> dict[str, Any]:
    cas = document()
    return {
        "metadata": {"layer": layer, "feature": feature, "projectId": 1, "anchoringMode": "tokens"},
        "document": {"xmi": cas.to_xmi(), "documentId": 2, "userId": "somebody"},
        "typeSystem": cas.typesystem.to_xml(),
    }


def post(served: RealServer, content: object, path: str = "en/predict") -> Reply:
    return ask_with_json(f"{served.address}inception/{path}", content)


def suggestions(reply: Reply, layer: str) -> list[Any]:
    assert reply.status == 200, reply.text
    cas = cassis.load_cas_from_xmi(reply.json["document"], document().typesystem)
    assert cas.sofa_string == TEXT
    return [one for one in cas.select(layer) if one[PREDICTED]]


def test_tags_are_suggested_for_each_token(served: RealServer) -> None:
    found = suggestions(post(served, request(POS, "PosValue")), POS)
    tags = [(one.get_covered_text(), one["PosValue"]) for one in found]
    assert [word for word, _ in tags] == TEXT.split(" ")
    assert dict(tags)["The"] == "DET"
    assert dict(tags)["is"] == "AUX"


def test_arcs_are_suggested_and_the_root_hangs_on_itself(served: RealServer) -> None:
    found = suggestions(post(served, request(DEPENDENCY, "DependencyType")), DEPENDENCY)
    arcs = [
        (one.Dependent.get_covered_text(), one.Governor.get_covered_text(), one["DependencyType"])
        for one in found
    ]
    assert len(arcs) == len(TEXT.split(" "))
    assert ("late", "late", "root") in arcs
    assert ("is", "late", "cop") in arcs
    assert all((one.begin, one.end) == (one.Dependent.begin, one.Dependent.end) for one in found)


def test_training_is_answered_with_nothing(served: RealServer) -> None:
    reply = post(served, {"metadata": {}, "documents": [], "typeSystem": ""}, "en/train")
    assert (reply.status, reply.text) == (204, "")


def test_models_are_named_in_the_address(served: RealServer) -> None:
    assert post(served, request(POS, "PosValue"), "nl/predict").status == 200
    refused = post(served, request(POS, "PosValue"), "fr/predict")
    assert (refused.status, refused.text[:22]) == (400, "there is no model 'fr'")


@pytest.mark.parametrize(
    ("layer", "feature", "said"),
    [
        ("custom.Span", "value", "there is nothing to suggest for the layer 'custom.Span'"),
        ("custom.Other", "value", "the type system has no layer 'custom.Other'"),
        (POS, "other", "has no feature 'other'"),
    ],
)
def test_layers_for_which_there_is_nothing_are_named(
    served: RealServer, layer: str, feature: str, said: str
) -> None:
    reply = post(served, request(layer, feature))
    assert reply.status == 400
    assert said in reply.text


def hostile(part: str, old: str, new: str) -> dict[str, Any]:
    """A request in which something of the document or of its types is another thing."""
    content = request(POS, "PosValue")
    if part == "types":
        content["typeSystem"] = content["typeSystem"].replace(old, new)
    else:
        content["document"]["xmi"] = content["document"]["xmi"].replace(old, new)
    return content


@pytest.mark.parametrize(
    ("part", "old", "new", "said"),
    [
        ("document", "<xmi:XMI", f"{BOMB}<xmi:XMI", "leave <!DOCTYPE ...> out"),
        ("types", "<typeSystemDescription", f"{BOMB}<typeSystemDescription", "leave <!DOCTYPE ...> out"),
        ("document", "</xmi:XMI>", "", "the XMI cannot be read"),
        ("types", "</typeSystemDescription>", "", "the type system cannot be read"),
        ("types", "PosValue", "x=print(1)", "called 'x=print(1)'"),
        ("types", "PosValue", "__init__", "called '__init__'"),
        ("document", 'begin="0"', 'begin="zero"', "the XMI cannot be read"),
    ],
)
def test_hostile_xml_is_refused(served: RealServer, part: str, old: str, new: str, said: str) -> None:
    reply = post(served, hostile(part, old, new))
    assert reply.status == 400, reply.text
    assert said in reply.text


def test_what_is_no_request_is_refused(served: RealServer) -> None:
    for content in ([], {}, {"metadata": 1}, {**request(POS, "PosValue"), "document": {}}):
        reply = post(served, content)
        assert reply.status == 400
        assert "this is not the JSON that belongs here" in reply.text
