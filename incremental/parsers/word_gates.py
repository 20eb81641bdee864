"""Layers from forms to the gates of both first layers, by n-grams, spelling and gold values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Final

import numpy as np

from treewhile.incremental.parsers.inventories import LONGEST_SPELLING, Inventory
from treewhile.incremental.parsers.kernels.forms import gates_of_form
from treewhile.incremental.parsers.kernels.products import Layer
from treewhile.incremental.parsers.layers import GATES, Array, Recurrent
from treewhile.incremental.parsers.network_shapes import Shape

FROM_LEFT, FROM_RIGHT = range(2)  # first layers, from either end of a sentence
FORMS_KEPT: Final = (
    1 << 12
)  # number of forms whose gates are cached, some 33 MB; longer words than usual are not


class WordGates:
    """Contributions of words alone to the gates, cached for every form; `width` is the number of gates."""

    def __init__(
        self,
        arrays: Mapping[str, Array],
        inventory: Inventory,
        shape: Shape,
        first_layers: Sequence[Recurrent],
    ) -> None:
        self._inventory = inventory
        self._forms, self._ngrams = arrays["forms.weight"], arrays["ngrams.weight"]
        self._values = arrays.get("values.weight")
        self._characters = arrays["characters.weight"]
        self._spelling = [Recurrent(arrays, name) for name in ("spelling_forward", "spelling_backward")]
        form, word = (shape.word(with_values) for with_values in (False, self._values is not None))
        self._form_width = form
        self._products = [layer.of_first_inputs(form) for layer in first_layers]
        self._of_forms = tuple(products.layer for products in self._products)
        self._of_values = [layer.of_inputs(form, word) for layer in first_layers if word > form]
        self.width = GATES * shape.state
        self._kept: dict[str, tuple[Array, ...]] = {}

    @cached_property
    def _spelled(self) -> tuple[tuple[Array, Layer], ...]:
        """Contributions of characters to the gates of a spelling from either end, and the state layers."""
        return tuple((layer.projected(self._characters), layer.states.layer) for layer in self._spelling)

    def knows(self, form: str) -> bool:
        return form in self._kept

    def __len__(self) -> int:
        """Return the number of cached forms."""
        return len(self._kept)

    def gates(self, forms: Sequence[str], layer: int, values: Sequence[Sequence[int]] | None = None) -> Array:
        """Return [word, gate]: contributions of words alone to the first layer from the left or right.

        `values` are numbers of the gold values of each word, if the model takes them.
        """
        gates = np.array([(self._kept.get(form) or self._new_gates(form))[layer] for form in forms])
        table = self._values
        if table is None:
            return gates
        told = [table[[*numbers]].sum(0) for numbers in values or [()] * len(forms)]
        return gates + self._of_values[layer](np.array(told, np.float32))

    def gates_of_word(self, form: str, layer: int) -> Array:
        """Return [1, gate] of one word without gold values, read-only."""
        return (self._kept.get(form) or self._new_gates(form))[layer][None]

    def of_vectors(self, vectors: Array, layer: int) -> Array:
        """Return [node, gate]: contributions of nodes that are not words, given their vectors."""
        gates = self._products[layer](vectors[:, : self._form_width])
        return gates + self._of_values[layer](vectors[:, self._form_width :]) if self._of_values else gates

    def _new_gates(self, form: str) -> tuple[Array, ...]:
        """Return the gates of a form by layer, and cache them if its length is usual."""
        gates = tuple(self._computed(form))
        if len(form) <= LONGEST_SPELLING:
            if len(self._kept) >= FORMS_KEPT:
                self._forget_oldest()
            self._kept[form] = gates
        return gates

    def _forget_oldest(self) -> None:
        """Make room for a form; another thread may do so at the same time."""
        with suppress(RuntimeError, StopIteration):
            self._kept.pop(next(iter(self._kept)), None)

    def _computed(self, form: str) -> Array:
        """Return [layer, gate] of a form."""
        form_number, characters, ngrams = self._inventory.code(form)
        numbers = np.array(ngrams, np.intp), np.array(characters, np.intp)
        gates = np.empty((len(self._of_forms), self.width), np.float32)
        vector, rows = self._forms[form_number], self._ngrams
        gates_of_form(vector, rows, *numbers, self._spelled, self._of_forms, gates)
        return gates
