"""What the segmenters that come with treewhile make of everyday text: made-up texts, and the words wanted.

A sentence stands on each line, its words apart; what people write is put together from that by hand.
"""

from __future__ import annotations

import os
import random
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest
from cases import each

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.scores.evaluation import segmentation_scores
from treewhile.incremental.texts.segmented_text import SegmentedText
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences

DATA = Path(os.environ.get("TREEWHILE_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@lru_cache(3)
def segmenter(name: str) -> Segmenter:
    found = load_model(name).segmenter
    assert found
    return found


def found(name: str, text: str) -> list[str]:
    return [" ".join(word.form for word in one.words) for one in segmenter(name).segment(text)]


# --- the end of a text ------------------------------------------------------------------------------------

PLAIN = {
    "en": [
        "The dog barks loudly",
        "We waited for Anna",
        "It cost nine hundred pounds",
        "She moved to Paris in 2003",
        "They have never seen the sea",
        "I would like to thank you all",
        "Nobody knew where the keys were",
        "You can ask the man at the door",
    ],
    "af": [
        "Sy woon in Kaapstad",
        "Hulle het gister vir Piet gesien",
        "Die hond blaf baie hard",
        "Ons gaan nie vandag werk nie",
        "Hy het in 1994 na die dorp gekom",
        "Die vrou lees 'n boek oor die oorlog",
    ],
    "de": [
        "Sie wohnt in Bremen",
        "Der Hund bellt sehr laut",
        "Wir arbeiten heute nicht",
        "Er kam 1994 nach Köln",
        "Sie liest jeden Morgen ein Buch",
    ],
    "es": [
        "Ella vive en Toledo",
        "El perro ladra muy fuerte",
        "Hoy no trabajamos",
        "Vino en 1994 a Lima",
        "Nadie sabía dónde estaban las llaves",
        "Ustedes pueden venir con Marta",
    ],
    "pt": [
        "Ela mora em Coimbra",
        "O cachorro ladra muito alto",
        "Hoje não trabalhamos",
        "Ele veio em 1994 para Lisboa",
        "Ninguém sabia onde estavam as chaves",
        "Vocês podem vir com Marta",
    ],
    "fr": [
        "Elle habite à Nantes",
        "Le chien aboie très fort",
        "Nous avons attendu Anna",
        "Il est venu en 1994 chez elle",
        "Personne ne savait où elle allait",
        "Vous pouvez venir avec Marie",
    ],
    "nl": [
        "Zij woont in Groningen",
        "De hond blaft heel hard",
        "Wij gaan vandaag niet werken",
        "Hij kwam in 1994 naar het dorp",
        "Niemand wist waar de sleutels waren",
        "'s Morgens leest zij een boek over de oorlog",
    ],
}
ENDS = [(name, line, stop) for name, lines in PLAIN.items() for line in lines for stop in ".!?"]


@each("name, line, stop", ENDS)
def test_the_stop_at_the_end_of_a_text_is_a_word(name: str, line: str, stop: str) -> None:
    assert found(name, line + stop) == found(name, f"{line}{stop}\n") == [f"{line} {stop}"]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("They sell books, pens, etc.", "etc."),
        ("He works for Acme Inc.", "Inc."),
        ("The meeting is at 9 a.m.", "a.m."),
        ("She came back from the U.S.", "U.S."),
    ],
)
def test_the_stop_of_an_abbreviation_at_the_end_of_a_text_is_part_of_it(text: str, last: str) -> None:
    assert found("en", text)[-1].split()[-1] == last


def test_a_stop_that_was_a_word_may_become_part_of_one() -> None:
    text = SegmentedText(segmenter("en"), "We saw it on example.")
    assert [word.form for word in text.words][-2:] == ["example", "."]
    assert text.provisional >= 2
    text.append("com today")
    assert [word.form for word in text.words] == ["We", "saw", "it", "on", "example.com", "today"]


# --- names, numbers, addresses ----------------------------------------------------------------------------


