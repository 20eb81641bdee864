"""Follower of a parser through a sentence for a projective reference: the stack, and gold neighbours."""

from __future__ import annotations

from treewhile.oracles.compilation import helper, kernel
from treewhile.oracles.kernels.memos import empty_memo, link
from treewhile.oracles.kernels.standings import FACTS, FRONT, REDUCE_LEFT, SHIFT, TOP
from treewhile.oracles.kernels.values import UNKNOWN

# Rows of the table: data of each word, each stack level, and each place in the sentence.
TABLE_ROWS = 13
(
    HEAD,  # [word]
    COMPONENT,  # [word]: the last word reached by going up while heads lie further right
    FIRST_CHILD,  # [word]: start of its children in CHILD
    CHILD,  # children of all words, in order
    PENDING,  # [word]: number of gold edges among the words from it on
    IDENTITY,  # [word]: a number that changes when the reference changes around it
    NEXT_CHILD,  # [word]: start of its children that remain in the input, in CHILD
    LEVEL,  # [word]: its place on the stack, or -1
    LOWEST,  # [word]: the lowest stack level that held a gold neighbour when it came
    BOTTOM,  # [last word of a component]: the lowest level with a gold parent in it, if still true
    STACK,  # [level]: the word
    NODE,  # [level]: a number for this word on top of all those below
    CHANGED,  # [level]: the last word whose shift changed the attainable score of this level or one below it
) = range(TABLE_ROWS)

NO_LEVEL = 1 << 30


@kernel
def describe_reference(heads, table):
    """Fill the rows of the table that depend on the reference alone, except IDENTITY."""
    n = heads.size - 1
    for word in range(n + 2):
        table[FIRST_CHILD, word] = 0
    table[HEAD, 0] = UNKNOWN
    for word in range(1, n + 1):
        table[HEAD, word] = heads[word]
        if heads[word] != UNKNOWN:
            table[FIRST_CHILD, heads[word] + 1] += 1
    for word in range(1, n + 2):
        table[FIRST_CHILD, word] += table[FIRST_CHILD, word - 1]
    for word in range(n + 1):
        table[NEXT_CHILD, word] = table[FIRST_CHILD, word]
    for word in range(1, n + 1):
        if heads[word] != UNKNOWN:
            table[CHILD, table[NEXT_CHILD, heads[word]]] = word
            table[NEXT_CHILD, heads[word]] += 1
    table[PENDING, n + 1] = 0
    for word in range(n, 0, -1):
        head = heads[word]
        table[COMPONENT, word] = table[COMPONENT, head] if head > word else word
        later = head > word
        for place in range(table[FIRST_CHILD, word + 1] - 1, table[FIRST_CHILD, word] - 1, -1):
            if table[CHILD, place] < word:
                break
            later += 1
        table[PENDING, word] = table[PENDING, word + 1] + later


@kernel
def place_stack(stack, front, table, memo, standing):
    """Fill the rows of the table that depend on the configuration."""
    if 2 * (standing[FACTS] + stack.size) > memo.shape[0]:
        empty_memo(memo, standing)
    for word in range(table.shape[1] - 1):
        table[NEXT_CHILD, word] = table[FIRST_CHILD, word]
        table[LEVEL, word] = -1
        table[BOTTOM, word] = -1
    for word in range(1, front):
        if table[HEAD, word] != UNKNOWN:
            table[NEXT_CHILD, table[HEAD, word]] += 1
    standing[FRONT] = front
    for level in range(stack.size):
        table[LOWEST, stack[level]] = lowest_neighbour(table, stack[level])
        set_level(table, memo, standing, level, stack[level])
    if front < table.shape[1] - 1:
        table[LOWEST, front] = lowest_neighbour(table, front)


@kernel
def lowest_neighbour(table, word):
    """Return the lowest stack level with the head or a child of a word to the right of the stack."""
    head = table[HEAD, word]
    lowest = NO_LEVEL if head == UNKNOWN or table[LEVEL, head] < 0 else table[LEVEL, head]
    for place in range(table[FIRST_CHILD, word], table[FIRST_CHILD, word + 1]):
        child = table[CHILD, place]
        if child > word:
            break
        if table[LEVEL, child] >= 0:
            return min(lowest, table[LEVEL, child])
    return lowest


@kernel
def set_level(table, memo, standing, level, word):
    """Put a word on the stack, as its new top."""
    standing[TOP] = level
    table[STACK, level] = word
    table[LEVEL, word] = level
    front, head = standing[FRONT], table[HEAD, word]
    changed = table[CHANGED, level - 1] if level > 0 else 0
    if word < head < front:
        changed = max(changed, head)
    if table[NEXT_CHILD, word] > table[FIRST_CHILD, word]:
        child = table[CHILD, table[NEXT_CHILD, word] - 1]
        if child > word:
            changed = max(changed, child)
    table[CHANGED, level] = changed
    table[NODE, level] = link(
        memo, standing, table[NODE, level - 1] if level > 0 else 0, table[IDENTITY, word]
    )
    if head >= front:
        component = table[COMPONENT, head]
        bottom = table[BOTTOM, component]
        if bottom < 0 or bottom >= level or not hangs_on(table, bottom, component, front):
            table[BOTTOM, component] = level


@helper
def hangs_on(table, level, component, front):
    """Return whether the word on a stack level has a remaining gold parent in a component."""
    head = table[HEAD, table[STACK, level]]
    return head >= front and table[COMPONENT, head] == component


@kernel
def take_step(step, table, memo, standing):
    """Apply a legal step."""
    if 2 * standing[FACTS] > memo.shape[0]:
        forget(table, memo, standing)
    top, front = standing[TOP], standing[FRONT]
    if step == SHIFT:
        head = table[HEAD, front]
        if head != UNKNOWN:
            table[NEXT_CHILD, head] += 1
        for level in range(table[LOWEST, front], top + 1):
            table[CHANGED, level] = front
        standing[FRONT] = front + 1
        set_level(table, memo, standing, top + 1, front)
        if front + 2 < table.shape[1]:
            table[LOWEST, front + 1] = lowest_neighbour(table, front + 1)
    elif step == REDUCE_LEFT:
        table[LEVEL, table[STACK, top]] = -1
        standing[TOP] = top - 1
    else:
        table[LEVEL, table[STACK, top - 1]] = -1
        if front + 1 < table.shape[1] and table[LOWEST, front] == top:
            table[LOWEST, front] = top - 1
        set_level(table, memo, standing, top - 1, table[STACK, top])


@kernel
def forget(table, memo, standing):
    """Empty the memo and renumber the nodes of the stack."""
    empty_memo(memo, standing)
    node = 0
    for level in range(standing[TOP] + 1):
        node = link(memo, standing, node, table[IDENTITY, table[STACK, level]])
        table[NODE, level] = node
