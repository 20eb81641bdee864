"""Treebanks parsed by a model: new tags, features, heads and labels, all else unchanged."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.told_values import ToldValues, gold_values
from treewhile.incremental.parsers.words import WORD, is_word
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError
from treewhile.oracles.tabular_parsing import check_length

# Columns that a model changes, by the tags that it was trained on: given tags are kept.
COLUMNS = {
    "predicted": ("upos", "feats", "head", "deprel", "deps"),
    "gold-upos": ("feats", "head", "deprel", "deps"),
    "gold": ("head", "deprel", "deps"),
}


def parse_sentences(model: Model, sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return the sentences with the columns that the model predicts; DEPS, which it does not, is `_`."""
    return with_analyses(model, sentences, analyse(model, sentences))


def with_analyses(
    model: Model, sentences: Sequence[Sentence], analyses: Sequence[Analysis]
) -> list[Sentence]:
    """Return the sentences with the columns of some analyses."""
    return [_with_analysis(*pair, COLUMNS[model.tags]) for pair in zip(sentences, analyses, strict=True)]


def _with_analysis(sentence: Sentence, analysis: Analysis, columns: Sequence[str]) -> Sentence:
    said = {
        "lemma": analysis.lemmas,
        "xpos": analysis.xpos,
        "upos": analysis.tags,
        "feats": analysis.features,
        "head": tuple(map(str, analysis.heads)),
        "deprel": analysis.labels,
        "deps": ("_",) * len(analysis.words),
    }
    columns = [*filter(said.get, ("lemma", "xpos")), *columns]
    rows = zip(*(said[column] for column in columns), strict=True)
    return sentence.with_columns(
        {number: dict(zip(columns, row, strict=True)) for number, row in enumerate(rows, 1)}
    )


def analyse(
    model: Model,
    sentences: Sequence[Sentence],
    with_constituents: bool = False,
) -> list[Analysis]:
    """Return the model's analyses of whole sentences; an InputError names one that cannot be parsed."""
    for sentence in sentences:
        check_sentence(sentence)
    forms = [[word.form for word in sentence.words] for sentence in sentences]
    values = [values_of(model, sentence) for sentence in sentences]
    return model.parse_all(forms, values, with_constituents=with_constituents)


def values_of(model: Model, sentence: Sentence) -> list[list[str]]:
    """Return the gold values of each word that are input to the model."""
    return told_of(sentence, model.tags, model.told_values)


def told_of(sentence: Sentence, tags: str, known: ToldValues) -> list[list[str]]:
    """Return the gold values of each word that are input to a model trained with `--tags`.

    An InputError says where an unknown tag stands.
    """
    told = [gold_values(tags, word) for word in sentence.words]
    try:
        known.numbers(told)
    except InputError as error:
        raise InputError(f"{error}, in {_place(sentence)}, column UPOS") from error
    return told


def _place(sentence: Sentence) -> str:
    return f"the sentence at {sentence.file_name}:{sentence.first_row_line}"


def check_sentence(sentence: Sentence) -> None:
    """Refuse a sentence that is too long, or has a form that is not a word."""
    try:
        check_length(len(sentence.words))
    except InputError as error:
        raise InputError(f"{error}, in {_place(sentence)}") from error
    for number, word in enumerate(sentence.words, 1):
        if not is_word(word.form):
            what = f"the form {word.form[:40]!r} has to be {WORD}"
            raise InputError(f"{what}, at {sentence.where(number, 'form')}")
