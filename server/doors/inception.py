"""Door to INCEpTION: HTTP routes of an external recommender for tags, features and relations of tokens.

Types and documents are untrusted XML. XML that declares entities is refused before parsing, and names of
types and features have to be plain, since cassis generates code of classes from them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

import msgspec

from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.words import is_word
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError
from treewhile.server.doors.desk.parsing import parsed, portions
from treewhile.server.doors.desk.requests import Answer, Request, RequestError, Work, json_answer, json_of
from treewhile.server.doors.desk.service import Route, Service
from treewhile.server.errors import needs

SEGMENTATION: Final = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type"
LEXICAL: Final = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type"
HEAD, CHILD, PREDICTED = "Governor", "Dependent", "inception_internal_predicted"
# Columns of CoNLL-U for layers of single tokens.
COLUMNS: Final = {
    f"{LEXICAL}.pos.POS": "upos",
    f"{LEXICAL}.morph.MorphologicalFeatures": "feats",
    f"{SEGMENTATION}.Lemma": "lemma",
}

DECLARATION: Final = re.compile(r"\s*<\?xml[^>]*\?>")  # its encoding is no longer that of the text
PLAIN_NAME: Final = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*(\[\])?")


class Metadata(msgspec.Struct):
    """Layer and feature for which suggestions are requested."""

    layer: str
    feature: str


class Document(msgspec.Struct):
    xmi: str


class ToPredict(msgspec.Struct, rename={"type_system": "typeSystem"}):
    metadata: Metadata
    document: Document
    type_system: str


class Suggested(NamedTuple):
    """Target of suggestions."""

    cas: Any
    layer: Any  # callable that creates an annotation
    feature: str

    def add(self, label: str, **places: Any) -> None:
        """Add a suggestion, unless the label is empty."""
        if label != "_":
            self.cas.add(self.layer(**places, **{self.feature: label, PREDICTED: True}))


def predict(request: Request, service: Service) -> Work:
    """Answer with the document and suggestions for one feature of one layer."""
    model = service.models.load(_model_of(request, service))
    asked = json_of(request, ToPredict)
    cas = _document(asked)
    yield
    layer = _layer(cas, asked.metadata)
    suggested = Suggested(cas, layer, asked.metadata.feature)
    suggest = _relations if _has(layer, HEAD) else _column(asked.metadata.layer)
    for tokens, sentence in _parsed(model, cas):
        suggest(suggested, tokens, sentence)
        yield
    return json_answer({"document": cas.to_xmi()})


def train(request: Request, service: Service) -> Work:
    """Accept the request without learning from the documents."""
    yield from ()
    _model_of(request, service)
    return Answer(status=HTTPStatus.NO_CONTENT)


ROUTES = (
    Route(("POST",), re.compile("/inception/[^/]+/predict"), predict),
    Route(("POST",), re.compile("/inception/[^/]+/train"), train),
)


def _model_of(request: Request, service: Service) -> str:
    return service.models.chosen(unquote(request.path.split("/")[2]))


# --- reading ------------------------------------------------------------------------------------------------


def _document(asked: ToPredict) -> Any:
    """Return the document of a request; raise InputError for any fault in its XML."""
    try:
        with needs("inception"):
            import cassis
    except ModuleNotFoundError as missing:
        raise RequestError(HTTPStatus.NOT_IMPLEMENTED, str(missing)) from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        types = _read(cassis.load_typesystem, asked.type_system, "the type system")
        _check_names(types)
        return _read(
            lambda xml: cassis.load_cas_from_xmi(xml, types, lenient=True), asked.document.xmi, "the XMI"
        )


def _read(load: Callable[[str], Any], xml: str, what: str) -> Any:
    plain = DECLARATION.sub("", xml, count=1)
    if "<!DOCTYPE" in plain:
        raise InputError(f"{what} declares entities or a type of document: leave <!DOCTYPE ...> out")
    try:
        return load(plain)
    except Exception as error:  # of any class, raised somewhere inside cassis
        raise InputError(
            f"{what} cannot be read ({type(error).__name__}: {error!s:.120}): send whole XML"
        ) from None


def _check_names(types: Any) -> None:
    names = (name for one in types.get_types() for name in (one.name, *(each.name for each in one.features)))
    for name in names:
        if not PLAIN_NAME.fullmatch(name or ""):
            what = f"the type system has a type or a feature called {name!r:.40}"
            raise InputError(f"{what}: use letters, digits and _ in names")


def _layer(cas: Any, metadata: Metadata) -> Any:
    """Return the type of the layer; raise InputError if it lacks the feature."""
    name, feature = metadata.layer, metadata.feature
    if not cas.typesystem.contains_type(name):
        raise InputError(f"the type system has no layer {name!r:.80}: send it with the document")
    layer = cas.typesystem.get_type(name)
    for needed in (feature, PREDICTED):
        if not _has(layer, needed):
            raise InputError(
                f"the layer {name!r:.80} has no feature {needed!r:.40}: send it with the type system"
            )
    return layer


def _has(layer: Any, feature: str) -> bool:
    return layer.get_feature(feature) is not None


def _parsed(model: Model, cas: Any) -> Iterator[tuple[Sequence[Any], Sentence]]:
    """Return the tokens of each sentence with the parsed sentence."""
    tokens_of = (
        [*cas.select_covered(f"{SEGMENTATION}.Token", one)] for one in cas.select(f"{SEGMENTATION}.Sentence")
    )
    kept = [(tokens, Sentence.of_words(forms)) for tokens in tokens_of if (forms := _forms(tokens))]
    found = (
        sentence for some in portions(sentence for _, sentence in kept) for sentence in parsed(model, some)
    )
    return zip((tokens for tokens, _ in kept), found, strict=True)


def _forms(tokens: Sequence[Any]) -> list[str]:
    """Return the words of a sentence; empty if a token is no word."""
    forms = [" ".join(token.get_covered_text().split()) for token in tokens]
    return forms if all(map(is_word, forms)) else []


# --- suggesting ---------------------------------------------------------------------------------------------


def _column(layer: str) -> Callable[[Suggested, Sequence[Any], Sentence], None]:
    """Return the function that suggests a column of CoNLL-U for tokens."""
    if layer not in COLUMNS:
        there_are = ", ".join([*COLUMNS, f"layers of relations, which have {HEAD} and {CHILD}"])
        raise InputError(
            f"there is nothing to suggest for the layer {layer!r:.80}: choose one of {there_are}"
        )
    column = COLUMNS[layer]

    def suggest(suggested: Suggested, tokens: Sequence[Any], sentence: Sentence) -> None:
        for token, word in zip(tokens, sentence.words, strict=True):
            suggested.add(getattr(word, column), begin=token.begin, end=token.end)

    return suggest


def _relations(suggested: Suggested, tokens: Sequence[Any], sentence: Sentence) -> None:
    """Suggest the arcs of a tree; the head of a root is the root itself, as INCEpTION expects."""
    ends = _ends(suggested, tokens)
    for number, word in enumerate(sentence.words):
        child, head = ends[number], ends[int(word.head) - 1 if word.head != "0" else number]
        if child is not None and head is not None:
            suggested.add(word.deprel, begin=child.begin, end=child.end, **{HEAD: head, CHILD: child})


def _ends(suggested: Suggested, tokens: Sequence[Any]) -> list[Any | None]:
    """Return the ends of relations, by token: the token, or the annotation that the layer refers to."""
    kind = suggested.layer.get_feature(HEAD).rangeType
    if kind.name in (f"{SEGMENTATION}.Token", "uima.tcas.Annotation"):
        return [*tokens]
    return [next(iter(suggested.cas.select_covered(kind.name, token)), None) for token in tokens]