@each(
    "name, text, sentences",
    [
        ("en", "Mr. and Mrs. Brown live here.", "Mr. and Mrs. Brown live here ."),
        ("en", "Dr. Hill met Prof. Stone. They talked.", "Dr. Hill met Prof. Stone .\nThey talked ."),
        ("en", "J. R. R. Tolkien wrote it.", "J. R. R. Tolkien wrote it ."),
        ("en", "I have read C. S. Lewis. He is good.", "I have read C. S. Lewis .\nHe is good ."),
        ("en", "Is this no. 5?", "Is this no. 5 ?"),
        ("en", "See fig. 2 for more.", "See fig. 2 for more ."),
        ("en", "It costs $20.", "It costs $ 20 ."),
        ("en", "Thanks :-)", "Thanks :-)"),
        ("en", "That is fun ;)", "That is fun ;)"),
        ("en", "Use http://example.org/find?x=1&y=2#top .", "Use http://example.org/find?x=1&y=2#top ."),
        ("en", "https://www.example.com/a?y=2#top is down.", "https://www.example.com/a?y=2#top is down ."),
        ("en", "Write to mary.jones@example.com today.", "Write to mary.jones@example.com today ."),
        ("af", "Mnr. en mev. Botha woon hier.", "Mnr. en mev. Botha woon hier ."),
        ("af", "Ons het dr. Nel ontmoet. Hy is siek.", "Ons het dr. Nel ontmoet .\nHy is siek ."),
        ("af", "J. M. Coetzee het dit geskryf.", "J. M. Coetzee het dit geskryf ."),
        ("af", "Dankie :-)", "Dankie :-)"),
        ("af", "Kyk by https://my.co.za/soek?x=1#bo vandag.", "Kyk by https://my.co.za/soek?x=1#bo vandag ."),
        ("nl", "We hebben dr. Bakker ontmoet. Hij is ziek.", "We hebben dr. Bakker ontmoet .\nHij is ziek ."),
        ("nl", "J. J. Slauerhoff heeft het geschreven.", "J. J. Slauerhoff heeft het geschreven ."),
        ("nl", "Zo'n huis kost veel, bijv. in Leiden.", "Zo'n huis kost veel , bijv. in Leiden ."),
        ("nl", "Heb je 't gezien?", "Heb je 't gezien ?"),
        ("nl", "Dank je :-)", "Dank je :-)"),
        ("nl", "Kijk op https://mijn.nl/zoek?x=1#top nu.", "Kijk op https://mijn.nl/zoek?x=1#top nu ."),
    ],
)  # fmt: skip
def test_names_numbers_and_addresses_are_words(name: str, text: str, sentences: str) -> None:
    assert found(name, text) == sentences.split("\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("en", "1. Open it 2. Close it"),
        ("af", "1. Maak oop 2. Maak toe"),
        ("nl", "1. Maak open 2. Maak dicht"),
    ],
)
def test_no_sentence_ends_behind_the_number_of_an_item(name: str, text: str) -> None:
    sentences = found(name, text)
    assert " ".join(sentences) == text.replace(".", " .")
    assert not any(one.endswith(" .") for one in sentences)


# --- lines ------------------------------------------------------------------------------------------------

LETTER = (
    "I am writing because the machine that we bought from you last week\n"
    "does not work. We called your office on Monday and talked to Mary\n"
    "Bell, who promised that somebody would come to us. Nobody came, and\n"
    "so we ask you to send us another one before the end of the month."
)
BRIEF = (
    "Ons skryf aan u omdat die masjien wat ons verlede week by u gekoop\n"
    "het nie werk nie. Ons het u kantoor Maandag gebel en met die vrou\n"
    "gepraat, maar niemand het tot vandag toe na ons huis gekom nie."
)
BRIEFJE = (
    "Wij schrijven u omdat de machine die wij vorige week bij u gekocht\n"
    "hebben niet werkt. Wij hebben uw kantoor maandag gebeld en met een\n"
    "vrouw gesproken, maar er is tot vandaag niemand bij ons gekomen."
)


