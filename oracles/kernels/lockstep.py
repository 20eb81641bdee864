"""Many computations side by side: their data in flat arrays, one sentence after another.

A sentence has its table and memo if it is followed by facts, else its words, nodes, spans and values. Its row
of `places` has the starts of these: in `ints`, and of the memo in `longs`.
"""

from __future__ import annotations

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.followed_stacks import STACK, TABLE_ROWS, forget, take_step
from treewhile.oracles.kernels.memos import MEMO_COLUMNS, memo_rows
from treewhile.oracles.kernels.prefix_values import NODE_VALUES, score_any_steps
from treewhile.oracles.kernels.prefixes import NODE_ROWS, forget_nodes, node_room, take_any_step
from treewhile.oracles.kernels.situations import score_steps
from treewhile.oracles.kernels.spans import LEVEL_WORD, SPAN_TABLES, WORD_ROWS
from treewhile.oracles.kernels.standings import TOP
from treewhile.oracles.kernels.walks import bar_early_root, begin_with_chart, begin_with_facts, is_legal

# Columns of places.
PLACE_COLUMNS = 5
(
    WORDS,  # number of words of the sentence
    BY_FACTS,
    AT,  # start of its part of ints
    MEMO_AT,  # start of its memo in longs
    MEMO_ROWS,
) = range(PLACE_COLUMNS)


@helper
def facts_of(place, ints, longs):
    """Return table and memo."""
    table = ints[place[AT] : place[AT] + TABLE_ROWS * (place[WORDS] + 2)]
    memo = longs[place[MEMO_AT] : place[MEMO_AT] + MEMO_COLUMNS * place[MEMO_ROWS]]
    return table.reshape(TABLE_ROWS, table.size // TABLE_ROWS), memo.reshape(place[MEMO_ROWS], MEMO_COLUMNS)


@helper
def chart_of(place, ints):
    """Return words, nodes, spans and values."""
    width = place[WORDS] + 2
    room = node_room(width)
    words = place[AT]
    nodes = words + WORD_ROWS * width
    spans = nodes + NODE_ROWS * room
    values = spans + SPAN_TABLES * width * width
    end = values + NODE_VALUES * room * width
    return (
        ints[words:nodes].reshape(WORD_ROWS, width),
        ints[nodes:spans].reshape(NODE_ROWS, room),
        ints[spans:values].reshape(SPAN_TABLES, width, width),
        ints[values:end].reshape(NODE_VALUES, room, width),
    )


@kernel
def give_places(places):
    """Fill in all starts, for known WORDS and BY_FACTS; return the required sizes of ints and longs."""
    at = memo_at = 0
    for s in range(places.shape[0]):
        width = places[s, WORDS] + 2
        places[s, AT], places[s, MEMO_AT] = at, memo_at
        if places[s, BY_FACTS] > 0:
            places[s, MEMO_ROWS] = memo_rows(places[s, WORDS])
            at += TABLE_ROWS * width
            memo_at += MEMO_COLUMNS * places[s, MEMO_ROWS]
        else:
            room = node_room(width)
            at += WORD_ROWS * width + NODE_ROWS * room + (SPAN_TABLES * width + NODE_VALUES * room) * width
    return at, memo_at


@kernel
def begin_all(places, standings, ints, longs, heads):
    """Go to the start of each sentence, given the concatenated heads of all, node 0 included."""
    at = 0
    for s in range(places.shape[0]):
        size = places[s, WORDS] + 1
        own = heads[at : at + size]
        at += size
        if places[s, BY_FACTS] > 0:
            table, memo = facts_of(places[s], ints, longs)
            begin_with_facts(own, table, memo, standings[s])
        else:
            words, nodes, _, _ = chart_of(places[s], ints)
            begin_with_chart(own, words, nodes, standings[s])


@kernel
def score_all(places, standings, ints, longs, todo, options, done, scores):
    """Fill in scores[sentence, step]; return the sentence whose memo is too small, or -1."""
    for s in range(places.shape[0]):
        standing = standings[s]
        if places[s, BY_FACTS] > 0:
            table, memo = facts_of(places[s], ints, longs)
            if not score_steps(table, memo, standing, todo, options, scores[s]):
                return s
        else:
            words, nodes, spans, values = chart_of(places[s], ints)
            while not score_any_steps(words, None, spans, nodes, values, done, standing, scores[s]):
                forget_nodes(words, nodes, standing)
        bar_early_root(standing, places[s, WORDS], scores[s])
    return -1


@kernel
def find_illegal(places, standings, steps):
    """Return the first sentence whose step is not legal, -1 counting as no step; or -1."""
    for s in range(places.shape[0]):
        if steps[s] != -1 and not is_legal(steps[s], standings[s], places[s, WORDS]):
            return s
    return -1


@kernel
def take_all(places, standings, ints, longs, steps):
    """Take a legal step in each sentence; -1 takes none."""
    for s in range(places.shape[0]):
        if steps[s] < 0:
            continue
        if places[s, BY_FACTS] > 0:
            table, memo = facts_of(places[s], ints, longs)
            take_step(steps[s], table, memo, standings[s])
        else:
            words, nodes, _, _ = chart_of(places[s], ints)
            take_any_step(steps[s], words, nodes, standings[s])


@kernel
def forget_one(place, standing, ints, longs):
    table, memo = facts_of(place, ints, longs)
    forget(table, memo, standing)


@kernel
def list_tops(places, standings, ints, longs, tops):
    """Fill in tops[sentence, depth]: the word at this depth below the top of the stack, -1 for none."""
    for s in range(places.shape[0]):
        if places[s, BY_FACTS] > 0:
            table, _ = facts_of(places[s], ints, longs)
            stack = table[STACK]
        else:
            words, _, _, _ = chart_of(places[s], ints)
            stack = words[LEVEL_WORD]
        for depth in range(tops.shape[1]):
            level = standings[s, TOP] - depth
            tops[s, depth] = stack[level] if level >= 0 else -1
