"""Parser in a model file: analyses of whole sentences and of prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from functools import cached_property, partial
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.alternatives import Alternative, alternatives_to
from treewhile.incremental.parsers.analyses import NO_WORDS, Analysis, Decision, expected_words
from treewhile.incremental.parsers.arc_decoding import Weights, prefix_weights, sentence_weights
from treewhile.incremental.parsers.arc_layers import LabelParts
from treewhile.incremental.parsers.arc_margins import ArcMargin, Lead, leads_by_decoding, leads_in_chart
from treewhile.incremental.parsers.causal_layers import CausalStates
from treewhile.incremental.parsers.corrections import NO_CORRECTIONS, Corrections, check_corrections
from treewhile.incremental.parsers.inventories import FirstLetters, Inventory
from treewhile.incremental.parsers.kernels.marks import attach_marks
from treewhile.incremental.parsers.label_decoding import Tags
from treewhile.incremental.parsers.label_rules import MARK, are_universal
from treewhile.incremental.parsers.layers import Array, Rows
from treewhile.incremental.parsers.lemma_layers import NO_LEMMAS, LabelledHeads, Lemmas
from treewhile.incremental.parsers.model_contents import (
    array_shapes,
    check_arrays,
    check_system,
    check_triples,
    completeness_of,
    language_of,
    lemmas_of,
    part_of,
    segmenter_of,
    shape_of,
    spans_of,
    tags_of,
    temperature_of,
    trees_of,
)
from treewhile.incremental.parsers.model_files import ModelFile, read_model
from treewhile.incremental.parsers.network import Judged, network_of
from treewhile.incremental.parsers.nodes import Nodes, Numbers
from treewhile.incremental.parsers.rescoring import NO_PREFERENCE, Preference, Rescored, Snapshot
from treewhile.incremental.parsers.seen_features import SeenFeatures
from treewhile.incremental.parsers.shift_reduce import barred_classes
from treewhile.incremental.parsers.surroundings import Around
from treewhile.incremental.parsers.tag_choices import FindTagChoices, TagChoice, TagChoices, likely_tags
from treewhile.incremental.parsers.told_values import ToldValues, told_of_all
from treewhile.incremental.parsers.tree_decoding import (
    PROJECTIVE,
    check_class,
    class_for,
    decode_any,
    decode_in,
    decode_until,
)
from treewhile.incremental.parsers.word_gates import FROM_LEFT, FROM_RIGHT
from treewhile.incremental.parsers.words import WORD, check_sentences, is_word
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.oracles.errors import InputError
from treewhile.oracles.interrupts import Interrupt

Kind = TypeVar("Kind", bound=np.generic)

Asked: TypeAlias = tuple[Snapshot, Preference, Interrupt]  # request for a best tree, until interrupted


class Labelled(NamedTuple):
    """Tree of a sequence with labels and tags, all as numbers."""

    tree: Numbers
    labels: Rows
    tags: Tags  # and features, of words
    logs: Array  # [head, child]: log probabilities
    chances: Array  # [node - 1]: logarithms of the probabilities of its head with its label
    parts: LabelParts
    choices: FindTagChoices


class Model:
    """Parser of one language; `segmenter` is None if it was trained without raw text.

    The best parses are trees of the class `trees`: "projective", or "mh4", in which arcs may cross. `spans`
    are the layers that score constituents, or None; `completeness` are those that predict the ends of
    sentences, `lemmas` those that predict lemmas and XPOS. The `language` is a code, as of `lang` in HTML,
    empty if unknown.
    """

    def __init__(self, file: ModelFile) -> None:
        self.information = file.information
        self.tags, self.trees, self.language = tags_of(file), trees_of(file), language_of(file.information)
        check_system(file)
        check_triples(file)
        self.inventory = Inventory.from_json(part_of(file, "inventory"))
        shape = shape_of(part_of(file, "shape"))
        check_arrays(file.arrays, array_shapes(self.inventory, shape))
        self.network = network_of(file.arrays, self.inventory, shape, temperature_of(file))
        self.spans = spans_of(file, shape)
        self.completeness = completeness_of(file, shape)
        self.lemmas = lemmas_of(file, self.inventory, shape)
        self.segmenter = segmenter_of(file)
        self.told_values = ToldValues(self.inventory.values)
        labels, root_labels = self.inventory.labels, self.inventory.root_labels
        self.root_label = (root_labels or labels)[0]  # the most frequent label of the root's child
        is_universal = are_universal(self.inventory.tags, labels)
        self.punctuation = self.inventory.tag_numbers.get(MARK) if is_universal else None
        self._seen_features = SeenFeatures(self.inventory)
        self.barred_steps = barred_classes(labels, root_labels)

    def with_trees(self, trees: str) -> Model:
        """Return the same parser for trees of another class; prefixes need "projective" or "mh4"."""
        other = copy(self)
        other.trees = check_class(trees)
        return other

    @property
    def has_constituents(self) -> bool:
        return self.spans is not None

    @property
    def knows_completeness(self) -> bool:
        """True if the model predicts the ends of sentences."""
        return self.completeness is not None

    @property
    def has_lemmas(self) -> bool:
        """True if the model has learnt lemmas and XPOS."""
        return self.lemmas is not None

    def parse(self, words: Sequence[str], values: Sequence[Iterable[str]] | None = None) -> Analysis:
        """Return the best tree of a whole sentence, with constituents and lemmas if the model knows them.

        A model that was trained on gold tags takes them as `values`: for every word a list of "UPOS=NOUN"
        and, if it was trained with features, "Number=Sing" and so on; an empty list if nothing is known. A
        model whose `tags` are "predicted" predicts tags itself and ignores values.
        """
        return self.parse_all([words], None if values is None else [values])[0]

    def parse_all(
        self,
        sentences: Sequence[Sequence[str]],
        values: Sequence[Sequence[Iterable[str]]] | None = None,
        with_constituents: bool = True,
    ) -> list[Analysis]:
        """Return the best trees of some sentences; 16 at once take a third less time than one by one.

        Many more at once take as long as one by one, so parse a treebank in batches. Constituents take
        additional time, so leave them out if they are not needed.
        """
        check_sentences(sentences)
        told = told_of_all(values, len(sentences))
        pairs = [(words, told_words) for words, told_words in zip(sentences, told, strict=True) if words]
        if not pairs:
            return [NO_WORDS] * len(sentences)
        lengths = [len(words) for words, _ in pairs]
        tops = self.network.causal.tops(self._gates(pairs, FROM_LEFT), lengths)
        gates = self._gates(pairs, FROM_RIGHT)
        found = iter(self._best([words for words, _ in pairs], tops, gates, with_constituents))
        return [next(found) if words else NO_WORDS for words in sentences]

    def _best(
        self, sentences: Sequence[Sequence[str]], tops: Array, gates: Array, with_constituents: bool
    ) -> list[Analysis]:
        """Return the best trees of whole sentences, given the inputs of `Surroundings.around`."""
        judged = self.network.judge(tops, gates, [*map(len, sentences)], [False] * len(sentences))
        trees = [decode_in(self.trees, self._weights(scores, False)) for scores in judged.scores]
        for tree, scores, (of_words, _) in zip(trees, judged.scores, judged.tags, strict=True):
            self.attach_marks(tree, scores[:-1], of_words)
        logs = self._label_logs(judged.label_parts, judged.around.bounds[:-1], trees)
        constituents = self._constituents(judged.around, range(len(sentences) if with_constituents else 0))
        rules, labels, tags = self.network.arcs.rules, [], {}
        for number, (tree, of_labels) in enumerate(zip(trees, logs, strict=True)):
            tag_logs = partial(self._tag_logs, judged.around, number)
            of_nodes, by_rules = rules.labels(of_labels, tree, judged.tags[number], tag_logs)
            labels.append(of_nodes)
            tags[number] = self._with_fitting_features(by_rules, judged.around, number)
        of_trees = dict(enumerate(map(LabelledHeads, trees, labels)))
        lemmas = self._lemmas(judged.around, dict(enumerate(sentences)), tags, of_trees)
        return [
            self._analysis(
                words, False, trees[one], labels[one], tags[one], constituents.get(one, ()), lemmas.get(one)
            )
            for one, words in enumerate(sentences)
        ]

    def _with_fitting_features(self, tags: Tags, around: Around, number: int) -> Tags:
        """Return the tags of a sequence with features that go with them."""
        scores = partial(self.network.surroundings.feature_scores, around, number)
        return self._seen_features.fitting(tags, scores)

    def _tag_logs(self, around: Around, number: int) -> Array:
        """Return [word, tag] of a sequence: log-probabilities; no rows if gold tags were given."""
        if self.inventory.values:
            return np.empty((0, len(self.inventory.tags)), np.float32)
        return self.network.surroundings.tag_logs(around, number)

    def gates(self, words: Sequence[str], layer: int, values: Sequence[Iterable[str]] | None = None) -> Array:
        """Return the contributions of words to a first layer of the network; refuse text that is no word."""
        for number, word in enumerate(words, 1):
            if not (self.network.words.knows(word) or is_word(word)):
                what = f"word {number} is {word!r:.40}, and a word is {WORD}"
                raise InputError(f"{what}: leave it out or correct it")
        return self.network.words.gates(words, layer, self._value_numbers(len(words), values))

    def _gates(
        self, pairs: Iterable[tuple[Sequence[str], Sequence[Iterable[str]] | None]], layer: int
    ) -> Array:
        gates = [self.gates(words, layer, values) for words, values in pairs]
        return gates[0] if len(gates) == 1 else np.concatenate(gates)

    def _value_numbers(self, n: int, values: Sequence[Iterable[str]] | None) -> list[list[int]] | None:
        if not self.inventory.values:
            return None
        if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != n:
            raise InputError(
                "the model was trained on gold tags, so it takes the values of words: give one list for each"
            )
        return self.told_values.numbers(values)

    def next_states(
        self, word: str, values: Iterable[str] | None, before: CausalStates | None
    ) -> CausalStates:
        """Return the causal states after one more word."""
        return self.network.causal.next_states(self.gates_of_word(word, values), before)

    def next_tagged(
        self, word: str, values: Iterable[str] | None, before: CausalStates | None
    ) -> tuple[CausalStates, str, str]:
        """Return the causal states after one more word, with its best tag and features so far."""
        states, tag, features = self.network.causal.next_tagged(self.gates_of_word(word, values), before)
        return states, self.inventory.tags[tag], self.inventory.features[features]

    def tag_by_letters(self, letters: str) -> str | None:
        """Return the most frequent tag of words with these first letters; None if none is known."""
        return self._first_letters.tag(letters.lower())

    @cached_property
    def _first_letters(self) -> FirstLetters:
        return FirstLetters(self.inventory.forms, lambda form: self.next_tagged(form, None, None)[1])

    def gates_of_word(self, word: str, values: Iterable[str] | None) -> Array:
        """Return a word's contribution to the first layer from the left, read-only."""
        words = self.network.words
        if not self.inventory.values and words.knows(word):
            return words.gates_of_word(word, FROM_LEFT)
        return self.gates([word], FROM_LEFT, None if values is None else [values])

    def rescore(self, snapshot: Snapshot, preference: Preference = NO_PREFERENCE) -> Rescored:
        """Return the best tree of a snapshot with words, under a preference, with probabilities."""
        return self.rescore_all([(snapshot, preference)])[0]

    def rescore_all(self, asked: Sequence[tuple[Snapshot, Preference]]) -> list[Rescored]:
        """Return the best trees of some snapshots, faster than one by one.

        Each result depends on its snapshot alone, bit for bit: nothing is kept from one parse to the next,
        and the other snapshots in the batch do not matter.
        """
        never = Interrupt()
        return cast(list[Rescored], self.rescore_until([(*one, never) for one in asked]))

    def judge_all(self, sentences: Sequence[Sequence[str]]) -> list[Rescored]:
        """Return the best trees of some nonempty whole sentences, with probabilities and constituents."""
        check_sentences(sentences)
        lengths = [*map(len, sentences)]
        gates = self._gates([(words, None) for words in sentences], FROM_LEFT)
        tops = np.split(self.network.causal.tops(gates, lengths), [*accumulate(lengths)][:-1])
        snapshots = [
            Snapshot(tuple(words), one, False, None, self.has_constituents, self.has_lemmas)
            for words, one in zip(sentences, tops, strict=True)
        ]
        return self.rescore_all([(snapshot, NO_PREFERENCE) for snapshot in snapshots])

    def rescore_until(self, asked: Sequence[Asked]) -> list[Rescored | None]:
        """Return the best trees of some snapshots; None for those interrupted while being decoded."""
        judged = self.network.judge(*self._nodes_of([snapshot for snapshot, *_ in asked]))
        trees = self._trees_until(asked, judged)
        found = self._read_off(asked, judged, trees) if trees else {}
        return [found.get(number) for number in range(len(asked))]

    def margins(
        self, words: Sequence[str], corrections: Corrections = NO_CORRECTIONS
    ) -> tuple[ArcMargin, ...]:
        """Return the margins of all arcs of the best tree of a whole sentence, the least sure first.

        Heads that somebody has decided are sure.
        """
        check_sentences([words])
        if not words:
            return ()
        self.check_corrections(len(words), corrections)
        snapshot, preference = snapshot_of(self, words), Preference(corrections=corrections)
        arcs = dict(enumerate(self.rescore(snapshot, preference).analysis.decisions, 1))
        found = self.margins_until((snapshot, preference, Interrupt()), arcs)
        return tuple(sorted(found, key=lambda one: one.margin))

    def margins_until(self, asked: Asked, arcs: Mapping[int, Decision]) -> list[ArcMargin]:
        """Return the margins of arcs to words of a snapshot, under a preference, until interrupted."""
        judged = self.network.judge(*self._nodes_of([asked[0]]))
        (words, _, is_open, *_), preference, interrupt = asked
        nodes = self._nodes(words, is_open)
        scores = self._preferred_scores(preference, judged.scores[0], is_open)
        weights = self._weights(scores, is_open)
        heads = {word: nodes.number(arc.head) for word, arc in arcs.items()}
        leads = self._leads(preference, weights, heads, interrupt)
        rivals = {word: lead.rival for word, lead in leads.items() if lead.rival is not None}
        labels = self._likeliest_labels(judged.label_parts, rivals, preference)
        alternatives = self._alternatives(judged, nodes, {word: arcs[word] for word in leads}, preference)
        return [
            ArcMargin(
                word,
                arcs[word],
                lead.margin,
                None if lead.rival is None else Decision(nodes.name(lead.rival), labels[word]),
                alternatives[word],
            )
            for word, lead in leads.items()
        ]

    def _alternatives(
        self, judged: Judged, nodes: Nodes, arcs: Mapping[int, Decision], preference: Preference
    ) -> dict[int, tuple[Alternative, ...]]:
        """Return the alternatives to arcs by word, as far as corrections allow them."""

        def label_logs(heads: Rows, children: Rows) -> Array:
            return self._logs_of_labels(judged.label_parts, heads, children)

        names = self.inventory.labels
        return alternatives_to(arcs, judged.scores[0], nodes, label_logs, names, preference.corrections)

    def _logs_of_labels(self, parts: LabelParts, heads: Rows, children: Rows) -> Array:
        """Return the log-probabilities [arc, label] of the labels of arcs."""
        barred = self.network.arcs.barred_labels[(heads == 0).astype(np.intp)]
        return self.network.arcs.label_logs(parts, heads, children, barred)

    def _leads(
        self, preference: Preference, weights: Weights, heads: Mapping[int, int], interrupt: Interrupt
    ) -> dict[int, Lead]:
        """Return the leads of arcs by word, in one chart if trees are projective, until interrupted."""
        if class_for(self.trees, weights.later - 1) == PROJECTIVE:
            with suppress(InputError):  # corrections may hold in no tree of the class
                return leads_in_chart(weights, heads)
        return leads_by_decoding(weights, heads, lambda one: self._decoded(preference, one, interrupt))

    def _likeliest_labels(
        self, parts: LabelParts, heads: Mapping[int, int], preference: Preference
    ) -> dict[int, str]:
        """Return the likeliest label of an arc to each word, or the one that somebody has decided."""
        if not heads:
            return {}
        of_arcs = np.array([*heads.values()], np.intp), np.array([*heads], np.intp)
        numbers = self._logs_of_labels(parts, *of_arcs).argmax(axis=1).tolist()
        likeliest = dict(zip(heads, map(self.inventory.labels.__getitem__, numbers), strict=True))
        decided = {word: one.label for word, one in preference.corrections.items() if one.label is not None}
        return {word: decided.get(word, label) for word, label in likeliest.items()}

    def around(self, snapshots: Sequence[Snapshot]) -> Around:
        """Return the bidirectional states of all nodes of some snapshots, which have words."""
        return self.network.surroundings.around(*self._nodes_of(snapshots))

    def _nodes_of(self, snapshots: Sequence[Snapshot]) -> tuple[Array, Array, list[int], list[bool]]:
        """Return the inputs of the network for some snapshots, which have words."""
        tops = np.concatenate([snapshot.tops for snapshot in snapshots])
        gates = self._gates([(one.words, one.values) for one in snapshots], FROM_RIGHT)
        return tops, gates, [len(one.words) for one in snapshots], [one.is_open for one in snapshots]

    def _trees_until(self, asked: Sequence[Asked], judged: Judged) -> dict[int, Numbers]:
        """Return the best trees under preferences by the index of the request, without interrupted ones."""
        trees = {}
        for number, (snapshot, preference, interrupt) in enumerate(asked):
            scores = judged.scores[number]
            tags, _ = self._corrected(judged.tags[number], preference)
            tree = self._preferred_tree(preference, scores, tags, snapshot.is_open, interrupt)
            if tree is not None:
                trees[number] = tree
        return trees

    def _read_off(
        self, asked: Sequence[Asked], judged: Judged, trees: Mapping[int, Numbers]
    ) -> dict[int, Rescored]:
        """Return the results for the decoded trees by the index of the request."""
        found = {one: self._labelled(asked[one], judged, one, tree) for one, tree in trees.items()}
        wanted = [one for one in trees if asked[one][0].with_constituents]
        constituents = self._constituents(judged.around, wanted)
        words = {one: asked[one][0].words for one in trees if asked[one][0].with_lemmas}
        tags = {one: tree.tags for one, tree in found.items()}
        of_trees = {one: LabelledHeads(tree.tree, tree.labels) for one, tree in found.items()}
        lemmas = self._lemmas(judged.around, words, tags, of_trees)
        return {
            one: self._rescored(asked[one][0], tree, constituents.get(one), lemmas.get(one))
            for one, tree in found.items()
        }

    def _lemmas(
        self,
        around: Around,
        words: Mapping[int, Sequence[str]],
        tags: Mapping[int, Tags],
        trees: Mapping[int, LabelledHeads],
    ) -> dict[int, Lemmas]:
        """Return the lemmas of some sequences by number; empty if the model has not learnt them."""
        if self.lemmas is None or not words:
            return {}
        return dict(zip(words, self.lemmas.of_sequences(around, words, tags, trees), strict=True))

    def _constituents(self, around: Around, numbers: Sequence[int]) -> dict[int, tuple[Constituent, ...]]:
        """Return the constituents of some sequences by number; empty if the model has not learnt them."""
        if self.spans is None:
            return {}
        return dict(zip(numbers, self.spans.constituents(around, numbers), strict=True))

    def _labelled(self, asked: Asked, judged: Judged, number: int, tree: Numbers) -> Labelled:
        """Return the tree of one of the sequences with labels and tags."""
        ((_, _, is_open, *_), preference, _), arcs = asked, self.network.arcs
        parts = judged.label_parts.part(*judged.around.bounds[number : number + 2].tolist())
        wanted = preference.wanted_labels(tree, arcs.label_numbers)
        corrected = self._corrected(judged.tags[number], preference)
        tag_logs = partial(self._tag_logs_with, judged.around, number, preference)
        nodes = judged.scores[number], is_open, tree, parts, corrected
        logs, labels, chances, by_rules = arcs.read_off(*nodes, wanted, tag_logs)
        tags = self._with_fitting_features(by_rules, judged.around, number)
        choices = partial(self._tag_choices, judged.around.for_tags(number), preference, tags)
        return Labelled(tree, labels, tags, logs, chances, parts, choices)

    def _corrected(self, tags: Tags, preference: Preference) -> Tags:
        """Return the tags of words with those that somebody has decided."""
        return preference.corrected_tags(tags[0], self.inventory.tag_numbers), tags[1]

    def _tag_logs_with(self, around: Around, number: int, preference: Preference) -> Array:
        """Return the same as `_tag_logs`, in which words have no other tags than those decided."""
        logs, numbers = self._tag_logs(around, number), self.inventory.tag_numbers
        for word, correction in preference.corrections.items() if len(logs) else ():
            if correction.tag is not None:
                logs[word - 1] = np.where(np.arange(logs.shape[1]) == numbers[correction.tag], 0, -np.inf)
        return logs

    def _tag_choices(self, around: Around, preference: Preference, tags: Tags, least: float) -> TagChoices:
        """Return the tags that the words of a sequence may have, given its tags and what is decided."""
        logs = self._tag_logs_with(around, 0, preference)
        own = np.column_stack(tags).tolist()
        if not len(logs):
            return tuple((self._tag_choice(*one),) for one in own)
        likely = [*likely_tags(logs, tags[0], least)]
        words = np.array([word for word, found in enumerate(likely) for _ in found], np.intp)
        numbers = np.array([tag for found in likely for tag, _ in found], np.intp)
        scores = partial(self._feature_scores, around, words)
        fitting = iter(self._seen_features.fitting((numbers, tags[1][words]), scores)[1].tolist())
        return tuple(
            tuple(self._tag_choice(tag, next(fitting), log) for tag, log in found) for found in likely
        )

    def _feature_scores(self, around: Around, words: Rows) -> Array:
        return self.network.surroundings.feature_scores(around, 0)[words]

    def _tag_choice(self, tag: int, features: int, log: float = 0.0) -> TagChoice:
        return TagChoice(self.inventory.tags[tag], self.inventory.features[features], log)

    def _rescored(
        self,
        snapshot: Snapshot,
        found: Labelled,
        constituents: tuple[Constituent, ...] | None,
        lemmas: Lemmas | None,
    ) -> Rescored:
        """Return the result for the tree of one of the sequences."""
        tree, labels, tags, logs, chances, parts, choices = found
        words, is_open = snapshot.words, snapshot.is_open
        analysis = self._analysis(words, is_open, tree, labels, tags, lemmas=lemmas)
        score = float(chances[tree != self._nodes(words, is_open).unused].sum(dtype=np.float64))
        confidences = tuple(np.exp(chances[: len(words)]).tolist())
        arcs = self.network.arcs
        return Rescored(analysis, confidences, score, logs, arcs, parts, self.trees, choices, constituents)

    def _preferred_tree(
        self, preference: Preference, scores: Array, tags: Rows, is_open: bool, interrupt: Interrupt
    ) -> Numbers | None:
        """Return the best tree under a preference, with its fixed arcs even if the class excludes them."""
        preferred = self._preferred_scores(preference, scores, is_open)
        tree = self._decoded(preference, self._weights(preferred, is_open), interrupt)
        if tree is None:
            return None
        self.attach_marks(tree, preferred if is_open else preferred[:-1], tags)
        return preference.with_fixed_heads(tree) if preference.fixed else tree

    def _preferred_scores(self, preference: Preference, scores: Array, is_open: bool) -> Array:
        """Return scores[head, child] in which the best tree of the class is the preferred one."""
        nodes = len(scores) - (3 if is_open else 2)
        decodable = preference.decodable(class_for(self.trees, nodes)) if preference.fixed else preference
        return decodable.applied_to(scores, self.inventory.root_labels)

    def _decoded(self, preference: Preference, weights: Weights, interrupt: Interrupt) -> Numbers | None:
        """Return the best tree; of any class if corrections hold in none of the own class any more."""
        if not preference.corrections:
            return decode_until(self.trees, weights, interrupt)
        try:
            tree = decode_until(self.trees, weights, interrupt)
        except InputError:
            return decode_any(weights, interrupt)
        return tree if tree is None or preference.are_held(tree) else decode_any(weights, interrupt)

    def check_corrections(self, words: int, corrections: Corrections) -> None:
        """Raise an InputError with the reason if no tree of so many words holds the corrections."""
        check_corrections(words, corrections, self.inventory)
        scores = np.zeros((words + 2, words + 1), np.float32)
        preferred = Preference(corrections=corrections).applied_to(scores, self.inventory.root_labels)
        try:
            decode_in(self.trees, sentence_weights(preferred[:-1]))
        except InputError:
            what = f"no {self.trees} tree has these heads"
            raise InputError(f"{what}, since some of their arcs cross: free one of them") from None

    def attach_marks(
        self, tree: Numbers, scores: Array, tags: Rows, are_free: npt.NDArray[np.bool_] | None = None
    ) -> None:
        """Give free punctuation heads with which it crosses nothing, by scores[head, child]."""
        if self.trees != PROJECTIVE and self.punctuation is not None:
            are_marks = tags == self.punctuation
            attach_marks(tree, scores, len(tags), are_marks if are_free is None else are_marks & are_free)

    def _weights(self, scores: Array, is_open: bool) -> Weights:
        """Return the input of decoders, given these scores."""
        if is_open:
            return prefix_weights(scores[:, :-2], len(self.inventory.stock))
        return sentence_weights(scores[:-1, :-1])

    def _label_logs(self, parts: LabelParts, starts: Rows, trees: Sequence[Numbers]) -> list[Array]:
        """Return [child - 1, label] for each tree, given the starts of their nodes."""
        places, is_root = [*zip(starts.tolist(), trees, strict=True)], np.concatenate(trees) == 0
        heads = [start + tree.astype(np.intp) for start, tree in places]
        children = [np.arange(start + 1, start + 1 + len(tree)) for start, tree in places]
        arcs = self.network.arcs
        barred = arcs.barred_labels[is_root.astype(np.intp)]
        logs = arcs.label_logs(parts, np.concatenate(heads), np.concatenate(children), barred)
        return _split(logs, [len(tree) for tree in trees])

    def _analysis(
        self,
        words: Sequence[str],
        is_open: bool,
        tree: Numbers,
        labels: Rows,
        tags: Tags,
        constituents: tuple[Constituent, ...] = (),
        lemmas: Lemmas | None = None,
    ) -> Analysis:
        """Return the analysis, given numbers: heads and labels of nodes, tags and features of words."""
        nodes, numbers, t = self._nodes(words, is_open), tree.tolist(), len(words)
        heads = nodes.names(numbers)
        named = [self.inventory.labels[label] for label in labels.tolist()]
        return Analysis(
            tuple(words),
            tuple([self.inventory.tags[tag] for tag in tags[0].tolist()]),
            tuple([self.inventory.features[feature] for feature in tags[1].tolist()]),
            tuple(heads[:t]),
            tuple(named[:t]),
            expected_words(nodes, numbers, heads, named),
            constituents,
            *(lemmas or NO_LEMMAS),
        )

    def _nodes(self, words: Sequence[str], is_open: bool) -> Nodes:
        return Nodes(len(words), self.inventory.stock if is_open else ())


def _split(rows: npt.NDArray[Kind], lengths: Sequence[int]) -> list[npt.NDArray[Kind]]:
    """Return the parts of the given lengths, ten times as fast as `numpy.split`."""
    return [rows[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def snapshot_of(
    model: Model, words: Sequence[str], values: Sequence[Iterable[str]] | None = None
) -> Snapshot:
    """Return a whole sentence in the form that a growing parse has at its end."""
    tops = model.network.causal.tops(model.gates(words, FROM_LEFT, values), [len(words)])
    told = None if values is None else tuple(tuple(of_word) for of_word in values)
    return Snapshot(tuple(words), tops, is_open=False, values=told)


def read_parser(path: str | Path) -> Model:
    try:
        return Model(read_model(path))
    except InputError as error:
        raise InputError(f"{error}, in {path}") if str(path) not in str(error) else error from None


def as_model(model: object) -> Model:
    """Return the model unchanged; refuse anything else, such as a name."""
    if not isinstance(model, Model):
        what = f"a model has to be given, and {model!r:.40} is none"
        raise InputError(f"{what}: give what load_model('en') returns")
    return model
