"""Treebanks as a model parses them: tags, features, heads and labels anew, all else as it was."""

from __future__ import annotations

from treewhile.incremental.analyses import Analysis
from treewhile.incremental.parsing import WORD, Model, gold_values, is_word
from treewhile.incremental.treebank import Sentence
from treewhile.oracles.errors import InputError

# What a model changes, by the tags that it was trained on: it keeps those that it is given.
COLUMNS = {
    "predicted": ("upos", "feats", "head", "deprel", "deps"),
    "gold-upos": ("feats", "head", "deprel", "deps"),
    "gold": ("head", "deprel", "deps"),
}


def parse_sentence(model: Model, sentence: Sentence) -> Sentence:
    """The sentence with the columns that the model says; DEPS, of which it says nothing, are `_`."""
    analysis = analyse(model, sentence)
    said = {
        "upos": analysis.tags,
        "feats": analysis.features,
        "head": tuple(map(str, analysis.heads)),
        "deprel": analysis.labels,
        "deps": ("_",) * len(analysis.words),
    }
    columns = COLUMNS[model.tags]
    return sentence.with_columns(
        {
            number: {column: said[column][number - 1] for column in columns}
            for number in range(1, len(analysis.words) + 1)
        }
    )


def analyse(model: Model, sentence: Sentence) -> Analysis:
    """What the model says of the words of a whole sentence; an InputError says where it stands."""
    check_forms(sentence)
    try:
        return model.parse([word.form for word in sentence.words], values_of(model, sentence))
    except InputError as error:
        place = f"{sentence.file_name}:{sentence.first_row_line}"
        raise InputError(f"{error}, in the sentence at {place}") from error


def values_of(model: Model, sentence: Sentence) -> list[list[str]]:
    """What the model is told of each word."""
    return [gold_values(model.tags, word) for word in sentence.words]


def check_forms(sentence: Sentence) -> None:
    """Refuses what cannot be parsed as a word."""
    for number, word in enumerate(sentence.words, 1):
        if not is_word(word.form):
            what = f"the form {word.form[:40]!r} has to be {WORD}"
            raise InputError(f"{what}, at {sentence.where(number, 'form')}")