@each(
    "name, text, sentences",
    [
        ("en", "Shopping list:\n- milk\n- eggs\n- bread", ["Shopping list :", "- milk", "- eggs", "- bread"]),
        ("en", "* one apple\n* two pears\n* a melon", ["* one apple", "* two pears", "* a melon"]),
        ("en", "1. Open it\n2. Close it\n3. Go home", ["1 . Open it", "2 . Close it", "3 . Go home"]),
        ("en", "1) Open it\n2) Close it", ["1 ) Open it", "2 ) Close it"]),
        ("en", "How to Begin\nYou open the box first.", ["How to Begin", "You open the box first ."]),
        ("en", "Title\n\nText comes here", ["Title", "Text comes here"]),
        ("en", "The cat sleeps\nThe dog barks\n", ["The cat sleeps", "The dog barks"]),
        ("en", "Best regards,\nPeter", ["Best regards ,", "Peter"]),
        ("af", "Inkopielys:\n- melk\n- eiers\n- brood", ["Inkopielys :", "- melk", "- eiers", "- brood"]),
        ("af", "1. Maak dit oop\n2. Maak dit toe", ["1 . Maak dit oop", "2 . Maak dit toe"]),
        ("af", "Hoe om te begin\nMaak die boks oop.", ["Hoe om te begin", "Maak die boks oop ."]),
        ("nl", "Kopen:\n- melk\n- eieren\n- brood", ["Kopen :", "- melk", "- eieren", "- brood"]),
        ("nl", "1. Maak het open\n2. Maak het dicht", ["1 . Maak het open", "2 . Maak het dicht"]),
        ("nl", "Hoe je begint\nMaak de doos open.", ["Hoe je begint", "Maak de doos open ."]),
    ],
)
def test_lists_headings_and_blank_lines_end_sentences(name: str, text: str, sentences: list[str]) -> None:
    assert found(name, text) == sentences


@pytest.mark.parametrize(("name", "text"), [("en", LETTER), ("af", BRIEF), ("nl", BRIEFJE)])
def test_lines_that_are_wrapped_hard_are_not_broken_at_their_ends(name: str, text: str) -> None:
    assert found(name, text) == found(name, text.replace("\n", " "))
    assert [one.split()[-1] for one in found(name, text)] == ["."] * text.count(".")


# --- quotation marks, brackets, abbreviations ---------------------------------------------------------------

MARKS = ['""', "''", "“”", "‘’", "„”", "«»"]  # noqa: RUF001

# What is said, with < and > for marks, and | between sentences
DIALOGUES = {
    "af": [
        "<Die baba wil nie slaap nie.>|Die hond blaf.",
        "<Kom in.>|<Baie dankie.>|<Sit asseblief.>",
        "<Hoekom?> het hy gevra.|<Omdat ek so sê.>",
        "<Ek is moeg,> het sy gesê.|<Kom ons gaan huis toe.>",
        "<Die trein was laat.|Ons het lank gewag.|Toe kom dit.>",
    ],
    "nl": [
        "<De baby wil niet slapen.>|De hond blaft.",
        "<Kom binnen.>|<Dank je wel.>|<Ga zitten.>",
        "<Waarom?> vroeg hij.|<Omdat ik het zeg.>",
        "<Ik ben moe,> zei ze.|<Laten we naar huis gaan.>",
        "<De trein was te laat.|Wij wachtten een uur.|Toen kwam hij.>",
    ],
}
QUOTED = [
    (name, line.replace("<", opening).replace(">", closing))
    for name, lines in DIALOGUES.items()
    for line in lines
    for opening, closing in MARKS
]


def cuts(name: str, text: str) -> str:
    return "|".join(text[one.start : one.end] for one in segmenter(name).segment(text))


@each("name, line", QUOTED)
def test_quotation_marks_belong_to_the_sentence_that_they_stand_at(name: str, line: str) -> None:
    assert cuts(name, line.replace("|", " ")) == line


