"""Door to spaCy: a pipeline component that writes analyses into spaCy's tokens."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.analyses import NO_WORDS
from treewhile.incremental.parsers.shipped_models import load_model, model_path
from treewhile.incremental.parsers.words import LONGEST_WORD
from treewhile.oracles.errors import InputError
from treewhile.server.errors import needs

with needs("spacy"):
    from spacy.language import Language
    from spacy.parts_of_speech import IDS as PARTS_OF_SPEECH
    from spacy.scorer import Scorer
    from spacy.tokens import Doc, Span, Token
    from spacy.training import Example
    from spacy.util import minibatch

if TYPE_CHECKING:  # spaCy imports this module for every pipeline, even without this component
    from treewhile.incremental import Model
    from treewhile.incremental.parsers.rescoring import Rescored
    from treewhile.incremental.texts.segmenter import Segmenter

NAME: Final = "treewhile"  # of the component, and of its keys in `Doc.spans` and `Doc.user_data`
COLUMNS: Final = ["HEAD", "DEP", "POS", "MORPH"]
ROOT: Final = "ROOT"  # label of roots in spaCy
BLANK: Final = "dep", "SPACE", "_"  # label, tag and features of white space, as in spaCy's own parsers
SENTENCES_AT_ONCE: Final = 16  # more are no faster per sentence
DOCS_AT_ONCE: Final = 100

Row = tuple[int, str, str, str]  # token: its head, which is itself for a root; label, tag, features


class TokenSentence(NamedTuple):
    """Tokens of a sentence by their numbers in the document, and those that are not white space."""

    tokens: range
    words: list[int]


@Language.factory(
    NAME,
    assigns=[f"token.{name}" for name in ("head", "dep", "pos", "morph", "lemma", "tag", "is_sent_start")]
    + ["doc.sents"],
    default_config={"model": None, "trees": None},
)
def treewhile(nlp: Any, name: str, model: str | None, trees: str | None) -> TreeComponent:
    """Return the component; without a model, that of the pipeline's language is used."""
    return TreeComponent(model or nlp.lang, trees)


class TreeComponent:
    """Pipeline component that sets heads, labels, tags, features and sentence starts; known starts are kept.

    Lemmas and `token.tag_` are set if the model has learnt lemmas and XPOS.

    Constituents, if the model has them, become `doc.spans["treewhile"]`, and
    `doc.user_data["treewhile"]["confidences"]` has the probability of each token's head and label.

    model  name of an installed model, or a model file, which is read with the first text
    trees  another class of trees than the model's own, as for `load_model`
    """

    def __init__(self, model: str, trees: str | None = None) -> None:
        self._name, self._trees = model, trees
        model_path(model)  # raises an error if the file is missing

    def __reduce__(self) -> tuple[Any, ...]:
        return TreeComponent, (self._name, self._trees)

    def __call__(self, doc: Doc) -> Doc:
        return next(self.pipe([doc]))

    def pipe(self, docs: Iterable[Doc], batch_size: int = DOCS_AT_ONCE) -> Iterator[Doc]:
        """Yield the annotated documents, processed in batches."""
        for batch in minibatch(docs, batch_size):
            cut = [(doc, [*_sentences(doc, self._model.segmenter)]) for doc in batch]
            judged = self._judged([_forms(doc, one) for doc, several in cut for one in several if one.words])
            for doc, several in cut:
                _fill(doc, [(one, next(judged) if one.words else None) for one in several])
                yield doc

    def score(self, examples: Iterable[Example], **_: object) -> dict[str, Any]:
        """Return scores for `nlp.evaluate`: of tags, features, lemmas, trees and sentences."""
        known = [*examples]
        return {
            **Scorer.score_token_attr(known, "pos"),
            **Scorer.score_token_attr(known, "morph"),
            **Scorer.score_token_attr(known, "lemma"),
            **Scorer.score_deps(known, "dep", getter=_label_of),
            **Scorer.score_spans(known, "sents", has_annotation=lambda doc: doc.has_annotation("SENT_START")),
        }

    @cached_property
    def _model(self) -> Model:
        model = load_model(self._name, self._trees)
        if model.tags != "predicted":
            what = f"the model {self._name} was trained on gold tags, which the texts of a pipeline have not"
            raise InputError(f"{what}: name one that finds tags itself")
        return model

    def _judged(self, sentences: Sequence[Sequence[str]]) -> Iterator[Rescored]:
        """Yield the analysis of each sentence."""
        for first in range(0, len(sentences), SENTENCES_AT_ONCE):
            yield from self._model.judge_all(sentences[first : first + SENTENCES_AT_ONCE])


