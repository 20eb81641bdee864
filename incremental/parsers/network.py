"""The network without torch: from forms to states, and from states to scores.

    form, n-grams, spelling, gold values  ->  gates of both first layers       kept for every form
    gates, left to right                  ->  causal states, two layers        kept for every word
    causal states + tail, right to left   ->  states that know what follows    anew for every prefix

A sequence of nodes is the root, the words, and a *tail*: END for a whole sentence; for an open prefix the
virtual nodes of the stock, LATER and UNUSED. `treewhile.incremental.training.torch_network` computes the same
on batches; the names of the arrays are those of its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers.inventories import LONGEST_SPELLING, Inventory
from treewhile.incremental.parsers.kernels.arcs import arc_scores, label_logs
from treewhile.incremental.parsers.kernels.both_sides import look_around
from treewhile.incremental.parsers.kernels.products import Layer, outputs_of
from treewhile.incremental.parsers.kernels.recurrent import run_recurrent, take_and_tag_word, take_word
from treewhile.incremental.parsers.kernels.rows import SLOPE
from treewhile.incremental.parsers.kernels.steps import step_scores
from treewhile.incremental.parsers.kernels.tagging import best_tags
from treewhile.incremental.parsers.kernels.tiles import PAIR, PANEL
from treewhile.incremental.parsers.model_files import in_eight_bits
from treewhile.incremental.parsers.network_shapes import ROLES, SPECIAL, Shape

Array = npt.NDArray[np.float32]
EightBits = npt.NDArray[np.int8]
Rows = npt.NDArray[np.intp]
FROM_LEFT, FROM_RIGHT = range(2)  # the first layers, from either end of a sentence
State = tuple[Array, Array]  # the output and the cell of a recurrent layer, [unit] both

GATES = 4  # of a unit: input, forget, cell, output
FORMS_KEPT = 1 << 12  # with their gates, some 33 MB, but not forms that are longer than words are


class CausalStates(NamedTuple):
    """What is known of words from what stands before them: `h` and `c` are [word, layer, unit]."""

    h: Array
    c: Array

    @property
    def top(self) -> Array:
        """[word, unit]: what tags, transitions and the rest of the network read."""
        return self.h[:, 1]


class Tail(NamedTuple):
    """What stands behind the words of a sentence, always the same: as the kernels have it."""

    forward: Array
    from_right: Array
    states: Array


class Around(NamedTuple):
    """What is known from both sides of the nodes of some sequences, one after the other."""

    early: Array  # [root or word, 2 * unit], what tags are read off
    late: Array  # [node, 2 * unit], what arcs and labels are read off
    bounds: Rows  # where the sequences start among the nodes, and the last one ends
    lengths: Rows  # how many words they have


class LabelParts(NamedTuple):
    """What nodes add to the labels of arcs, [node, unit] both: as heads and as children."""

    as_head: Array
    as_child: Array

    def part(self, start: int, end: int) -> LabelParts:
        """That of some nodes, which does not keep the others."""
        return LabelParts(self.as_head[start:end].copy(), self.as_child[start:end].copy())


class Network:
    """All layers; trusts its arrays, which `parsing` has checked."""

    def __init__(self, arrays: Mapping[str, Array], inventory: Inventory, shape: Shape) -> None:
        self._inventory = inventory
        self._shape = shape
        self.state_width, self.label_width = shape.state, shape.label
        self._forms = arrays["forms.weight"]
        self._ngrams = arrays["ngrams.weight"]
        self._values = arrays.get("values.weight")
        self._spelling = [_Recurrent(arrays, name) for name in ("spelling_forward", "spelling_backward")]
        self._causal = [_Recurrent(arrays, name) for name in ("causal_first", "causal_second")]
        first, second = self._causal
        self._next_layers = first.states.layer, second.projected.layer, second.states.layer
        backward_first = _Recurrent(arrays, "backward_first")
        form, word = self._parts_of_words
        self._of_forms = [layer.of_first_inputs(form) for layer in (first, backward_first)]
        self._of_values = [layer.of_inputs(form, word) for layer in (first, backward_first) if word > form]
        self._of_tops = backward_first.of_inputs(word, None)
        self._from_right = backward_first, _Recurrent(arrays, "backward_second")
        self._from_left = _Recurrent(arrays, "forward_second")
        self._around_layers = tuple(
            products.layer
            for products in (
                self._of_tops,
                self._from_right[0].states,
                self._from_left.projected,
                self._from_left.states,
                self._from_right[1].projected,
                self._from_right[1].states,
            )
        )
        self._early_tagger, self._tagger = _Tagger(arrays, "early_tags"), _Tagger(arrays, "tags")
        self._arc_head, self._arc_child = _linear(arrays, "arc_head"), _linear(arrays, "arc_child")
        self._arc = _Products(*in_eight_bits(arrays["arc"]))
        self._label_head, self._label_child = _linear(arrays, "label_head"), _linear(arrays, "label_child")
        self._label = _linear(arrays, "label")
        self._roles = [
            _Products(*in_eight_bits(part)) for part in np.split(arrays["roles.weight"], len(ROLES))
        ]
        self.step_layers = (  # as `take_steps` takes them
            np.array([part.weight for part in self._roles]),
            np.array([part.scale for part in self._roles]),
            arrays["steps_bias"],
            _linear(arrays, "steps_hidden").layer,
            _linear(arrays, "steps").layer,
        )
        self._awaiting_node = _linear(arrays, "awaiting_node")
        self._awaiting_last = _linear(arrays, "awaiting_last")
        self._awaiting = _linear(arrays, "awaiting")
        # used later: nothing is computed here, so that a model is there before its kernels are compiled
        self._missing, self._special = arrays["missing"], arrays["special"]
        self._characters = arrays["characters.weight"]
        self._forms_kept: dict[str, Array] = {}

    @cached_property
    def missing_roles(self) -> Array:
        """[vector, role, hidden]: what stands in for words that are not there."""
        return self.roles(self._missing)

    @cached_property
    def _letters(self) -> list[Array]:
        """What characters add to the gates of either end of a spelling."""
        return [layer.projected(self._characters) for layer in self._spelling]

    @property
    def gate_width(self) -> int:
        """How many gates a layer has that runs over words."""
        return GATES * self._shape.state

    @property
    def _parts_of_words(self) -> tuple[int, int]:
        """Where the vector of a form ends, and that of a word with its gold values."""
        return self._shape.word(with_values=False), self._shape.word(with_values=self._values is not None)

    def knows(self, form: str) -> bool:
        """Whether what a form adds to the gates is kept."""
        return form in self._forms_kept

    def word_gates(
        self, forms: Sequence[str], layer: int, values: Sequence[Sequence[int]] | None = None
    ) -> Array:
        """[word, gate]: what words alone add to the first layer from the left, or from the right.

        `values` are numbers of the gold values of each word, if the model takes them.
        """
        gates = np.array([self._gates_of(form)[layer] for form in forms])
        table = self._values
        if table is None:
            return gates
        told = [table[[*numbers]].sum(0) for numbers in values or [()] * len(forms)]
        return gates + self._of_values[layer](np.array(told, np.float32))

    def _gates_of(self, form: str) -> Array:
        """[layer, gate]"""
        gates = self._forms_kept.get(form)
        if gates is None:
            gates = self._new_gates(form)
            if len(form) <= LONGEST_SPELLING:
                if len(self._forms_kept) >= FORMS_KEPT:
                    self._forms_kept.clear()
                self._forms_kept[form] = gates
        return gates

    def _new_gates(self, form: str) -> Array:
        vector = self._form_vector(form)[None]
        return np.concatenate([products(vector) for products in self._of_forms])

    def _form_vector(self, form: str) -> Array:
        code = self._inventory.code(form)
        spellings = ([*code.characters], [*code.characters[::-1]])
        ends = [
            layer.run(letters[spelling], [len(spelling)])[0][-1]
            for layer, letters, spelling in zip(self._spelling, self._letters, spellings, strict=True)
        ]
        return np.concatenate([self._forms[code.form], self._ngrams[[*code.ngrams]].mean(0), *ends])

    def causal_states(
        self, gates: Array, lengths: Sequence[int], before: CausalStates | None = None
    ) -> CausalStates:
        """The states of the words of sentences in a row; or of more words after those that came before."""
        if len(gates) == 1:
            return self.next_states(gates, before)
        hs: list[Array] = []
        cs: list[Array] = []
        for number, layer in enumerate(self._causal):
            start = None if before is None else [(before.h[-1, number], before.c[-1, number])]
            h, c = layer.run(layer.projected(hs[-1]) if hs else gates, lengths, start)
            hs.append(h)
            cs.append(c)
        return CausalStates(np.stack(hs, axis=1), np.stack(cs, axis=1))

    def next_states(self, gates: Array, before: CausalStates | None) -> CausalStates:
        """The states after one more word."""
        states = self._copied(before)
        take_word(gates, *self._next_layers, *states)
        return states

    def next_tagged(self, gates: Array, before: CausalStates | None) -> tuple[CausalStates, int, int]:
        """Likewise, with what `early_tags` says of the word."""
        states = self._copied(before)
        tag, features = take_and_tag_word(gates, self._next_layers, self._early_tagger.layers, *states)
        return states, tag, features

    def _copied(self, states: CausalStates | None) -> CausalStates:
        """The last ones, to be changed; those before the first word are zeros."""
        if states is None:
            return CausalStates(*np.zeros((2, 1, len(self._causal), self._shape.state), np.float32))
        return CausalStates(states.h[-1:].copy(), states.c[-1:].copy())

    def early_tags(self, causal: CausalStates) -> tuple[Rows, Rows]:
        """The numbers of the likeliest tags and features, from what stands before."""
        return self._early_tagger.best(causal.top)

    def around(self, tops: Array, gates: Array, lengths: Sequence[int], are_open: Sequence[bool]) -> Around:
        """The states of all nodes of sentences in a row, each with its root, words and tail.

        tops[word, unit] are causal states, gates[word, gate] is what words add to the first layer from the
        right.
        """
        of_words = np.array(lengths, np.intp)
        tail_of = np.array(are_open, np.intp)
        root, tails = self._special_nodes
        found = look_around(tops, gates, of_words, root, tail_of, tails, self._around_layers)
        early, late, bounds = found
        return Around(early, late, bounds, of_words)

    @cached_property
    def _special_nodes(self) -> tuple[tuple[Array, Array], tuple[Tail, Tail]]:
        """What stands before the words of a sentence, and behind: where it has ended, and where not."""
        vectors = self._special
        form, word = self._parts_of_words
        gates, tops = self._of_forms[FROM_RIGHT](vectors[:, :form]), vectors[:, word:]
        if self._of_values:
            gates = gates + self._of_values[FROM_RIGHT](vectors[:, form:word])
        root, end, later, unused = range(len(SPECIAL))
        virtual = range(len(SPECIAL), len(vectors))
        ended, goes_on = (self._tail(tops[rows], gates[rows]) for rows in ([end], [*virtual, later, unused]))
        return (tops[[root]], gates[[root]]), (ended, goes_on)

    def _tail(self, tops: Array, gates: Array) -> Tail:
        first, second = self._from_right
        h, first_c = first.run_back(gates + self._of_tops(tops), [len(tops)])
        early = np.concatenate([tops, h], axis=1)
        from_right, second_c = second.run_back(second.projected(early), [len(tops)])
        states = np.array([[h[0], first_c[0]], [from_right[0], second_c[0]]])
        return Tail(self._from_left.projected(early), from_right, states)

    def tags(self, around: Around) -> list[tuple[Rows, Rows]]:
        """The numbers of the likeliest tags and features of the words of each sequence, from both sides."""
        tags, features = self._tagger.best(around.early)  # of roots, too
        bounds = [*pairwise(accumulate((around.lengths + 1).tolist(), initial=0))]
        return [(tags[start + 1 : end], features[start + 1 : end]) for start, end in bounds]

    def arcs(self, around: Around) -> list[Array]:
        """[head, child] over the nodes of each sequence."""
        layers = self._arc_head.layer, self._arc_child.layer, self._arc.layer
        scores = arc_scores(around.late, around.bounds, *layers)
        sizes = np.diff(around.bounds).tolist()
        places = accumulate((size * size for size in sizes), initial=0)
        return [
            scores[place : place + size * size].reshape(size, size)
            for place, size in zip(places, sizes, strict=False)
        ]

    def label_parts(self, around: Around) -> LabelParts:
        """What all nodes add to labels."""
        return LabelParts(self._label_head(around.late), self._label_child(around.late))

    def label_logs(self, parts: LabelParts, heads: Rows, children: Rows, barred: Array) -> Array:
        """[arc, label]: logarithms of probabilities; barred[arc, label] is 0, or -inf for what cannot be."""
        logs: Array = label_logs(*parts, heads, children, barred, self._label.layer)
        return logs

    def roles(self, top: Array) -> Array:
        """[word, role, hidden]: what each word adds to the next step in each role."""
        return np.stack([part(top) for part in self._roles], axis=1)

    def step_scores(self, chosen: Array) -> Array:
        """The score of every class of step, then PATIENCE, given [role, hidden] of the words in the roles."""
        scores: Array = step_scores(chosen, *self.step_layers[2:])
        return scores

    def awaiting(self, parts: LabelParts, words: int) -> Array:
        """[node]: how likely the next thing to come that hangs on the root or a word hangs on which of them.

        That it hangs on none of them has score 0.
        """
        nodes, last = parts.as_head[: words + 1], parts.as_child[words : words + 1]
        units = self._awaiting_node(nodes) + self._awaiting_last(last)
        return self._awaiting(np.maximum(units, units * SLOPE))[:, 0]


class _Products:
    """Products of inputs with a matrix [output, input] in eight bits, with the scale of each output."""

    def __init__(self, eight_bits: EightBits, scale: Array, bias: Array | None = None) -> None:
        wide = len(eight_bits)
        empty = (0, -wide % PANEL)  # what fills the last panel
        filled = np.pad(eight_bits, (empty, (0, eight_bits.shape[1] % PAIR)))
        panels = filled.reshape(-1, PANEL, filled.shape[1] // PAIR, PAIR)
        weight = panels.transpose(0, 2, 1, 3).reshape(len(panels), -1, PAIR * PANEL)
        bias = np.zeros(wide, np.float32) if bias is None else bias
        self.weight, self.scale, self.wide = weight, np.pad(scale.ravel(), empty), wide
        self.layer: Layer = self.weight, self.scale, np.pad(bias, empty), wide

    def __call__(self, inputs: Array) -> Array:
        outputs: Array = outputs_of(self.layer, np.ascontiguousarray(inputs))
        return np.ascontiguousarray(outputs[:, : self.wide])


def _linear(arrays: Mapping[str, Array], name: str) -> _Products:
    return _Products(*in_eight_bits(arrays[f"{name}.weight"]), arrays[f"{name}.bias"])


class _Recurrent:
    """A layer of long short-term memory; gates come in the order input, forget, cell, output."""

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        weight, scale = in_eight_bits(arrays[f"{name}.weight_ih_l0"])
        bias = arrays[f"{name}.bias_ih_l0"] + arrays[f"{name}.bias_hh_l0"]
        self._inputs = weight, scale, bias
        self.projected = _Products(weight, scale, bias)  # [time, gate]: what inputs add to the gates
        self.states = _Products(*in_eight_bits(arrays[f"{name}.weight_hh_l0"]))  # what states add
        self._units = arrays[f"{name}.weight_hh_l0"].shape[1]

    def of_first_inputs(self, count: int) -> _Products:
        """What so many first inputs add to the gates, with the biases."""
        weight, scale, bias = self._inputs
        return _Products(weight[:, :count], scale, bias)

    def of_inputs(self, start: int, end: int | None) -> _Products:
        """What inputs in between add to the gates."""
        weight, scale, _ = self._inputs
        return _Products(weight[:, start:end], scale)

    def run(
        self, projected: Array, lengths: Sequence[int], starts: Sequence[State] | None = None
    ) -> tuple[Array, Array]:
        """The outputs and the cells after every input, [time, unit] both, of sequences in a row."""
        return self._run(projected, np.cumsum([0, *lengths[:-1]]), lengths, 1, starts)

    def run_back(
        self, projected: Array, lengths: Sequence[int], starts: Sequence[State] | None = None
    ) -> tuple[Array, Array]:
        """Likewise, where every sequence is gone through from its end."""
        return self._run(projected, np.cumsum(lengths) - 1, lengths, -1, starts)

    def _run(
        self,
        projected: Array,
        firsts: Rows,
        lengths: Sequence[int],
        towards: int,
        starts: Sequence[State] | None,
    ) -> tuple[Array, Array]:
        states = np.zeros((len(lengths), 2, self._units), np.float32) if starts is None else np.array(starts)
        gates, times = np.ascontiguousarray(projected), np.array(lengths, np.intp)
        found: tuple[Array, Array] = run_recurrent(gates, firsts, times, towards, self.states.layer, states)
        return found


class _Tagger:
    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        parts = ("hidden", "tags", "features")
        self.layers = tuple(_linear(arrays, f"{name}.{part}").layer for part in parts)

    def best(self, states: Array) -> tuple[Rows, Rows]:
        best: tuple[Rows, Rows] = best_tags(*self.layers, np.ascontiguousarray(states))
        return best
