"""Sequences of tags under a linear model: scores of features, best sequences, sums, and learning of weights.

A *state* is the tag of a word, at order 2 the tags of the word before and of the word as one number. `steps`
is [word, state before, state]. Before the sentence all tags are the first one.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from treewhile.oracles.compilation import helper, kernel

NOWHERE = -1

# Multiplier and shift by which features are hashed, in whole numbers of 64 bits.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(29)


def keys_in_whole_arrays(around, kinds, offsets, seeds, keys):
    """Compute the same as `join_atoms`, without a warning for each number that overflows."""
    places = np.arange(len(keys))[:, None, None] + offsets
    fields = around[places, kinds]
    keys[:] = seeds
    for number in range(fields.shape[2]):
        keys ^= keys >> HALF
        keys *= FACTOR
        keys += fields[:, :, number]
    keys *= FACTOR
    keys[(fields == 0).any(axis=2)] = 0


@partial(kernel, plain=keys_in_whole_arrays)
def join_atoms(around, kinds, offsets, seeds, keys):
    """Fill keys[word, template] from around[word + offset, kind], by [template, field]; 0 if an atom is 0."""
    for i in range(keys.shape[0]):
        for t in range(keys.shape[1]):
            key, has_all = seeds[t], True
            for field in range(kinds.shape[1]):
                atom = around[i + offsets[t, field], kinds[t, field]]
                key ^= key >> HALF
                key = key * FACTOR + atom
                has_all &= atom != 0
            keys[i, t] = key * FACTOR if has_all else 0


@kernel
def fill_slots(keys, slots, shift):
    """Give each key a slot: the one named by its upper bits, or the next that is free."""
    for number in range(len(keys)):
        slot = np.int64(keys[number] >> shift)
        while slots[slot] != NOWHERE:
            slot = (slot + 1) % len(slots)
        slots[slot] = number


@helper
def number_of(key, keys, slots, shift):
    slot = np.int64(key >> shift)
    while slots[slot] != NOWHERE and keys[slots[slot]] != key:
        slot = (slot + 1) % len(slots)
    return slots[slot]


@kernel
def add_features(wanted, keys, slots, shift, starts, columns, weights, scores):
    """Add to scores[word, column] the weights of all features of a word; a key of 0 is none."""
    for i in range(len(wanted)):
        for t in range(wanted.shape[1]):
            if wanted[i, t] == 0:
                continue
            number = number_of(wanted[i, t], keys, slots, shift)
            if number != NOWHERE:
                for entry in range(starts[number], starts[number + 1]):
                    scores[i, columns[entry]] += weights[entry]


@kernel
def fill_steps(scores, transitions, tags, fixed, steps):
    """Fill the steps from scores by word and transitions.

    Scores are [word, tag], behind those perhaps [word, tag before and tag]. `fixed` has the required tag of a
    word, or -1. Transitions are [state before, state].
    """
    is_conditioned = scores.shape[1] > tags
    states = steps.shape[1]
    alone = np.empty(states)
    for i in range(len(scores)):
        for state in range(states):
            is_allowed = fixed[i] in (NOWHERE, state % tags)
            alone[state] = scores[i, state % tags] if is_allowed else -np.inf
        for before in range(states):
            for state in range(states):
                steps[i, before, state] = transitions[before, state] + alone[state]
            if is_conditioned:
                conditions = tags + (before % tags) * tags
                for state in range(states):
                    steps[i, before, state] += scores[i, conditions + state % tags]


@kernel
def best_states(steps):
    """Return the best sequence of states; of equal ones, that whose last states have the lowest numbers."""
    n, states, _ = steps.shape
    values = np.full((n, states), -np.inf)
    values[0] = steps[0, 0]
    for i in range(1, n):
        for before in range(states):
            for state in range(states):
                way = values[i - 1, before] + steps[i, before, state]
                values[i, state] = max(values[i, state], way)
    path = np.zeros(n, np.int32)
    path[n - 1] = np.argmax(values[n - 1])
    for i in range(n - 1, 0, -1):
        path[i - 1] = np.argmax(values[i - 1] + steps[i, :, path[i]])
    return path


@helper
def log_sum(one, other):
    """Return the logarithm of the sum of two exponentials."""
    if one < other:
        one, other = other, one
    return one if other == -np.inf else one + np.log1p(np.exp(other - one))


@kernel
def state_sums(steps):
    """Return for each word and state the logarithm of the sum over all sequences with that state there."""
    n, states, _ = steps.shape
    forward, backward = np.full((n, states), -np.inf), np.full((n, states), -np.inf)
    forward[0], backward[n - 1] = steps[0, 0], 0.0
    for i in range(1, n):
        for before in range(states):
            for state in range(states):
                way = forward[i - 1, before] + steps[i, before, state]
                forward[i, state] = log_sum(forward[i, state], way)
    for i in range(n - 2, -1, -1):
        for state in range(states):
            for behind in range(states):
                way = steps[i + 1, state, behind] + backward[i + 1, behind]
                backward[i, state] = log_sum(backward[i, state], way)
    return forward + backward


# --- learning -----------------------------------------------------------------------------------------------


@helper
def add_to_step(i, before, tag, tags, size, features, weights, sums, pairs, pair_sums, clock):
    """Add `size` to the weights of a word's features with a tag after a state."""
    is_conditioned = weights.shape[1] > tags
    conditioned = tags + (before % tags) * tags + tag
    for t in range(features.shape[1]):
        feature = features[i, t]
        if feature != NOWHERE:
            weights[feature, tag] += size
            sums[feature, tag] += size * clock
            if is_conditioned:
                weights[feature, conditioned] += size
                sums[feature, conditioned] += size * clock
    for group in range(pairs.shape[0]):
        place = before if group == 0 else before % tags if group == 1 else before // tags
        pairs[group, place, tag] += size
        pair_sums[group, place, tag] += size * clock


