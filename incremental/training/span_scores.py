"""Agreement of the constituents of a model with trees, in whole sentences and in prefixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from treewhile.incremental.constituents.bracket_scores import BracketScore, TreebankScore
from treewhile.incremental.parsers.parsing import Model, snapshot_of
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE
from treewhile.incremental.training.span_examples import BracketedSentence
from treewhile.oracles.constituents.phrase_trees import Constituent, Phrase, phrase_of

EVERY: Final = 5  # step between the prefixes tried: those of 1, 6, 11, ... words


def agreement(model: Model, trees: Sequence[Phrase]) -> dict[str, float]:
    """Return shares in percent: brackets as EVALB counts them, exact trees, and brackets in prefixes."""
    whole, parts = TreebankScore(), {"closed": BracketScore(), "open": BracketScore()}
    for tree in trees:
        sentence = BracketedSentence.of(tree)
        found = model.parse(sentence.words).constituents
        whole.add(tree, phrase_of(found, tree.leaves, tree.label))
        for name, score in _in_prefixes(model, sentence):
            parts[name] += score
    named = {"": whole.brackets, **{f"{name} in prefixes, ": score for name, score in parts.items()}}
    shares = {f"{start}{name}": share for start, one in named.items() for name, share in one.shares().items()}
    return {name: round(100 * share, 2) for name, share in {**shares, "exact": whole.exact_share}.items()}


def _in_prefixes(model: Model, sentence: BracketedSentence) -> Iterator[tuple[str, BracketScore]]:
    whole = snapshot_of(model, sentence.words)
    lengths = range(1, len(sentence.words) + 1, EVERY)
    asked = [(whole.part(t, True)._replace(with_constituents=True), NO_PREFERENCE) for t in lengths]
    for t, rescored in zip(lengths, model.rescore_all(asked), strict=True):
        found, right = rescored.constituents or (), sentence.seen(t, True)
        yield "closed", _compared(right, found, False)
        yield "open", _compared(right, found, True)


def _compared(right: Iterable[Constituent], found: Iterable[Constituent], are_open: bool) -> BracketScore:
    """Return the agreement of the open constituents, or of the closed ones."""
    gold, system = (Counter(one for one in some if one.is_open == are_open) for some in (right, found))
    return BracketScore((gold & system).total(), gold.total(), system.total())