@each("name, line", QUOTED)
def test_a_closing_mark_that_is_typed_joins_the_sentence_before_it(name: str, line: str) -> None:
    text = SegmentedText(segmenter(name))
    for before, character in pairwise(" " + line.replace("|", " ")):
        count = len(text.sentences)
        text.append(character)
        if before in ".?!," and character not in " .":
            assert len(text.sentences) == count
            assert text.words[-1].form == character


@each(
    "name, line",
    [
        ("en", "We took the boat.|(The bridge was closed.)|It was slow."),
        ("en", "He works for Acme Inc.|He likes it."),
        ("en", "Acme Inc. makes lamps.|We buy them."),
        ("en", "She sat.|The cat sat."),
        ("en", "The dogs' bowls are Anna's.|'I don't know.'"),
        ("af", "Ons het met die boot gegaan.|(Die brug was toe.)|Dit was stadig."),
        ("af", "Sy sit.|Die kat het gesit.|Hy kom.|Ons eet."),
        ("af", "Bring iets warms, bv. 'n serp.|Dit is koud."),
        ("af", "\"'n Man het gekom.\"|'n Vrou het hom gesien."),
        ("nl", "Wij gingen met de boot.|(De brug was dicht.)|Het was traag."),
        ("nl", "Ze zat.|De kat zat.|Hij kwam.|Wij eten.|Het is wat."),
        ("nl", "Neem iets warms mee, bijv. een sjaal.|Het wordt koud."),
        ("nl", "\"'s Ochtends slaap ik.\"|'s Avonds lees ik zo'n boek."),
    ],
)
def test_brackets_abbreviations_and_apostrophes_leave_sentences_whole(name: str, line: str) -> None:
    assert cuts(name, line.replace("|", " ")) == line


# --- contractions -----------------------------------------------------------------------------------------


@each(
    "name, text, sentences",
    [
        (
            "de",
            "Er ging zum Bahnhof und vom Garten ins Haus.",
            "Er ging zu dem Bahnhof und von dem Garten in das Haus .",
        ),
        ("de", "„Ich komme gleich.“ Dann ging sie.", "„ Ich komme gleich . “\nDann ging sie ."),
        ("de", "»Das ist gut«, sagte er.", "» Das ist gut « , sagte er ."),
        (
            "fr",
            "L'homme qu'on a vu parle aux enfants du village.",
            "L' homme qu' on a vu parle à les enfants de le village .",
        ),
        (
            "pt",
            "O homem veio da aldeia ao mercado e ficou nesta casa.",
            "O homem veio de a aldeia a o mercado e ficou em esta casa .",
        ),
        ("pt", "Viu-se na rua.", "Viu se em a rua ."),
        ("pt", "Dar-lhe-ei o livro, e vê-lo-emos.", "Darei lhe o livro , e veremos lo ."),
        ("pt", "«Já venho», disse ela.", "« Já venho » , disse ela ."),
        (
            "es",
            "El hombre vino del pueblo al mercado.",
            "El hombre vino de el pueblo a el mercado .",
        ),
        ("es", "¿Quién es? ¿Tu hermano?", "¿ Quién es ?\n¿ Tu hermano ?"),
        ("es", "«Vengo enseguida», dijo ella.", "« Vengo enseguida » , dijo ella ."),
        ("es", "Quiero verlo.", "Quiero ver lo ."),
        ("es", "Dime si puedes decírselo.", "Di me si puedes decir se lo ."),
        ("fr", "Donne-le-moi, puis vas-y !", "Donne -le -moi , puis vas -y !"),
        ("fr", "Allez-vous-en, on a rendez-vous.", "Allez -vous -en , on a rendez-vous ."),
        ("fr", "L\u2019eau d\u2019aujourd'hui.", "L\u2019 eau d\u2019 aujourd'hui ."),
        (
            "fr",
            "Elle a dit : « Je viens. » Puis elle est partie.",
            "Elle a dit : « Je viens . »\nPuis elle est partie .",
        ),
        ("fr", "Viens-tu ? Où est-il ?", "Viens -tu ?\nOù est -il ?"),
    ],
)
def test_contractions_elisions_and_quotes_are_cut(name: str, text: str, sentences: str) -> None:
    assert found(name, text) == sentences.split("\n")


