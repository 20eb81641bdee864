"""Parsers of phrases by the names or the files of their models, whatever kind of model it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from treewhile.incremental.constituents.given_sentences import GivenSentence
from treewhile.incremental.constituents.grammar_models import is_grammar_model, read_grammar_model
from treewhile.incremental.constituents.grammar_phrases import GrammarPhrases
from treewhile.incremental.constituents.network_phrases import NetworkPhrases
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.oracles.constituents.phrase_trees import Phrase


class PhraseParser(Protocol):
    """What finds the phrases of sentences."""

    def parse_all(self, sentences: Sequence[GivenSentence]) -> list[Phrase]: ...


def load_phrase_parser(
    name_or_path: str,
    constraints: tuple[str, ...] | None = None,
    complain: Callable[[str], None] = lambda text: None,
) -> PhraseParser:
    """The parser of a model, with cells closed by constraints, which are names of `chart_constraints`.

    Without constraints they are those that the model was made for; `complain` is told what has no parse.
    """
    if is_grammar_model(name_or_path):
        return GrammarPhrases(read_grammar_model(name_or_path), constraints, complain)
    return NetworkPhrases(load_model(name_or_path), constraints or ())
