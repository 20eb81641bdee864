"""Trees of treebanks under a grammar: their words as situations, and themselves as arrays.

Tags and features are those of the treebank. Nothing else is known of the sentences: constraints that ask
predictors or the arc scorer are not judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from treewhile.incremental.constraints.language.adaptations import with_root_labels
from treewhile.incremental.constraints.language.grammars import Grammar
from treewhile.incremental.constraints.machine.attributes import Learnt
from treewhile.incremental.constraints.machine.kernels.records import TreeArrays
from treewhile.incremental.constraints.machine.programs import Program, compile_grammars
from treewhile.incremental.constraints.machine.situations import Situation
from treewhile.incremental.treebanks.treebank import Sentence

ROOT: Final = "root"


def labels_of(sentences: Iterable[Sentence], known: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the known labels, and all others in a treebank, the most frequent first."""
    counts = Counter(word.deprel for sentence in sentences for word in sentence.words)
    return tuple(dict.fromkeys([*known, *(label for label, _ in counts.most_common())]))


def root_labels_of(sentences: Iterable[Sentence]) -> tuple[str, ...]:
    """Return the labels that only children of the root have, or just `root` if there is such a label."""
    of_roots, others = set[str](), set[str]()
    for sentence in sentences:
        for word in sentence.words:
            (of_roots if word.head == "0" else others).add(word.deprel)
    return (ROOT,) if ROOT in of_roots else tuple(sorted(of_roots - others))


def programs_of(grammars: Iterable[Grammar], sentences: Sequence[Sentence]) -> list[Program]:
    """Return the programs of grammars for the labels of a treebank, in which edges must not cross."""
    roots = root_labels_of(sentences)
    fitting = [with_root_labels(grammar, roots) for grammar in grammars]
    return compile_grammars(fitting, labels_of(sentences))


def situation_of(program: Program, sentence: Sentence) -> Situation:
    """Return the words of a sentence with their tags and features as data for constraints."""
    words = sentence.words
    return Situation(
        program,
        tuple([word.form for word in words]),
        tuple([word.upos for word in words]),
        tuple([word.feats for word in words]),
        learnt=learnt_of(sentence) if program.asked.asks_learnt else (),
    )


def learnt_of(sentence: Sentence) -> tuple[Learnt, ...]:
    """Return lemmas and XPOS of the words, where they are given."""
    given = (
        [None if value == "_" else value for value in (word.lemma, word.xpos)] for word in sentence.words
    )
    return tuple(Learnt(*pair) for pair in given)


def arrays_of(program: Program, sentence: Sentence) -> TreeArrays:
    """Return the tree of a sentence, whose heads must all be known, as arrays."""
    numbers = program.label_numbers
    heads = [0, *(int(word.head) for word in sentence.words)]
    labels = [0, *(numbers[word.deprel] for word in sentence.words)]
    return TreeArrays(np.array(heads, np.int64), np.array(labels, np.int64))
