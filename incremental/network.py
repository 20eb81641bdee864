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
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from treewhile.incremental import kernels
from treewhile.incremental.inventories import LONGEST_SPELLING, Inventory
from treewhile.incremental.model_files import in_eight_bits
from treewhile.incremental.network_shapes import ROLES, SLOPE, SPECIAL, Shape

Array = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]

# Vectors of so many forms are kept, some 27 MB, but not those of forms that are longer than words are.
FORMS_KEPT = 1 << 14


class CausalStates(NamedTuple):
    """What is known of words from what stands before them: `h` and `c` are [word, layer, unit]."""

    h: Array
    c: Array

    @property
    def top(self) -> Array:
        """[word, unit]: what tags, transitions and the rest of the network read."""
        return self.h[:, 1]


class Around(NamedTuple):
    """What is known from both sides of the nodes of some sequences, one after the other."""

    early: Array  # [node, 2 * unit], what tags are read off
    late: Array  # [node, 2 * unit], what arcs and labels are read off
    words: Rows  # where the words are among the nodes
    starts: Rows  # where the sequences start


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
        self._backward_first = _Recurrent(arrays, "backward_first")
        self._second = [_Recurrent(arrays, name) for name in ("forward_second", "backward_second")]
        self._early_tagger, self._tagger = _Tagger(arrays, "early_tags"), _Tagger(arrays, "tags")
        self._arc_head, self._arc_child = _Linear(arrays, "arc_head"), _Linear(arrays, "arc_child")
        self._arc = arrays["arc"]
        self._label_head, self._label_child = _Linear(arrays, "label_head"), _Linear(arrays, "label_child")
        self._label = _Linear(arrays, "label")
        self._roles = np.ascontiguousarray(arrays["roles.weight"].T)
        self._steps_bias, self._steps = arrays["steps_bias"], _Linear(arrays, "steps")
        self.missing_roles = self.roles(arrays["missing"])
        self._special_tops = arrays["special"][:, -shape.state :]
        self._special_foreseen = self._foreseen(arrays["special"])
        self._form_vectors: dict[str, Array] = {}

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
        inputs, hs, cs = vectors, [], []
        for number, layer in enumerate(self._causal):
            start = None if before is None else (before.h[-1, number], before.c[-1, number])
            h, c = layer.run(layer.projected(inputs), lengths, start)
            hs.append(h)
            cs.append(c)
            inputs = h
        return CausalStates(np.stack(hs, axis=1), np.stack(cs, axis=1))

    def early_tags(self, causal: CausalStates) -> tuple[Rows, Rows]:
        """The numbers of the likeliest tags and features, from what stands before."""
        return self._early_tagger.best(causal.top)

    def foreseen(self, vectors: Array, causal: CausalStates) -> Array:
        """[word, gate]: what words alone add to the layers that look around, kept as long as they are."""
        return self._foreseen(np.concatenate([vectors, causal.top], axis=1))

    def _foreseen(self, nodes: Array) -> Array:
        first = self._backward_first.projected(nodes)
        second = [layer.projected(nodes[:, -self._shape.state :], part=0) for layer in self._second]
        return np.concatenate([first, *second], axis=1)

    def around(self, causal: CausalStates, foreseen: Array, lengths: Sequence[int], is_open: bool) -> Around:
        """The states of all nodes of sentences in a row, each with its root, words and tail."""
        rows, nodes = self._rows(lengths, is_open)
        known = np.concatenate([self._special_foreseen, foreseen])[rows]
        tops = np.concatenate([self._special_tops, causal.top])[rows]
        first, forward, backward = np.split(known, 3, axis=1)
        right_to_left = self._backward_first.run_back(first, nodes)
        forward = forward + self._second[0].projected(right_to_left, part=1)
        backward = backward + self._second[1].projected(right_to_left, part=1)
        late = [self._second[0].run(forward, nodes)[0], self._second[1].run_back(backward, nodes)]
        words = np.flatnonzero(rows >= len(self._special_tops))
        early = np.concatenate([tops, right_to_left], axis=1)
        return Around(early, np.concatenate(late, axis=1), words, np.cumsum([0, *nodes[:-1]]))

    def _rows(self, lengths: Sequence[int], is_open: bool) -> tuple[Rows, list[int]]:
        """The rows of all nodes, special ones before words; and how many nodes each sequence has."""
        special = len(self._special_tops)
        root, ends = [SPECIAL.index("root")], [SPECIAL.index("end")]
        if is_open:
            ends = [*range(len(SPECIAL), special), SPECIAL.index("later"), SPECIAL.index("unused")]
        rows: list[int] = []
        for end, length in zip(accumulate(lengths, initial=special), lengths, strict=False):
            rows += [*root, *range(end, end + length), *ends]
        return np.array(rows), [1 + length + len(ends) for length in lengths]

    def tags(self, around: Around) -> tuple[Rows, Rows]:
        """The numbers of the likeliest tags and features of the words, from both sides."""
        return self._tagger.best(around.early[around.words])

    def arcs(self, around: Around) -> list[Array]:
        """[head, child] over the nodes of each sequence."""
        heads = _rectified(self._arc_head(around.late))
        children = _rectified(self._arc_child(around.late)) @ self._arc[:-1] + self._arc[-1]
        pairs = zip(*(np.split(part, around.starts[1:]) for part in (heads, children)), strict=True)
        return [head @ child.T for head, child in pairs]

    def labels(self, around: Around, heads: Rows, children: Rows) -> Array:
        """[arc, label]"""
        head, child = self._label_head(around.late)[heads], self._label_child(around.late)[children]
        return self._label(_rectified(head + child + head * child))

    def roles(self, top: Array) -> Array:
        """[word, role, hidden]: what each word adds to the next step in each role."""
        return (top @ self._roles).reshape(len(top), len(ROLES), -1)

    def step_scores(self, chosen: Array) -> Array:
        """The score of every class of step, given [role, hidden] of the words in the roles."""
        scores: Array = self._steps(_rectified(chosen.sum(0) + self._steps_bias)[None])[0]
        return scores


