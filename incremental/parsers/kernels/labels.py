"""Labels of a tree that break the fewest rules: the recurrence stands in `label_decoding`."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from treewhile.incremental.parsers.kernels.compiled import kernel
from treewhile.incremental.parsers.kernels.rows import place_of_best
from treewhile.oracles.compilation import helper

COST = 1e6  # of a broken rule: more than the labels of a sentence can differ in probability


class OfLabel(IntEnum):
    """Columns of the table of labels; rank 0 bars no children. The last four are for kinds of nodes."""

    GROUP = 0
    GOES_RIGHT = 1
    GOES_WITH = 2
    RANK = 3
    RANK_OF_POSSESSIVE = 4
    RANK_OF_NOMINAL = 5
    RANK_OF_POSSESSIVE_NOMINAL = 6


# Bits of the kind of a tag and of a feature column; a node has the bits that are in both.
IS_POSSESSIVE, IS_NOMINAL, NEGATES, IS_TYPO, IS_PART = 1, 2, 4, 8, 16

# Columns of the table of nodes.
TAG, OUTER_TAG, KIND, CAN_GO_WITH, COLUMNS = range(5)

# Bits of what a head has after a child, by the group of the child's label.
SUBJECT, OBJECT, SIGN = 1, 2, 4
GROUPS = (0, SUBJECT | SIGN, OBJECT, SIGN)
STATES = 8


@kernel
def likeliest_labels(logs, words, tree, tags, features, rules):
    """Return the likeliest label of each node by itself, and whether they break a rule, or may.

    logs[node, label] are log-probabilities, or -inf, and tree[node] the heads, with 0 for the root; tags and
    features are of words alone. `rules` are the arrays of `LabelRules`.
    """
    labels = np.empty(tree.size, np.intp)
    for node in range(tree.size):
        labels[node] = place_of_best(logs[node], logs.shape[1])
    if len(rules[0]) == 0:
        return labels, False
    about = kinds_of_nodes(words, tree, tags, features, rules)
    return labels, breaks_any(labels, words, tree, about, rules)


@kernel
def decode_labels(logs, words, tree, tags, features, rules, tag_logs):
    """Return the labels that break the fewest rules, the most probable ones among these, and tags.

    If tag_logs[word, tag] has rows, the tags of words are first chosen together with labels.
    """
    chosen, labels = tags.copy(), np.zeros(tree.size, np.intp)
    costs = np.empty((tree.size, logs.shape[1]))
    of_tags = np.empty((words, logs.shape[1]), np.intp)
    if len(tag_logs) > 0:
        about = kinds_of_nodes(words, tree, tags, features, rules)
        write_costs(costs, words, tree, about, rules)
        for word in range(words):
            if about[word, TAG] == about[word, OUTER_TAG]:
                choose_tags(tag_logs[word], rules[0], costs[word], of_tags[word], tags[word])
            else:
                for label in range(logs.shape[1]):
                    of_tags[word, label] = tags[word]
        write_labels(logs, costs, tree, about, rules, labels)
        for word in range(words):
            chosen[word] = of_tags[word, labels[word]]
    about = kinds_of_nodes(words, tree, chosen, features, rules)
    write_costs(costs, words, tree, about, rules)
    write_labels(logs, costs, tree, about, rules, labels)
    return labels, chosen


@kernel
def choose_tags(logs, own, costs, chosen, tag):
    """Write the best tag of a word for each label, and add its cost in place of that of the tag."""
    for label in range(costs.size):
        best, least = tag, COST * own[tag, label]
        for other in range(logs.size):
            cost = COST * own[other, label] + logs[tag] - logs[other]
            if cost < least:
                best, least = other, cost
        chosen[label] = best
        costs[label] += least - COST * own[tag, label]


@kernel
def write_costs(costs, words, tree, about, rules):
    """Write the costs of rules that the labels of nodes break by themselves."""
    own, below, of_label = rules[0], rules[1], rules[3]
    for node in range(tree.size):
        head = tree[node] - 1
        for label in range(costs.shape[1]):
            broken = broken_alone(node, head, label, words, about, own, below, of_label)
            costs[node, label] = COST * broken


@kernel
def kinds_of_nodes(words, tree, tags, features, rules):
    """Return the table of nodes."""
    kind_of_tag, kind_of_features, outer_tags, stock = rules[4], rules[5], rules[6], rules[7]
    about = np.empty((tree.size, COLUMNS), np.intp)
    for node in range(tree.size):
        tag = tags[node] if node < words else stock[node - words]
        of_word = features[node] if node < words else outer_tags.size - 1
        outer = outer_tags[of_word]
        about[node, TAG], about[node, OUTER_TAG] = tag, tag if outer < 0 else outer
        about[node, KIND] = kind_of_tag[tag] & kind_of_features[of_word]
    for node in range(tree.size):
        head = tree[node] - 1
        can_go_with = 0 <= head < node and about[head, KIND] & IS_TYPO > 0
        part = node
        while can_go_with and part > head:
            can_go_with = tree[part] - 1 == head and about[part, KIND] & IS_PART > 0
            part -= 1
        about[node, CAN_GO_WITH] = 1 if can_go_with else 0
    return about


@helper
def broken_alone(node, head, label, words, about, own, below, of_label):
    """Return the number of rules that a label breaks, whatever the labels of other nodes."""
    goes_with = of_label[label, OfLabel.GOES_WITH]
    broken = np.intp(own[about[node, TAG if goes_with else OUTER_TAG], label])
    if 0 <= head < len(about):
        broken += below[about[head, OUTER_TAG], label]
    if of_label[label, OfLabel.GOES_RIGHT] and node < words and node < head:
        broken += 1
    if goes_with and not about[node, CAN_GO_WITH]:
        broken += 1
    return broken


@helper
def rank_of(kind, label, of_label):
    """Return the rank of a node with a label as head: the row of barred labels of its children."""
    return of_label[label, OfLabel.RANK + (kind & (IS_POSSESSIVE | IS_NOMINAL))]


@kernel
def breaks_any(labels, words, tree, about, rules):
    """Return whether labels break a rule, or may: obliques of nominals are not looked into."""
    own, below, barred, of_label, count = rules[0], rules[1], rules[2], rules[3], tree.size
    had = np.zeros(count, np.intp)
    for node in range(count):
        head, label = tree[node] - 1, labels[node]
        if head > count:
            continue
        if broken_alone(node, head, label, words, about, own, below, of_label) > 0:
            return True
        if 0 <= head < count:
            rank = rank_of(about[head, KIND], labels[head], of_label)
            added = GROUPS[of_label[label, OfLabel.GROUP]]
            if barred[1 if about[node, KIND] & NEGATES else 0, rank, label] or had[head] & added & (
                SUBJECT | OBJECT
            ):
                return True
            had[head] |= added
    return False


@kernel
def write_labels(logs, costs, tree, about, rules, labels):
    """Write the best labels, by a chart from the leaves up; those of unused nodes stay as they are."""
    barred, of_label = rules[2], rules[3]
    count, ranks, size = tree.size, barred.shape[1], logs.shape[1]
    sums = np.full((count, ranks, STATES), -np.inf)  # over children so far, by what the node has
    came_from = np.empty((count, ranks, STATES), np.intp)  # state before the child came, and its group
    chosen = np.zeros((count, ranks, len(GROUPS)), np.intp)  # label of a child
    last, before = np.full(count, -1, np.intp), np.full(count, -1, np.intp)  # children of a node in a chain
    ends = np.empty((count, ranks), np.intp)  # rank and state in which a node ends
    totals, values = np.empty(size), np.empty(ranks)
    order = from_leaves_up(tree)
    for node in range(count):
        for rank in range(ranks):
            sums[node, rank, 0] = 0
    for node in order:
        head = tree[node] - 1
        end_node(sums[node], ends[node], values)
        kind = about[node, KIND]
        for label in range(size):
            rank = rank_of(kind, label, of_label)
            totals[label] = logs[node, label] + values[rank] - costs[node, label]
        if 0 <= head < count:
            add_child(
                totals,
                barred[1 if kind & NEGATES else 0],
                of_label,
                sums[head],
                came_from[node],
                chosen[node],
            )
            last[head], before[node] = node, last[head]
        else:
            labels[node] = place_of_best(totals, size)
    for place in range(order.size - 1, -1, -1):
        node = order[place]
        end = ends[node, rank_of(about[node, KIND], labels[node], of_label)]
        rank, state, child = end // STATES, end % STATES, last[node]
        while child >= 0:
            way = came_from[child, rank, state]
            labels[child] = chosen[child, rank, way % len(GROUPS)]
            state, child = way // len(GROUPS), before[child]


@kernel
def from_leaves_up(tree):
    """Return the used nodes, each behind its children."""
    count, used = tree.size, 0
    waiting, order = np.zeros(count, np.intp), np.empty(count, np.intp)
    for node in range(count):
        if 0 < tree[node] <= count:
            waiting[tree[node] - 1] += 1
    for node in range(count):
        climbing = node
        if waiting[node] > 0 or tree[node] > count + 1:
            continue
        while climbing >= 0:
            order[used] = climbing
            used += 1
            head = tree[climbing] - 1
            climbing = -1
            if 0 <= head < count:
                waiting[head] -= 1
                climbing = head if waiting[head] == 0 and head < node else -1
    return order[:used]


@kernel
def end_node(sums, ends, values):
    """Write for each rank of a node the best sum over its children, and the rank and state where it stands.

    A nominal has the last rank, or rank 0 if it has a sign of a predicate.
    """
    ranks = len(values)
    for rank in range(ranks):
        state = place_of_best(sums[rank], STATES)
        values[rank], ends[rank] = sums[rank, state], rank * STATES + state
    for state in range(STATES):
        if state & SIGN and sums[0, state] > values[ranks - 1]:
            values[ranks - 1], ends[ranks - 1] = sums[0, state], state


@kernel
def add_child(totals, barred, of_label, sums, came_from, chosen):
    """Add a child with these totals of labels to the sums of its head, for each rank of the head."""
    best, after = np.empty(len(GROUPS)), np.empty(STATES)
    for rank in range(len(barred)):
        best[:] = -np.inf
        for label in range(totals.size):
            value, group = totals[label] - COST * barred[rank, label], of_label[label, OfLabel.GROUP]
            if value > best[group]:
                best[group], chosen[rank, group] = value, label
        after[:] = -np.inf
        for state in range(STATES):
            for group in range(len(GROUPS) if sums[rank, state] > -np.inf else 0):
                added = GROUPS[group]
                is_second = state & added & (SUBJECT | OBJECT) > 0
                value = sums[rank, state] + best[group] - (COST if is_second else 0)
                if value > after[state | added]:
                    after[state | added] = value
                    came_from[rank, state | added] = state * len(GROUPS) + group
        for state in range(STATES):
            sums[rank, state] = after[state]