# --- typing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"), [("en", LETTER), ("af", BRIEF), ("nl", BRIEFJE), ("en", "1. Mr. Hill\n2. :-)\n\nGo.")]
)
def test_edits_give_what_segmenting_afresh_gives(name: str, text: str) -> None:
    drawn, edited = random.Random(1), SegmentedText(segmenter(name))
    for character in text:
        words, settled = list(edited.words), edited.word_count - edited.provisional
        edited.append(character)
        assert edited.words[:settled] == words[:settled]
        assert edited.sentences == segmenter(name).segment(edited.text)
    for _ in range(150):
        start = drawn.randint(0, len(edited))
        edited.replace(
            start, min(len(edited), start + drawn.randint(0, 3)), drawn.choice(["", "\n", " ", ". A", "x"])
        )
        assert edited.sentences == segmenter(name).segment(edited.text)


# --- treebanks --------------------------------------------------------------------------------------------

DEV = {
    "en": "ud/en_ewt/en_ewt-dev.conllu",
    "af": "ud/af_afribooms/af_afribooms-dev.conllu",
    "nl": "ud/nl_alpino/nl_alpino-dev.conllu",
}


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="there are no treebanks")
@pytest.mark.parametrize("name", DEV)
def test_sentences_whose_text_ends_with_them_have_the_same_words_as_before_a_line_end(name: str) -> None:
    dev = [*read_sentences(str(DATA / DEV[name]))]
    cut, whole = ([words_found(name, one, end) for one in dev] for end in ("", "\n"))
    same = sum(len(set(some) & set(others)) for some, others in zip(cut, whole, strict=True))
    assert 2 * same / (sum(map(len, cut)) + sum(map(len, whole))) > 0.997


def words_found(name: str, sentence: Sentence, end: str) -> list[tuple[int, int]]:
    text = next(one for one in sentence.comments if one.startswith("# text ="))[8:].strip()
    return [word[1:3] for one in segmenter(name).segment(text + end) for word in one.words]


@pytest.mark.slow
@pytest.mark.skipif(not DATA.is_dir(), reason="there are no treebanks")
@pytest.mark.parametrize(
    ("name", "words", "sentences"), [("en", 98.8, 88.6), ("af", 99.6, 99.4), ("nl", 98.6, 77.0)]
)
def test_the_text_of_treebanks_is_cut_as_well_as_the_model_says(
    name: str, words: float, sentences: float
) -> None:
    scores = segmentation_scores(segmenter(name), [*read_sentences(str(DATA / DEV[name]))])
    told = load_model(name).information["scores"]
    assert {measure: round(score, 2) for measure, score in scores.items()} == {
        measure: told[measure] for measure in scores
    }
    assert scores["Words"] >= words
    assert scores["Sentences"] >= sentences


# --- what is certain beforehand ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["en", "af", "nl"])
def test_no_token_ends_between_characters_that_are_unbroken(name: str) -> None:
    source, cutter = random.Random(7), segmenter(name)
    for _ in range(200):
        text = "".join(source.choices("abAB19 .,'-é🎉犬\u0301", k=20))
        inside = {
            place
            for sentence in cutter.segment(text)
            for _, token, _ in sentence.tokens()
            for place in range(token.start + 1, token.end)
        }
        unbroken = {place for place in range(1, len(text)) if cutter.is_unbroken(text[place - 1 : place + 1])}
        assert unbroken <= inside
    assert cutter.is_unbroken("Abab")
    assert not any(map(cutter.is_unbroken, ("a b", "a.", "a-")))
