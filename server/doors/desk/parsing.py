"""Parsing for the doors of the desk: models by name, CoNLL-U input, and portions of sentences."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final

from treewhile.incremental.parsers.parsed_treebank import parse_sentences
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles.errors import InputError
from treewhile.server.doors.desk.requests import RequestError
from treewhile.server.work.engines import load_engine
from treewhile.server.work.served_models import ModelFacts, ServedModels, facts_in_file

WORDS_AT_ONCE, SENTENCES_AT_ONCE = 400, 16
LONGEST_SENTENCE: Final = 2048  # words, more than in sentences of the segmenter; one takes a second or two


class Models:
    """Models by their names, the default first; each is loaded when it is first used."""

    def __init__(self, served: ServedModels) -> None:
        self._paths, self._trees = served.by_name, served.trees
        self._loaded: dict[str, Model] = {}
        self.names = [*self._paths]

    @property
    def default(self) -> str:
        return self.names[0]

    def facts(self, name: str) -> ModelFacts:
        """Return the facts about a model, which need not be loaded."""
        return facts_in_file(self._paths[name])

    def load(self, name: str) -> Model:
        """Return a model; raise RequestError if it cannot be loaded."""
        if name not in self._loaded:
            try:
                self._loaded[name] = load_engine(self._paths[name], self._trees).model
            except InputError as error:
                raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, str(error)) from None
        return self._loaded[name]

    def chosen(self, asked: str | None) -> str:
        """Return the name of the model for a requested name or language."""
        if not asked:
            return self.default
        if asked in self.names:
            return asked
        for name in self.names:
            if language_of(name) == language_of(asked):
                return name
        raise InputError(
            f"there is no model {asked!r:.80}, nor one for its language: ask for {', '.join(self.names)}"
        )


def sentences_of(data: str, name: str) -> Iterator[Sentence]:
    """Yield the sentences of CoNLL-U data; `name` is the name of the data in errors."""
    text = data.removeprefix("\ufeff").strip("\n")
    if text.strip():
        stream: Any = io.BytesIO(f"{text}\n\n".encode(errors="surrogatepass"))
        stream.name = name
        yield from read_sentences(stream)


def portions(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield the sentences in portions that are short enough for other requests to wait."""
    portion: list[Sentence] = []
    words = 0
    for sentence in sentences:
        count = len(sentence.words)
        if count > LONGEST_SENTENCE:
            what = f"a sentence may have {LONGEST_SENTENCE} words at most, not {count}: split it"
            raise InputError(f"{what}, at {sentence.file_name}:{sentence.first_row_line}")
        if portion and (words + count > WORDS_AT_ONCE or len(portion) == SENTENCES_AT_ONCE):
            yield portion
            portion, words = [], 0
        portion.append(sentence)
        words += count
    if portion:
        yield portion


def parsed(model: Model, sentences: Sequence[Sentence], kept: Collection[str] = ()) -> list[Sentence]:
    """Return parsed sentences; the columns in `kept` stay unchanged."""
    if not kept:
        return parse_sentences(model, sentences)
    return [
        with_columns_of(before, after, kept)
        for before, after in zip(sentences, parse_sentences(model, sentences), strict=True)
    ]


def with_columns_of(
    before: Sentence, after: Sentence, kept: Collection[str], but_for: str | None = None
) -> Sentence:
    """Return a sentence with some columns of another one that has the same words, but for one value."""
    changes = {
        number: {column: value for column in kept if (value := getattr(word, column)) != but_for}
        for number, word in enumerate(before.words, 1)
    }
    return after.with_columns({number: values for number, values in changes.items() if values})


# --- languages ----------------------------------------------------------------------------------------------

LISTED: Final = """
    afrikaans:af albanian:sq amharic:am ancient_greek:grc ancient_hebrew:hbo arabic:ar armenian:hy
    basque:eu belarusian:be bengali:bn breton:br bulgarian:bg buryat:bxr catalan:ca chinese:zh
    classical_chinese:lzh coptic:cop croatian:hr czech:cs danish:da dutch:nl english:en erzya:myv
    estonian:et faroese:fo finnish:fi french:fr galician:gl georgian:ka german:de gothic:got greek:el
    hebrew:he hindi:hi hungarian:hu icelandic:is indonesian:id irish:ga italian:it japanese:ja kazakh:kk
    korean:ko kurmanji:kmr latin:la latvian:lv ligurian:lij lithuanian:lt maltese:mt manx:gv marathi:mr
    naija:pcm north_sami:sme norwegian:no old_church_slavonic:cu old_east_slavic:orv old_french:fro
    persian:fa polish:pl pomak:qpm portuguese:pt romanian:ro russian:ru sanskrit:sa scottish_gaelic:gd
    serbian:sr slovak:sk slovenian:sl spanish:es swedish:sv tamil:ta telugu:te thai:th turkish:tr
    ukrainian:uk urdu:ur uyghur:ug vietnamese:vi welsh:cy western_armenian:hyw wolof:wo
"""
CODES: Final = dict(pair.split(":") for pair in LISTED.split())


def language_of(model: str) -> str:
    """Return the language code of a model by the first part of its name, as in `english-ewt-ud-2.15`."""
    first = model.lower().split("-")[0]
    return CODES.get(first) or first.split("_")[0]
