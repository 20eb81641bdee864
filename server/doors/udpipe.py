"""Door for clients of UDPipe: the routes /process and /models of its REST service."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Final

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.text_sources import segmenter_of, sentence_of_lines
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError
from treewhile.server.connections.host import VERSION
from treewhile.server.doors.desk.parsing import parsed, portions, sentences_of
from treewhile.server.doors.desk.requests import Request, Work, json_answer, parameters
from treewhile.server.doors.desk.service import Route, Service
from treewhile.server.doors.raw_texts import NEW_DOCUMENT, NEW_PARAGRAPH, sentences_as_written
from treewhile.server.doors.raw_texts import OPTIONS as TOKENIZER_OPTIONS

TAGGED, PARSED = ("upos", "feats"), ("head", "deprel", "deps")
DATA: Final = "the data"


def process(request: Request, service: Service) -> Work:
    """Answer with the processed data: words by `tokenizer`, tags by `tagger`, trees by `parser`."""
    given = parameters(request)
    if "data" not in given:
        raise InputError("there is no parameter data: send the text or the sentences as this one")
    _refuse_unknown(given)
    name = service.models.chosen(given.get("model"))
    model, write = service.models[name], OUTPUTS[_named(given.get("output"))]
    kept = [*(() if "tagger" in given else TAGGED), *(() if "parser" in given else PARSED)]
    pieces: list[str] = []
    for some in portions(_read(model, given)):
        pieces += map(write, parsed(model, some, kept) if len(kept) < len(TAGGED + PARSED) else some)
        yield
    head = f"# generator = treewhile {VERSION}\n# udpipe_model = {name}\n" if write is str and pieces else ""
    return json_answer({"model": name, "acknowledgements": [], "result": head + "".join(pieces)})


def models(_: Request, service: Service) -> Work:
    """Answer with the models and their abilities."""
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


# --- parameters ---------------------------------------------------------------------------------------------

OF_CONLLU: Final = {"conllu": ("v2",)}
WITHOUT_OPTIONS: Final = {"horizontal": (), "vertical": ()}
# Options of formats and steps that are accepted; a beam search changes nothing.
FORMATS: Final[dict[str, dict[str, Sequence[str]]]] = {
    "input": {**OF_CONLLU, **WITHOUT_OPTIONS, "generic_tokenizer": TOKENIZER_OPTIONS},
    "output": {**OF_CONLLU, **WITHOUT_OPTIONS},
}
STEPS: Final[dict[str, Sequence[str]]] = {
    "tokenizer": TOKENIZER_OPTIONS,
    "tagger": (),
    "parser": ("beam_search",),
}
PARAMETERS: Final = ("data", "model", *STEPS, *FORMATS)


def _refuse_unknown(given: Mapping[str, str]) -> None:
    """Raise InputError for parameters, formats and options that would be ignored."""
    for parameter, value in given.items():
        if parameter not in PARAMETERS:
            raise InputError(f"there is no parameter {parameter!r:.40} here: send {', '.join(PARAMETERS)}")
        if parameter in STEPS:
            _refuse_unknown_options(parameter, value, STEPS[parameter])
        elif parameter in FORMATS and value:
            (name, options), known = _format(value), FORMATS[parameter]
            if name not in known:
                what = f"there is no {parameter} {name!r:.40} here"
                raise InputError(f"{what}: choose one of {', '.join(known)}")
            _refuse_unknown_options(f"{parameter} {name}", options, known[name])


def _refuse_unknown_options(of: str, options: str, known: Sequence[str]) -> None:
    for option in _options(options):
        if option not in known:
            instead = f"use {', '.join(known)}" if known else "leave it out"
            raise InputError(f"{of} has no option {option!r:.40} here: {instead}")


def _format(value: str | None) -> tuple[str, str]:
    """Return the name of a format, by default CoNLL-U, and its options."""
    name, _, options = (value or "conllu").partition("=")
    return name, options


def _named(value: str | None) -> str:
    return _format(value)[0]


def _options(options: str) -> list[str]:
    """Return the names of options, which may have values."""
    return [name for option in options.split(";") if (name := option.partition("=")[0].strip())]


# --- input --------------------------------------------------------------------------------------------------


def _read(model: Model, given: dict[str, str]) -> Iterator[Sentence]:
    """Return the sentences of the data, read in its format or found by the tokenizer."""
    data = given["data"]
    name, options = _format(given.get("input"))
    if "tokenizer" in given or name == "generic_tokenizer":
        chosen = _options(given.get("tokenizer", options))
        return sentences_as_written(segmenter_of(model, DATA), data, chosen, DATA)
    return sentences_of(data, DATA) if name == "conllu" else _of_words(WORDS[name](data))


def _of_words(sentences: Iterable[list[str]]) -> Iterator[Sentence]:
    """Yield numbered sentences of given words; an empty one ends a paragraph."""
    marks = [NEW_DOCUMENT, NEW_PARAGRAPH]
    numbers = count(1)
    for words in sentences:
        if words:
            *rows, _, _ = str(Sentence.of_words(words)).split("\n")
            yield sentence_of_lines([*marks, f"# sent_id = {next(numbers)}", *rows], DATA)
        marks = [] if words else marks or [NEW_PARAGRAPH]


def _horizontal(data: str) -> list[list[str]]:
    return [line.split() for line in data.splitlines()]


def _vertical(data: str) -> Iterator[list[str]]:
    blocks = re.split(r"\n\s*\n", data.replace("\r\n", "\n"))
    words = ([line.split("\t")[0] for line in block.split("\n") if line.strip()] for block in blocks)
    return (one for one in words if one)


WORDS: Final[dict[str, Callable[[str], Iterable[list[str]]]]] = {
    "horizontal": _horizontal,
    "vertical": _vertical,
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
