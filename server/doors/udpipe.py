"""UDPipe's REST service: /process and /models, for scripts that speak to it and change the address alone."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.text_sources import segmenter_of, sentences_of_text
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles.errors import InputError
from treewhile.server.connections.host import VERSION
from treewhile.server.doors.desk.parsing import parsed, portions, sentences_of
from treewhile.server.doors.desk.requests import Request, Work, json_answer, parameters
from treewhile.server.doors.desk.service import Route, Service

TAGGED, PARSED = ("upos", "feats"), ("head", "deprel", "deps")
DATA: Final = "the data"
Reader: TypeAlias = Callable[[Model, str], Iterator[Sentence]]


def process(request: Request, service: Service) -> Work:
    """The data, with what was asked for: words by `tokenizer`, tags by `tagger`, trees by `parser`."""
    given = parameters(request)
    if "data" not in given:
        raise InputError("there is no parameter data: send the text or the sentences as this one")
    name = service.models.chosen(given.get("model"))
    model, write = service.models[name], _chosen("output", OUTPUTS, given.get("output") or "conllu")
    kept = [*(() if "tagger" in given else TAGGED), *(() if "parser" in given else PARSED)]
    pieces: list[str] = []
    for some in portions(_read(model, given)):
        pieces += map(write, parsed(model, some, kept) if len(kept) < len(TAGGED + PARSED) else some)
        yield
    head = f"# generator = treewhile {VERSION}\n# udpipe_model = {name}\n" if write is str and pieces else ""
    return json_answer({"model": name, "acknowledgements": [], "result": head + "".join(pieces)})


def models(_: Request, service: Service) -> Work:
    """Which models there are, and what each can do."""
    yield from ()
    told = {name: _abilities(model) for name, model in service.models.items()}
    return json_answer({"models": told, "default_model": service.models.default})


ROUTES = (
    Route(("GET", "POST"), re.compile("/process"), process),
    Route(("GET", "POST"), re.compile("/models"), models),
)


def _abilities(model: Model) -> list[str]:
    tokenizer = ["tokenizer"] if model.segmenter else []
    tagger = ["tagger"] if model.tags == "predicted" else []
    return [*tokenizer, *tagger, "parser"]


# --- input --------------------------------------------------------------------------------------------------


def _read(model: Model, given: dict[str, str]) -> Iterator[Sentence]:
    """The sentences of the data in their format, or as the tokenizer cuts them."""
    data = given["data"]
    if "tokenizer" in given:
        return _of_text(model, data, given["tokenizer"].split(";"))
    read: Reader = _chosen("input", INPUTS, given.get("input") or "conllu")
    return read(model, data)


def _of_text(model: Model, text: str, options: Sequence[str] = ()) -> Iterator[Sentence]:
    segmenter = segmenter_of(model, DATA)
    if "presegmented" not in options:
        return sentences_of_text(segmenter, [text], DATA)
    lines = (line for line in text.splitlines() if line.strip())
    words = ([word.form for one in segmenter.segment(line) for word in one.words] for line in lines)
    return _of_words(words)


def _of_words(sentences: Iterator[list[str]]) -> Iterator[Sentence]:
    """Sentences of given words, numbered."""
    for number, words in enumerate(sentences, 1):
        rows = str(Sentence.of_words(words))
        stream: Any = io.BytesIO(f"# sent_id = {number}\n{rows}".encode())
        stream.name = DATA
        yield from read_sentences(stream)


def _horizontal(data: str) -> Iterator[list[str]]:
    return (line.split() for line in data.splitlines() if line.strip())


def _vertical(data: str) -> Iterator[list[str]]:
    blocks = re.split(r"\n\s*\n", data.replace("\r\n", "\n"))
    words = ([line.split("\t")[0] for line in block.split("\n") if line.strip()] for block in blocks)
    return (one for one in words if one)


INPUTS: Final[dict[str, Reader]] = {
    "conllu": lambda _, data: sentences_of(data, DATA),
    "horizontal": lambda _, data: _of_words(_horizontal(data)),
    "vertical": lambda _, data: _of_words(_vertical(data)),
    "generic_tokenizer": _of_text,
}


# --- output -------------------------------------------------------------------------------------------------


def _line(sentence: Sentence) -> str:
    return " ".join(word.form.replace(" ", "\u00a0") for word in sentence.words) + "\n"


def _column(sentence: Sentence) -> str:
    return "".join(f"{word.form}\n" for word in sentence.words) + "\n"


OUTPUTS: Final[dict[str, Callable[[Sentence], str]]] = {
    "conllu": str,
    "horizontal": _line,
    "vertical": _column,
}


def _chosen(parameter: str, among: dict[str, Any], name: str) -> Any:
    """What is called so, where options may follow the name."""
    found = among.get(re.split("[=;]", name)[0])
    if found is None:
        raise InputError(f"there is no {parameter} {name!r:.40} here: choose one of {', '.join(among)}")
    return found
