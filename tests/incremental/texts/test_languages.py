from __future__ import annotations

import pytest

from treewhile.incremental.texts.languages import LANGUAGES, likely_language, other_language

SENTENCES = {
    "af": "Ons het gister die hele dag op die strand gesit en niks gedoen nie.",
    "de": "Gestern haben wir den ganzen Tag am Strand gesessen und nichts getan.",
    "en": "Yesterday we sat on the beach for the whole day and did nothing.",
    "es": "Ayer estuvimos sentados todo el día en la playa y no hicimos nada.",
    "fr": "Hier nous sommes restés assis toute la journée sur la plage sans rien faire.",
    "nl": "Gisteren hebben we de hele dag op het strand gezeten en niets gedaan.",
    "pt": "Ontem ficamos sentados o dia inteiro na praia e não fizemos nada.",
}
OTHERS = {
    "af": "hulle weet nie waar my sleutels is nie maar ek dink dit lê in die kombuis",
    "de": "weißt du ob der laden an der ecke heute noch offen hat",
    "en": "do you know whether the shop at the corner is still open",
    "es": "no sé si la tienda de la esquina sigue abierta a estas horas",
    "fr": "je ne sais pas si l'épicerie du coin est encore ouverte",
    "nl": "weet jij of de winkel op de hoek vandaag nog open is",
    "pt": "você sabe se a padaria da esquina ainda está aberta hoje",
}
EVERY = [(code, text) for texts in (SENTENCES, OTHERS) for code, text in texts.items()]


@pytest.mark.parametrize(("code", "text"), EVERY)
def test_each_language_is_told_as_written_and_as_spoken(code: str, text: str) -> None:
    for written in (text, text.lower().rstrip("."), text.upper(), text + " 2 + 3 = 5!"):
        likely = likely_language(written)
        assert likely is not None
        assert (likely.language, likely.confidence > 0.9) == (code, True)


@pytest.mark.parametrize("text", ["", "12:30", "...", "אתמול קראתי ספר", "我昨天"])
def test_nothing_is_said_of_a_text_without_latin_letters(text: str) -> None:
    assert likely_language(text) is None
    assert other_language(text, "en") is None


def test_each_kind_of_apostrophe_is_the_same() -> None:
    assert likely_language("l\u2019homme qu\u2019on a vu") == likely_language("l'homme qu'on a vu")


@pytest.mark.parametrize(("code", "text"), EVERY)
def test_no_notice_is_wrong_while_a_sentence_is_typed(code: str, text: str) -> None:
    assert {other_language(text[:end], code) for end in range(len(text) + 1)} == {None}


@pytest.mark.parametrize(("code", "text"), EVERY)
def test_a_sentence_of_another_language_is_noticed(code: str, text: str) -> None:
    for own in {*LANGUAGES} - {code}:
        assert other_language(text, own) == code


def test_a_few_letters_are_not_noticed() -> None:
    assert other_language("Guten Tag", "en") is None


def test_what_was_told_is_kept_until_the_text_looks_like_its_own() -> None:
    text = OTHERS["pt"]
    assert other_language("obrigado", "en", told="pt") == "pt"
    assert other_language(SENTENCES["es"], "en", told="pt") == "es"
    assert other_language(SENTENCES["en"], "en", told="pt") is None
    assert other_language(text, "xx", told="pt") is None


def test_names_within_a_sentence_count_for_nothing() -> None:
    text = "I met Maria Gonzalez, Juan Rodriguez and Fernando Alonso in Buenos Aires"
    assert likely_language(text) == likely_language("I met, and in")
    assert other_language(text, "en") is None
