"""Door for clients of UDPipe: the routes /process and /models of its REST service, and its tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import accumulate, chain, count, pairwise
from typing import Final, NamedTuple

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.text_sources import segmenter_of, sentence_of_lines, surface
from treewhile.incremental.texts.scripts import check_script
from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.text_words import TextSentence
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError
from treewhile.server.doors.desk.parsing import parsed, portions, sentences_of
from treewhile.server.doors.desk.requests import Request, Work, json_answer, parameters
from treewhile.server.doors.desk.service import Route, Service
from treewhile.server.work.served_models import ModelFacts

TAGGED, PARSED = ("lemma", "upos", "xpos", "feats"), ("head", "deprel", "deps")
DATA: Final = "the data"
TOKENIZER_OPTIONS: Final = ("normalized_spaces", "presegmented", "ranges")
NEW_DOCUMENT, NEW_PARAGRAPH = "# newdoc", "# newpar"
ESCAPES: Final = str.maketrans({" ": r"\s", "\t": r"\t", "\n": r"\n", "\r": r"\r", "|": r"\p", "\\": r"\\"})
LINE_ENDS: Final = re.compile(r"[^\n]*\n*")


def process(request: Request, service: Service) -> Work:
    """Answer with the processed data: words by `tokenizer`, tags by `tagger`, trees by `parser`."""
    given = parameters(request)
    if "data" not in given:
        raise InputError("there is no parameter data: send the text or the sentences as this one")
    _refuse_unknown(given)
    name = service.models.chosen(given.get("model"))
    model, write = service.models.load(name), OUTPUTS[_named(given.get("output"))]
    kept = [*(() if "tagger" in given else TAGGED), *(() if "parser" in given else PARSED)]
    pieces: list[str] = []
    for some in portions(_read(model, given)):
        pieces += map(write, parsed(model, some, kept) if len(kept) < len(TAGGED + PARSED) else some)
        yield
    head = (
        f"# generator = treewhile {version('treewhile')}\n# udpipe_model = {name}\n"
        if write is str and pieces
        else ""
    )
    return json_answer({"model": name, "acknowledgements": [], "result": head + "".join(pieces)})


def models(_: Request, service: Service) -> Work:
    """Answer with the models and their abilities."""
    yield from ()
    told = {name: _abilities(service.models.facts(name)) for name in service.models.names}
    return json_answer({"models": told, "default_model": service.models.default})


ROUTES = (
    Route(("GET", "POST"), re.compile("/process"), process),
    Route(("GET", "POST"), re.compile("/models"), models),
)


def _abilities(facts: ModelFacts) -> list[str]:
    tokenizer = ["tokenizer"] if "tokenizer" in facts.abilities else []
    return [*tokenizer, "tagger", "parser"]


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
        check_script(data, model.inventory.scripts)
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


# --- tokenizer ---------------------------------------------------------------------------------------------


class Gaps(NamedTuple):
    """Sentence with the white space before and behind it, up to its neighbours or the ends of the text."""

    sentence: TextSentence
    before: str
    behind: str
    is_first: bool
    is_last: bool

    @property
    def begins_paragraph(self) -> bool:
        return self.is_first or self.before.count("\n") > 1


def sentences_as_written(
    segmenter: Segmenter, text: str, options: Collection[str], name: str
) -> Iterator[Sentence]:
    """Yield the sentences of a text; `name` is the name of the text in errors.

    normalized_spaces  white space is recorded as `SpaceAfter=No` only
    presegmented       each line is a sentence
    ranges             the range of each token in the text is recorded, as `TokenRange=0:5`
    """
    is_cut = "presegmented" in options
    found = _sentences_of_lines(segmenter, text) if is_cut else segmenter.segment_stream([text])
    for number, gaps in enumerate(_with_gaps(found, text), 1):
        comments = [NEW_DOCUMENT] * gaps.is_first + [NEW_PARAGRAPH] * gaps.begins_paragraph
        comments += [f"# sent_id = {number}", f"# text = {surface(gaps.sentence)}"]
        rows = gaps.sentence.rows(_miscs(gaps, text, options))
        yield sentence_of_lines([*comments, *rows], name)


def _sentences_of_lines(segmenter: Segmenter, text: str) -> Iterator[TextSentence]:
    """Yield the words of each line, at their positions in the text."""
    lines = text.split("\n")
    starts = accumulate((len(line) + 1 for line in lines), initial=0)
    for start, line in zip(starts, lines, strict=False):
        found = segmenter.segment(line)
        if found:
            words = tuple(word.moved(start) for sentence in found for word in sentence.words)
            yield TextSentence(words, space_after=True, is_closed=True)


def _with_gaps(sentences: Iterable[TextSentence], text: str) -> Iterator[Gaps]:
    end = 0
    for sentence, following in pairwise(chain(sentences, [None])):
        assert sentence
        begin = following.start if following else len(text)
        yield Gaps(sentence, text[end : sentence.start], text[sentence.end : begin], not end, not following)
        end = sentence.end


def _miscs(gaps: Gaps, text: str, options: Collection[str]) -> Iterator[str]:
    """Yield the MISC column of each token."""
    tokens = [token for _, token, _ in gaps.sentence.tokens()]
    first, last = _own_spaces(gaps, "presegmented" in options)
    inner = [text[one.end : next_one.start] for one, next_one in pairwise(tokens)]
    spaces_before = chain([first], [""] * len(inner))
    for token, before, after in zip(tokens, spaces_before, [*inner, last], strict=True):
        raw = text[token.start : token.end]
        within = "" if raw == token.surface else raw
        spaces = {
            "SpacesBefore": before,
            "SpacesAfter": "" if after == " " else after,
            "SpacesInToken": within,
        }
        if "normalized_spaces" in options:
            spaces = {}
        told = [f"{name}={white.translate(ESCAPES)}" for name, white in spaces.items() if white]
        told += ["SpaceAfter=No"] * (not after)
        told += [f"TokenRange={token.start}:{token.end}"] * ("ranges" in options)
        yield "|".join(told) or "_"


def _own_spaces(gaps: Gaps, is_cut: bool) -> tuple[str, str]:
    """Return the white space before the first token and behind the last one, as recorded with them.

    White space belongs to the token before it, except at the beginning of the text or of a line that is a
    sentence.
    """
    before, behind = gaps.before, gaps.behind
    if not gaps.is_first:
        before = before[len(_up_to_line(before)) :] if is_cut else ""
    if is_cut and not gaps.is_last:
        behind = _up_to_line(behind)
    return before, behind


def _up_to_line(gap: str) -> str:
    found = LINE_ENDS.match(gap)
    return found[0] if found else ""
