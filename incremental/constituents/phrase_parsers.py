"""Constituency parsers by the names or files of their models, of either kind."""

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
    """Interface of a constituency parser."""

    def parse_all(self, sentences: Sequence[GivenSentence]) -> list[Phrase]: ...


def load_phrase_parser(
    name_or_path: str,
    constraints: tuple[str, ...] | None = None,
    complain: Callable[[str], None] = lambda text: None,
) -> PhraseParser:
    """Return the parser of a model, with cells closed by constraints from `chart_constraints`.

    By default, constraints are the model's own; `complain` is called for sentences without a parse.
    """
    if is_grammar_model(name_or_path):
        return GrammarPhrases(read_grammar_model(name_or_path), constraints, complain)
    return NetworkPhrases(load_model(name_or_path), constraints or ())
