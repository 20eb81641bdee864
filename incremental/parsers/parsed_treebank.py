"""Treebanks as a model parses them: tags, features, heads and labels anew, all else as it was."""

from __future__ import annotations

from collections.abc import Sequence

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.told_values import ToldValues, gold_values
from treewhile.incremental.parsers.words import WORD, is_word
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError
from treewhile.oracles.tabular_parsing import check_length

# What a model changes, by the tags that it was trained on: it keeps those that it is given.
COLUMNS = {
    "predicted": ("upos", "feats", "head", "deprel", "deps"),
    "gold-upos": ("feats", "head", "deprel", "deps"),
    "gold": ("head", "deprel", "deps"),
}


def parse_sentences(model: Model, sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences with the columns that the model says; DEPS, of which it says nothing, are `_`."""
    return with_analyses(model, sentences, analyse(model, sentences))


def with_analyses(
    model: Model, sentences: Sequence[Sentence], analyses: Sequence[Analysis]
) -> list[Sentence]:
    """The sentences with what some analyses say in these columns."""
    return [_with_analysis(*pair, COLUMNS[model.tags]) for pair in zip(sentences, analyses, strict=True)]


def _with_analysis(sentence: Sentence, analysis: Analysis, columns: Sequence[str]) -> Sentence:
    said = {
        "upos": analysis.tags,
        "feats": analysis.features,
        "head": tuple(map(str, analysis.heads)),
        "deprel": analysis.labels,
        "deps": ("_",) * len(analysis.words),
    }
    rows = zip(*(said[column] for column in columns), strict=True)
    return sentence.with_columns(
        {number: dict(zip(columns, row, strict=True)) for number, row in enumerate(rows, 1)}
    )


def analyse(
    model: Model,
    sentences: Sequence[Sentence],
    with_constituents: bool = False,
) -> list[Analysis]:
    """What the model says of the words of whole sentences; an InputError says which one it cannot parse."""
    for sentence in sentences:
        check_sentence(sentence)
    forms = [[word.form for word in sentence.words] for sentence in sentences]
    values = [values_of(model, sentence) for sentence in sentences]
    return model.parse_all(forms, values, with_constituents=with_constituents)


def values_of(model: Model, sentence: Sentence) -> list[list[str]]:
    """What the model is told of each word."""
    return told_of(sentence, model.tags, model.told_values)


def told_of(sentence: Sentence, tags: str, known: ToldValues) -> list[list[str]]:
    """What a model trained with `--tags`, which knows some values, is told of each word.

    An InputError says where a tag stands that it cannot have.
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
    """Refuses what is too long to be parsed, and what cannot be parsed as a word."""
    try:
        check_length(len(sentence.words))
    except InputError as error:
        raise InputError(f"{error}, in {_place(sentence)}") from error
    for number, word in enumerate(sentence.words, 1):
        if not is_word(word.form):
            what = f"the form {word.form[:40]!r} has to be {WORD}"
            raise InputError(f"{what}, at {sentence.where(number, 'form')}")
