from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from treewhile.incremental.parsers.parsed_treebank import analyse, parse_sentences, values_of
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.words import LONGEST_WORD
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles import InputError

ROWS = [
    "1\tThe\tthe\tNOUN\tDT\tNumber=Sing\t_\t_\t_\t_",
    "2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No",
    "2\tdo\tdo\tAUX\tVB\t_\t0\tdep\t0:root\t_",
    "3\tn't\tnot\tPART\tRB\tNumber=Plur\t2\tadvmod:neg\t2:advmod\tA=b",
    "3.1\telided\t_\t_\t_\t_\t_\t_\t0:root\t_",
]
TEXT = "\n# sent_id = 1\r\n# a comment\n" + "\n".join(ROWS) + "\n\n\n"


def read(text: str) -> Sentence:
    stream = io.BytesIO(text.encode())
    stream.name = "words.conllu"
    return next(read_sentences(stream))


@pytest.mark.parametrize(
    ("tags", "changed"),
    [
        ("predicted", {"upos", "feats", "head", "deprel", "deps"}),
        ("gold-upos", {"feats", "head", "deprel", "deps"}),
        ("gold", {"head", "deprel", "deps"}),
    ],
)
def test_the_columns_that_the_model_says_change_and_no_others(
    tags: str, changed: set[str], make_model: Callable[..., Model]
) -> None:
    model, sentence = make_model(tags=tags), read(TEXT)
    analysis = analyse(model, [sentence])[0]
    said = zip(analysis.tags, analysis.features, analysis.heads, analysis.labels, strict=True)
    expected = TEXT
    for word, (tag, features, head, label) in zip(sentence.words, said, strict=True):
        new = {"upos": tag, "feats": features, "head": str(head), "deprel": label, "deps": "_"}
        after = word._replace(**{name: value for name, value in new.items() if name in changed})
        expected = expected.replace("\t".join(word[:10]), "\t".join(after[:10]))
    assert str(parse_sentences(model, [sentence])[0]) == expected


def test_a_model_is_told_the_values_that_it_was_trained_on(make_model: Callable[..., Model]) -> None:
    model, sentence = make_model(tags="gold"), read(TEXT)
    assert values_of(model, sentence) == [
        ["UPOS=NOUN", "Number=Sing"],
        ["UPOS=AUX"],
        ["UPOS=PART", "Number=Plur"],
    ]
    assert analyse(model, [sentence])[0] == model.parse(["The", "do", "n't"], values_of(model, sentence))


@pytest.mark.parametrize("form", ["x" * (LONGEST_WORD + 1), "\u00a0"])
def test_a_form_that_is_no_word_is_told_with_its_place(form: str, model: Model) -> None:
    with pytest.raises(InputError, match=r"^the form .* at words.conllu:6, column FORM$"):
        parse_sentences(model, [read(TEXT.replace("\tdo\t", f"\t{form}\t", 1))])


def test_a_sentence_that_is_too_long_is_told_with_its_place(model: Model) -> None:
    rows = (f"{number}\tx" + "\t_" * 8 + "\n" for number in range(1, 4002))
    with pytest.raises(InputError, match=r"^4001 words are too many .*, in the sentence at words.conllu:1$"):
        parse_sentences(model, [read("".join(rows) + "\n")])


def test_unknown_letters_and_labels_are_no_trouble(model: Model) -> None:
    text = TEXT.replace("\tdo\t", "\t🎉ξ\u0301\t", 1).replace("AUX", "AUXILIAR")
    (parsed,) = parse_sentences(model, [read(text)])
    assert parsed.words[1].form == "🎉ξ\u0301"