def _label_of(token: Token, _: str) -> str:
    """Return the label of a token in lower case, since treebanks write root where spaCy has ROOT."""
    return str(token.dep_).lower()


# --- sentences --------------------------------------------------------------------------------------------


def _sentences(doc: Doc, segmenter: Segmenter | None) -> Iterator[TokenSentence]:
    """Yield the sentences of a document; one that is too long is cut, as in raw text."""
    from treewhile.incremental.texts.segmenter import LONGEST_SENTENCE  # imported here, since it brings numba

    for first, end in pairwise([*_starts(doc, segmenter), len(doc)]):
        for start in range(first, end, LONGEST_SENTENCE):
            tokens = range(start, min(end, start + LONGEST_SENTENCE))
            yield TokenSentence(tokens, [token for token in tokens if not doc[token].is_space])


def _starts(doc: Doc, segmenter: Segmenter | None) -> list[int]:
    """Return the first tokens of sentences: those marked as starts, and the model's where no mark is set."""
    said = [token.is_sent_start for token in doc]
    found = _found_starts(doc, segmenter) if segmenter and None in said[1:] else set[int]()
    return [
        number
        for number, is_start in enumerate(said)
        if number == 0 or is_start or (is_start is None and number in found)
    ]


def _found_starts(doc: Doc, segmenter: Segmenter) -> set[int]:
    """Return the first tokens of the sentences that a segmenter finds in the text, except the first one."""
    places = [token.idx for token in doc]
    sentences = segmenter.segment_stream([doc.text])
    return {bisect_left(places, sentence.start) for sentence in islice(sentences, 1, None)}


def _forms(doc: Doc, sentence: TokenSentence) -> list[str]:
    return [doc[token].text[:LONGEST_WORD] for token in sentence.words]


# --- output -------------------------------------------------------------------------------------------------


def _fill(doc: Doc, judged: Sequence[tuple[TokenSentence, Rescored | None]]) -> None:
    """Write the analyses into a document."""
    if not judged:
        return
    rows = [row for sentence, found in judged for row in _rows(sentence, found)]
    doc.from_array(COLUMNS, _as_array(doc, rows))
    starts = np.full(len(doc), -1)
    starts[[sentence.tokens.start for sentence, _ in judged]] = 1
    doc.from_array(["SENT_START"], starts.astype(np.uint64))  # spaCy only guesses starts if arcs cross
    _fill_rest(doc, [(sentence.words, found) for sentence, found in judged if found])


def _rows(sentence: TokenSentence, found: Rescored | None) -> Iterator[Row]:
    """Yield the row of each token; the head of white space is the token before it, or the first word."""
    tokens, words = sentence
    analysis = found.analysis if found else NO_WORDS
    said = zip(analysis.heads, analysis.labels, analysis.tags, analysis.features, strict=True)
    rows = dict(zip(words, said, strict=True))
    for token in tokens:
        if token in rows:
            head, label, tag, features = rows[token]
            yield words[head - 1] if isinstance(head, int) and head else token, label, tag, features
        else:
            yield token - 1 if token > tokens.start else [*words, token][0], *BLANK


def _as_array(doc: Doc, rows: Sequence[Row]) -> npt.NDArray[np.uint64]:
    """Return the rows as numbers, in the form that `Doc.from_array` takes for COLUMNS."""
    strings, morphology = doc.vocab.strings, doc.vocab.morphology
    numbers = [
        (
            strings.add(ROOT if head == token else label),
            PARTS_OF_SPEECH.get(tag, 0),
            morphology.add(features),
        )
        for token, (head, label, tag, features) in enumerate(rows)
    ]
    heads = np.array([head - token for token, (head, *_) in enumerate(rows)]).astype(np.uint64)
    return np.column_stack([heads, np.array(numbers, np.uint64)])


def _fill_rest(doc: Doc, judged: Sequence[tuple[list[int], Rescored]]) -> None:
    """Write lemmas, XPOS, confidences and constituents."""
    confidences: list[float | None] = [None] * len(doc)
    spans = []
    for words, found in judged:
        for token, confidence in zip(words, found.confidences, strict=True):
            confidences[token] = confidence
        for name, column in (("lemma_", found.analysis.lemmas), ("tag_", found.analysis.xpos)):
            for token, value in zip(words, column, strict=False):
                setattr(doc[token], name, value)
        for label, first, last in found.constituents or ():
            spans.append(Span(doc, words[first - 1], words[(last or 0) - 1] + 1, label=label))
    doc.user_data[NAME] = {"confidences": confidences}
    doc.spans[NAME] = spans