@helper
def state_after(before, tag, tags, states):
    return tag if states == tags else (before % tags) * tags + tag


@kernel
def learn(order, starts, features, gold, fixed, tags, weights, sums, pairs, pair_sums, clock):
    """Run one epoch of the perceptron over the sentences in order; return the number of wrong tags.

    features[word, template] of all sentences, the sentence s from starts[s] to starts[s + 1]; gold[word] and
    fixed[word] are tags. weights[feature, column] and pairs[group, state or tag before, tag] are the current
    weights, `sums` and `pair_sums` the sums from which averages are computed.
    """
    states, mistakes = pairs.shape[1], 0
    for turn in range(len(order)):
        first, behind = starts[order[turn]], starts[order[turn] + 1]
        scores = np.zeros((behind - first, weights.shape[1]))
        for i in range(first, behind):
            for t in range(features.shape[1]):
                if features[i, t] != NOWHERE:
                    scores[i - first] += weights[features[i, t]]
        steps = np.empty((behind - first, states, states))
        fill_steps(scores, transitions_of(pairs, tags), tags, fixed[first:behind], steps)
        path = best_states(steps)
        guessed_before, gold_before = 0, 0
        for i in range(first, behind):
            guess, truth = path[i - first] % tags, gold[i]
            mistakes += guess != truth
            if guess != truth or guessed_before != gold_before:
                now = clock + turn
                add_to_step(i, gold_before, truth, tags, 1, features, weights, sums, pairs, pair_sums, now)
                add_to_step(
                    i, guessed_before, guess, tags, -1, features, weights, sums, pairs, pair_sums, now
                )
            guessed_before = state_after(guessed_before, guess, tags, states)
            gold_before = state_after(gold_before, truth, tags, states)
    return mistakes


@kernel
def transitions_of(pairs, tags):
    """Return transitions[state before, state] by group: the whole state, its last tag, the one before.

    An impossible transition, whose two states have different tags in common, is -inf.
    """
    states = pairs.shape[1]
    transitions = np.full((states, states), -np.inf)
    for before in range(states):
        for tag in range(tags):
            value = 0.0
            for group in range(pairs.shape[0]):
                place = before if group == 0 else before % tags if group == 1 else before // tags
                value += pairs[group, place, tag]
            transitions[before, state_after(before, tag, tags, states)] = value
    return transitions
