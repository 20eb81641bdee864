"""The network without torch: from forms to states, and from states to scores.

    form, n-grams, spelling, gold values  ->  word vector                      kept for every form
    word vectors, left to right           ->  causal states, two layers        kept for every word
    causal states + tail, right to left   ->  states that know what follows    anew for every prefix

A sequence of nodes is the root, the words, and a *tail*: END for a whole sentence; for an open prefix the
virtual nodes of the stock, LATER and UNUSED. `treewhile.incremental.training.torch_network` computes the same
on batches; the names of the arrays are those of its parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental.parsers import kernels
from treewhile.incremental.parsers.inventories import LONGEST_SPELLING, Inventory
from treewhile.incremental.parsers.model_files import in_eight_bits
from treewhile.incremental.parsers.network_shapes import ROLES, SLOPE, SPECIAL, Shape

Array = npt.NDArray[np.float32]
EightBits = npt.NDArray[np.int8]
Rows = npt.NDArray[np.intp]
State = tuple[Array, Array]  # the output and the cell of a recurrent layer, [unit] both

# Vectors of so many forms are kept, some 27 MB, but not those of forms that are longer than words are.
FORMS_KEPT = 1 << 14
GATES_KEPT = 1 << 12  # likewise, of what forms add to the first layer, some 17 MB


class CausalStates(NamedTuple):
    """What is known of words from what stands before them: `h` and `c` are [word, layer, unit]."""

    h: Array
    c: Array

    @property
    def top(self) -> Array:
        """[word, unit]: what tags, transitions and the rest of the network read."""
        return self.h[:, 1]


class Foreseen(NamedTuple):
    """What nodes add to the gates of the layers that look around, [node, gate] each."""

    first: Array
    forward: Array
    backward: Array


class _Tail(NamedTuple):
    """What goes from right to left comes to in a tail: always the same, since nothing follows."""

    early: Array  # as in Around
    forward: Array  # [node, gate], as the layer from left to right takes it
    from_right: Array  # [node, unit], out of the second layer
    first: State  # with which the layers go on to the words
    second: State


class Around(NamedTuple):
    """What is known from both sides of the nodes of some sequences, one after the other."""

    early: Array  # [node, 2 * unit], what tags are read off
    late: Array  # [node, 2 * unit], what arcs and labels are read off
    words: Rows  # where the words are among the nodes
    starts: Rows  # where the sequences start

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """Where the sequences start and end."""
        return [*pairwise([*self.starts.tolist(), len(self.late)])]

    def each(self) -> list[Around]:
        """The sequences alone, without keeping the others."""
        if len(self.starts) == 1:
            return [self]
        return [self._part(start, end) for start, end in self.bounds]

    def _part(self, start: int, end: int) -> Around:
        words = self.words[(start <= self.words) & (self.words < end)] - start
        return Around(self.early[start:end].copy(), self.late[start:end].copy(), words, np.zeros(1, np.intp))


class Network:
    """All layers; trusts its arrays, which `parsing` has checked."""

    def __init__(self, arrays: Mapping[str, Array], inventory: Inventory, shape: Shape) -> None:
        self._inventory = inventory
        self._shape = shape
        self._forms = arrays["forms.weight"]
        self._ngrams = arrays["ngrams.weight"]
        self._values = arrays.get("values.weight")
        self._spelling = [_Recurrent(arrays, name) for name in ("spelling_forward", "spelling_backward")]
        self._letters = [layer.projected(arrays["characters.weight"]) for layer in self._spelling]
        self._causal = [_Recurrent(arrays, name) for name in ("causal_first", "causal_second")]
        first, second = self._causal
        self._next_layers = first.states.layer, second.projected.layer, second.states.layer
        self._backward_first = _Recurrent(arrays, "backward_first")
        self._second = [_SecondRecurrent(arrays, name) for name in ("forward_second", "backward_second")]
        self._early_tagger, self._tagger = _Tagger(arrays, "early_tags"), _Tagger(arrays, "tags")
        self._arc_head, self._arc_child = _linear(arrays, "arc_head"), _linear(arrays, "arc_child")
        self._arc = _Products(*in_eight_bits(arrays["arc"]))
        self._label_head, self._label_child = _linear(arrays, "label_head"), _linear(arrays, "label_child")
        self._label = _linear(arrays, "label")
        self._roles = [
            _Products(*in_eight_bits(part)) for part in np.split(arrays["roles.weight"], len(ROLES))
        ]
        self._role_weights = np.array([part.weight for part in self._roles])
        self._role_scales = np.array([part.scale for part in self._roles])
        self._steps_bias, self._steps = arrays["steps_bias"], _linear(arrays, "steps")
        self.missing_roles = self.roles(arrays["missing"])
        self._special_tops = arrays["special"][:, -shape.state :]
        self._special_foreseen = self._foreseen(arrays["special"])
        self._tails = {is_open: self._tail(is_open) for is_open in (False, True)}
        self._form_vectors: dict[str, Array] = {}
        self._form_gates: dict[str, Array] = {}

    def word_vectors(self, forms: Sequence[str], values: Sequence[Sequence[int]] | None = None) -> Array:
        """[word, input]; `values` are numbers of the gold values of each word, if the model takes them."""
        vectors = np.array([self._form_vector(form) for form in forms], np.float32)
        vectors = vectors.reshape(len(forms), self._shape.word(with_values=False))
        if self._values is None:
            return vectors
        told = [self._values[[*numbers]].sum(0) for numbers in values or [()] * len(forms)]
        return np.concatenate([vectors, np.array(told, np.float32).reshape(len(forms), -1)], axis=1)

    def _form_vector(self, form: str) -> Array:
        vector = self._form_vectors.get(form)
        if vector is None:
            vector = self._new_form_vector(form)
            if len(form) <= LONGEST_SPELLING:
                if len(self._form_vectors) >= FORMS_KEPT:
                    self._form_vectors.clear()
                self._form_vectors[form] = vector
        return vector

    def _new_form_vector(self, form: str) -> Array:
        code = self._inventory.code(form)
        spellings = ([*code.characters], [*code.characters[::-1]])
        ends = [
            layer.run(letters[spelling], [len(spelling)])[0][-1]
            for layer, letters, spelling in zip(self._spelling, self._letters, spellings, strict=True)
        ]
        return np.concatenate([self._forms[code.form], self._ngrams[[*code.ngrams]].mean(0), *ends])

    def causal_states(
        self, vectors: Array, lengths: Sequence[int], before: CausalStates | None = None
    ) -> CausalStates:
        """The states of the words of sentences in a row; or of more words after those that came before."""
        if len(vectors) == 1:
            return self.next_states(self._causal[0].projected(vectors), before)
        inputs, hs, cs = vectors, [], []
        for number, layer in enumerate(self._causal):
            start = None if before is None else [(before.h[-1, number], before.c[-1, number])]
            h, c = layer.run(layer.projected(inputs), lengths, start)
            hs.append(h)
            cs.append(c)
            inputs = h
        return CausalStates(np.stack(hs, axis=1), np.stack(cs, axis=1))

    def known_gates(self, form: str) -> Array | None:
        """What `gates` gave for a form, if that is still known."""
        return self._form_gates.get(form)

    def gates(self, form: str, vectors: Array) -> Array:
        """[0, gate]: what the word with this form and vector adds to the first causal layer."""
        gates = self._causal[0].projected(vectors)
        if self._values is None and len(form) <= LONGEST_SPELLING:
            if len(self._form_gates) >= GATES_KEPT:
                self._form_gates.clear()
            self._form_gates[form] = gates
        return gates

    def next_states(self, gates: Array, before: CausalStates | None) -> CausalStates:
        """The states after one more word."""
        if before is None:
            h, c = np.zeros((2, 1, len(self._causal), self._shape.state), np.float32)
        else:
            h, c = before.h[-1:].copy(), before.c[-1:].copy()
        kernels.take_word(gates, *self._next_layers, h, c)
        return CausalStates(h, c)

    def early_tags(self, causal: CausalStates) -> tuple[Rows, Rows]:
        """The numbers of the likeliest tags and features, from what stands before."""
        return self._early_tagger.best(causal.top)

    def foreseen(self, vectors: Array, tops: Array) -> Foreseen:
        """What words alone add to the layers that look around."""
        return self._foreseen(np.concatenate([vectors, tops], axis=1))

    def _foreseen(self, nodes: Array) -> Foreseen:
        tops = nodes[:, -self._shape.state :]
        return Foreseen(
            self._backward_first.projected(nodes), *(layer.projected(tops) for layer in self._second)
        )

    def around(
        self, tops: Array, foreseen: Foreseen, lengths: Sequence[int], are_open: Sequence[bool]
    ) -> Around:
        """The states of all nodes of sentences in a row, each with its root, words and tail."""
        tails = [self._tails[is_open] for is_open in are_open]
        rows, before = self._rows(lengths), [1 + length for length in lengths]  # the root and words
        special = (self._special_tops, *self._special_foreseen)
        tops, first, forward, backward = (
            np.concatenate(both)[rows] for both in zip(special, (tops, *foreseen), strict=True)
        )
        right_to_left = self._backward_first.run_back(first, before, [tail.first for tail in tails])[0]
        forward = forward + self._second[0].projected_rest(right_to_left)
        backward = backward + self._second[1].projected_rest(right_to_left)
        from_right = self._second[1].run_back(backward, before, [tail.second for tail in tails])[0]
        early = np.concatenate([tops, right_to_left], axis=1)
        nodes = [length + len(tail.early) for length, tail in zip(before, tails, strict=True)]
        forward = _with_tails(forward, before, [tail.forward for tail in tails])
        from_left = self._second[0].run(forward, nodes)[0]
        from_right = _with_tails(from_right, before, [tail.from_right for tail in tails])
        starts = [*accumulate(nodes[:-1], initial=0)]
        words = [np.arange(start + 1, start + n) for start, n in zip(starts, before, strict=True)]
        return Around(
            _with_tails(early, before, [tail.early for tail in tails]),
            np.concatenate([from_left, from_right], axis=1),
            np.concatenate(words),
            np.array(starts),
        )

    def _rows(self, lengths: Sequence[int]) -> Rows:
        """The rows of the roots and words of sequences, where special nodes stand before words."""
        rows: list[int] = []
        for start, length in zip(accumulate(lengths, initial=len(self._special_tops)), lengths, strict=False):
            rows += [SPECIAL.index("root"), *range(start, start + length)]
        return np.array(rows)

    def _tail(self, is_open: bool) -> _Tail:
        virtual = range(len(SPECIAL), len(self._special_tops))
        names = [*virtual, SPECIAL.index("later"), SPECIAL.index("unused")]
        rows = names if is_open else [SPECIAL.index("end")]
        first, forward, backward = (part[rows] for part in self._special_foreseen)
        right_to_left, first_cells = self._backward_first.run_back(first, [len(rows)])
        forward = forward + self._second[0].projected_rest(right_to_left)
        backward = backward + self._second[1].projected_rest(right_to_left)
        from_right, second_cells = self._second[1].run_back(backward, [len(rows)])
        return _Tail(
            np.concatenate([self._special_tops[rows], right_to_left], axis=1),
            forward,
            from_right,
            (right_to_left[0], first_cells[0]),
            (from_right[0], second_cells[0]),
        )

    def tags(self, around: Around) -> tuple[Rows, Rows]:
        """The numbers of the likeliest tags and features of the words, from both sides."""
        return self._tagger.best(around.early[around.words])

    def arcs(self, around: Around) -> list[Array]:
        """[head, child] over the nodes of each sequence."""
        heads = self._arc(_rectified(self._arc_head(around.late)))
        children = _rectified(self._arc_child(around.late))
        return [
            heads[start:end, :-1] @ children[start:end].T + heads[start:end, -1:]
            for start, end in around.bounds
        ]

    def labels(self, around: Around, heads: Rows, children: Rows) -> Array:
        """[arc, label]"""
        head, child = self._label_head(around.late)[heads], self._label_child(around.late)[children]
        return self._label(_rectified(head + child + head * child))

    def roles(self, top: Array) -> Array:
        """[word, role, hidden]: what each word adds to the next step in each role."""
        return np.stack([part(top) for part in self._roles], axis=1)

    def step_scores(self, chosen: Array) -> Array:
        """The score of every class of step, given [role, hidden] of the words in the roles."""
        scores: Array = kernels.step_scores(chosen, self._steps_bias, self._steps.layer)
        return scores

    def best_step(
        self, parts: Sequence[Array], tops: Sequence[Array], missing: int, barred: Array
    ) -> tuple[int, Array]:
        """The best class of step that is not barred, and all scores, given parts[role][hidden].

        Those whose bit in `missing` is set are made in place, of the states tops[role][unit].
        """
        weights = self._role_weights, self._role_scales, self._steps_bias, self._steps.layer
        best: tuple[int, Array] = kernels.best_step(tuple(parts), tuple(tops), missing, *weights, barred)
        return best


class _Products:
    """Products of inputs with a matrix [output, input] in eight bits, with the scale of each output."""

    def __init__(self, eight_bits: EightBits, scale: Array, bias: Array | None = None) -> None:
        wide = len(eight_bits)
        empty = (0, -wide % kernels.PANEL)  # what fills the last panel
        filled = np.pad(eight_bits, (empty, (0, eight_bits.shape[1] % kernels.PAIR)))
        panels = filled.reshape(-1, kernels.PANEL, filled.shape[1] // kernels.PAIR, kernels.PAIR)
        weight = panels.transpose(0, 2, 1, 3).reshape(len(panels), -1, kernels.PAIR * kernels.PANEL)
        bias = np.zeros(wide, np.float32) if bias is None else bias
        self.weight, self.scale, self._wide = weight, np.pad(scale.ravel(), empty), wide
        self.layer: kernels.Layer = self.weight, self.scale, np.pad(bias, empty), wide

    def __call__(self, inputs: Array) -> Array:
        outputs: Array = kernels.outputs_of(self.layer, np.ascontiguousarray(inputs))
        return outputs[:, : self._wide]


def _linear(arrays: Mapping[str, Array], name: str) -> _Products:
    return _Products(*in_eight_bits(arrays[f"{name}.weight"]), arrays[f"{name}.bias"])


class _Recurrent:
    """A layer of long short-term memory; gates come in the order input, forget, cell, output."""

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        weight, scale = in_eight_bits(arrays[f"{name}.weight_ih_l0"])
        bias = arrays[f"{name}.bias_ih_l0"] + arrays[f"{name}.bias_hh_l0"]
        self.projected = self._products(weight, scale, bias)  # [time, gate]: what inputs add to the gates
        self.states = _Products(*in_eight_bits(arrays[f"{name}.weight_hh_l0"]))  # what states add
        self._units = arrays[f"{name}.weight_hh_l0"].shape[1]

    def _products(self, weight: EightBits, scale: Array, bias: Array) -> _Products:
        return _Products(weight, scale, bias)

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
        outputs = np.empty((len(projected), self._units), np.float32)
        cells = np.empty_like(outputs)
        times = np.array(lengths, np.intp)
        order = np.argsort(-times, kind="stable")
        states = np.zeros((2, len(lengths), self._units), np.float32)
        if starts is not None:
            for state, place in zip(states.swapaxes(0, 1), order, strict=True):
                state[:] = starts[place]
        gates = np.ascontiguousarray(projected)
        weight, scale, (h, c) = self.states.weight, self.states.scale, states
        kernels.run_recurrent(
            gates, firsts[order], times[order], towards, weight, scale, h, c, outputs, cells
        )
        return outputs, cells


class _SecondRecurrent(_Recurrent):
    """One whose inputs come in two halves, of which the second one is known later."""

    def _products(self, weight: EightBits, scale: Array, bias: Array) -> _Products:
        half = weight.shape[1] // 2
        self.projected_rest = _Products(weight[:, half:], scale)
        return _Products(weight[:, :half], scale, bias)


def _with_tails(rows: Array, lengths: Sequence[int], tails: Sequence[Array]) -> Array:
    """Rows of sequences, after each of which comes its tail."""
    bounds = pairwise(accumulate(lengths, initial=0))
    parts = [(rows[start:end], tail) for (start, end), tail in zip(bounds, tails, strict=True)]
    return np.concatenate([*chain(*parts)])


class _Tagger:
    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        parts = ("hidden", "tags", "features")
        self._layers = [_linear(arrays, f"{name}.{part}").layer for part in parts]

    def best(self, states: Array) -> tuple[Rows, Rows]:
        best: tuple[Rows, Rows] = kernels.best_tags(*self._layers, np.ascontiguousarray(states))
        return best


def _rectified(values: Array) -> Array:
    rectified: Array = np.maximum(values, values * np.float32(SLOPE))
    return rectified
