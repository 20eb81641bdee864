"""Features that go with the tags of words: only pairs that were seen together in training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from treewhile.incremental.parsers.inventories import Inventory
from treewhile.incremental.parsers.label_decoding import Tags
from treewhile.incremental.parsers.layers import Array


class SeenFeatures:
    """Pairs of a tag and features; all of them for a model that does not say which were seen."""

    def __init__(self, inventory: Inventory) -> None:
        numbers = inventory.tag_numbers
        columns = [[numbers[tag] for tag in tags.split()] for tags in inventory.tags_of_features]
        self._are_seen = np.full((len(inventory.tags), len(inventory.features)), not columns)
        for number, tags in enumerate(columns):
            self._are_seen[tags, number] = True
        self._are_seen[~self._are_seen.any(1)] = True

    def fitting(self, tags: Tags, scores: Callable[[], Array]) -> Tags:
        """Return tags of words with their features, or with the best ones by scores[word, features] that fit.

        The scores are asked for only if some features do not fit.
        """
        of_words, features = tags
        others = np.flatnonzero(~self._are_seen[of_words, features])
        if len(others):
            features = features.copy()
            of_others = np.where(self._are_seen[of_words[others]], scores()[others], -np.inf)
            features[others] = of_others.argmax(1)
        return of_words, features