class _Linear:
    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        self._weight = np.ascontiguousarray(arrays[f"{name}.weight"].T)
        self._bias = arrays[f"{name}.bias"]

    def __call__(self, inputs: Array) -> Array:
        return inputs @ self._weight + self._bias


class _Recurrent:
    """A layer of long short-term memory; gates come in the order input, forget, cell, output."""

    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        self._input = np.ascontiguousarray(arrays[f"{name}.weight_ih_l0"].T)
        weight, scale = in_eight_bits(arrays[f"{name}.weight_hh_l0"])
        self._state, self._scale = np.ascontiguousarray(weight.T), scale.ravel()
        self._bias = arrays[f"{name}.bias_ih_l0"] + arrays[f"{name}.bias_hh_l0"]
        self._zero = np.zeros(len(self._state), np.float32)

    def projected(self, inputs: Array, part: int | None = None) -> Array:
        """[time, gate]: what inputs add to the gates; they may be the first or the second half of them."""
        if part is None:
            return inputs @ self._input + self._bias
        half = inputs.shape[1]
        gates: Array = inputs @ self._input[part * half : (part + 1) * half]
        return gates + self._bias if part == 0 else gates

    def run(
        self, projected: Array, lengths: Sequence[int], start: tuple[Array, Array] | None = None
    ) -> tuple[Array, Array]:
        """The outputs and the cells after every input, [time, unit] both, of sequences in a row."""
        outputs = np.empty((len(projected), len(self._zero)), np.float32)
        cells = np.empty_like(outputs)
        gates, times = np.ascontiguousarray(projected), np.array(lengths, np.int64)
        h, c = start or (self._zero, self._zero)
        kernels.run_recurrent(gates, times, self._state, self._scale, h, c, outputs, cells)
        return outputs, cells

    def run_back(self, projected: Array, lengths: Sequence[int]) -> Array:
        """The outputs where every sequence is gone through from its end."""
        return self.run(projected[::-1], lengths[::-1])[0][::-1]


class _Tagger:
    def __init__(self, arrays: Mapping[str, Array], name: str) -> None:
        parts = ("hidden", "tags", "features")
        self._hidden, self._tags, self._features = (_Linear(arrays, f"{name}.{part}") for part in parts)

    def best(self, states: Array) -> tuple[Rows, Rows]:
        hidden = _rectified(self._hidden(states))
        return self._tags(hidden).argmax(1), self._features(hidden).argmax(1)


def _rectified(values: Array) -> Array:
    rectified: Array = np.maximum(values, values * np.float32(SLOPE))
    return rectified
