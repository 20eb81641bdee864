"""Compiled loops of the segmenter, which do not check their input; they release the GIL.

Sums are integers, so the order of addition does not matter.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from treewhile.oracles.compilation import helper, kernel

# Symbols without a character, white space last.
SYMBOLS = END, BEGIN, HIDDEN, SPACE, LINE_END, BLANK_LINE = range(6)

# Labels: the ends after a symbol.
LABELS = INSIDE, TOKEN_END, SENTENCE_END = range(3)

# The hash of letters and digits is the upper half of l[0] FACTOR + l[1] FACTOR^2 + ..., over the codes that
# count.
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)

# Answers to whether a token may end between two characters.
NO, MAYBE, SURELY = range(3)

# An activation counts in units of 1/64, a weight in 1/128.
WEIGHT_BITS = 7
LARGEST = 127


# A classifier: the numbers of symbols to the left and to the right that it sees, of white spaces to the
# right, and of symbols of a line that ends; its keys; contributions to the first layer, symbols[offset from
# the left, code, unit], and others[word before, then word after, then length of the line, then a token of one
# symbol; unit], where a length of 0 contributes nothing; and the other layers, [unit, unit] and [unit], with
# their biases as the last row. Biases are in units of sums; that of the first layer is in the contribution of
# the symbol itself.
Layers: TypeAlias = tuple[
    npt.NDArray[np.int64],
    npt.NDArray[np.uint32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
    npt.NDArray[np.int32],
]

# A segmenter: the maximum numbers of symbols to the left and to the right in a window, and of a line; by
# code, the class and the summand of hashes, 0 for codes that are neither letter nor digit; may_end[class,
# class behind], as above; and the classifiers of token and sentence ends. Plain tuples, since named ones take
# longer to pass.
Tables: TypeAlias = tuple[
    int, int, int, npt.NDArray[np.uint16], npt.NDArray[np.uint64], npt.NDArray[np.uint8], Layers, Layers
]


@helper
def is_white_space(code):
    return SPACE <= code <= BLANK_LINE


@kernel
def merge_white_space(codes, starts):
    """Merge each run of white space into one symbol, in place; return the number of symbols."""
    count, line_ends, in_white = 0, 0, False
    for at in range(len(codes)):
        white = is_white_space(codes[at])
        if not (white and in_white):
            codes[count], starts[count] = codes[at], at
            count += 1
            line_ends = 0
        if white:
            line_ends += codes[at] == LINE_END
            codes[count - 1] = SPACE + min(line_ends, 2)
        in_white = white
    return count


def hash_in_whole_numbers(codes, start, end, letters):
    """Return the hash in Python integers, since numpy warns of overflows."""
    powers = (pow(int(FACTOR), place, 1 << 64) for place in range(1, end - start + 1))
    total = sum(int(letters[codes[start + place]]) * power for place, power in enumerate(powers))
    return np.uint32(total % (1 << 64) >> int(HALF))


@partial(kernel, plain=hash_in_whole_numbers)
def hash_of(codes, start, end, letters):
    total, power = np.uint64(0), FACTOR
    for at in range(start, end):
        total += letters[codes[at]] * power
        power *= FACTOR
    return np.uint32(total >> HALF)


@kernel
def number_of(keys, hashed):
    """Return the number of the word with a hash, 0 if it is not among the keys."""
    place, behind = 0, len(keys)
    while place < behind:
        middle = (place + behind) // 2
        if keys[middle] < hashed:
            place = middle + 1
        else:
            behind = middle
    return place + 1 if place < len(keys) and keys[place] == hashed else 0


@helper
def word_before(codes, at, left, letters, keys):
    """Return the number of the last run of letters up to a symbol, 0 unless `left` symbols show it."""
    last = at
    while last > at - left and letters[codes[last]] == 0:
        last -= 1
    gap = last
    while gap >= at - left and letters[codes[gap]] > 0:
        gap -= 1
    is_shown = last > at - left and gap >= at - left
    return number_of(keys, hash_of(codes, gap + 1, last + 1, letters) if is_shown else np.uint32(0))


@helper
def word_after(codes, at, shown, letters, keys):
    """Return the number of the next run after a symbol, if it ends before the last shown symbol; else 0."""
    stop = at + shown + 1
    start = at + 1
    while start < stop and letters[codes[start]] == 0:
        start += 1
    gap = start
    while gap < stop and letters[codes[gap]] > 0:
        gap += 1
    return number_of(keys, hash_of(codes, start, gap, letters)) if gap < stop else 0


@helper
def line_length(codes, at, longest):
    """Return the length of a line that ends after a symbol, at most `longest`; 0 if none ends there."""
    if codes[at + 1] != LINE_END:
        return 0
    length = 0
    while length < longest and codes[at - length] not in (BEGIN, LINE_END, BLANK_LINE):
        length += 1
    return length


@partial(kernel, plain=np.ndarray.__iadd__)
def add(sums, more):
    for unit in range(sums.size):
        sums[unit] += more[unit]


@kernel
def activate(sums):
    for unit in range(sums.size):
        sums[unit] = min(max(sums[unit] >> WEIGHT_BITS, 0), LARGEST)


@kernel
def ends_after(codes, at, is_alone, letters, layers):
    """Return whether a token or sentence ends after a symbol, whose window is in `codes`.

    `is_alone` says that a token ends right before the symbol, so the symbol is one by itself.
    """
    window, keys, symbols, others, second_layer, output = layers
    left, right, blanks, longest_line = window
    first = np.zeros(symbols.shape[2], np.int32)
    for offset in range(left + 1):
        add(first, symbols[offset, codes[at - left + offset]])
    shown = right
    for offset in range(1, right + 1):
        code = codes[at + offset] if blanks > 0 else HIDDEN
        blanks -= is_white_space(code)
        if code in (HIDDEN, END):
            shown = min(shown, offset - 1)
        add(first, symbols[left + offset, code])
    words = len(keys) + 1
    add(first, others[word_before(codes, at, left, letters, keys)])
    add(first, others[words + word_after(codes, at, shown, letters, keys)])
    length = line_length(codes, at, longest_line)
    if length > 0:
        add(first, others[2 * words + length])
    if is_alone and longest_line > 0:
        add(first, others[2 * words + longest_line + 1])
    activate(first)
    second = np.zeros(second_layer.shape[1], np.int32)
    add(second, second_layer[first.size])
    for unit in range(first.size):
        if first[unit] > 0:
            for to in range(second.size):
                second[to] += first[unit] * second_layer[unit, to]
    activate(second)
    total = output[second.size]
    for unit in range(second.size):
        total += second[unit] * output[unit]
    return total > 0


@helper
def token_ends_after(codes, at, tables):
    """Return whether a token ends after a symbol that is not white space, whose window is in `codes`."""
    _, _, _, classes, letters, may_end, token_ends, _ = tables
    after = codes[at + 1]
    is_last = codes[at + 1 + is_white_space(after)] == END
    chance = SURELY if is_last else may_end[classes[codes[at]], classes[after]]
    return chance == SURELY or (chance == MAYBE and ends_after(codes, at, False, letters, token_ends))


@helper
def label_of(codes, at, is_alone, tables):
    """Return the label after a symbol that is not white space, whose window is in `codes`."""
    _, _, _, _, letters, _, _, sentence_ends = tables
    if not token_ends_after(codes, at, tables):
        return INSIDE
    after = codes[at + 1]
    if after == BLANK_LINE:
        return SENTENCE_END
    is_last = codes[at + 1 + is_white_space(after)] == END
    return TOKEN_END + (not is_last and ends_after(codes, at, is_alone, letters, sentence_ends))


@kernel
def write_labels(codes, start, stop, tables, labels):
    """Write the label after each symbol of a text from `start` to `stop`."""
    left, right, line, _, _, _, _, _ = tables
    before = max(left, line)
    first, behind = start - before, stop + right
    padded = np.full(behind - first, END, np.uint16)
    for at in range(first, 0):
        padded[at - first] = BEGIN
    for at in range(max(first, 0), min(behind, len(codes))):
        padded[at - first] = codes[at]
    last = before - 1 - is_white_space(padded[before - 1])
    has_ended = padded[last] == BEGIN or token_ends_after(padded, last, tables)
    for at in range(start, stop):
        labels[at] = INSIDE
        if not is_white_space(codes[at]):
            labels[at] = label_of(padded, at - first, has_ended, tables)
            has_ended = labels[at] != INSIDE


@kernel
def last_of_line(codes, start, stop):
    """Return the last symbol of the line at `start`, -1 if no single line end comes before `stop`."""
    for at in range(start, stop):
        if codes[at] == LINE_END:
            return at - 1
        if codes[at] == BLANK_LINE:
            return -1
    return -1


@kernel
def relabel(codes, start, edited_from, edited_to, tables, labels):
    """Write the labels anew that an edit affects; return the bounds of changed ones, and the number written.

    Those from `edited_from` to `edited_to` count as changed.
    """
    left, _, line, _, _, _, _, _ = tables
    stop = min(len(codes), edited_to + left)
    first, behind = relabel_between(codes, start, stop, edited_from, edited_to, tables, labels)
    last = last_of_line(codes, edited_to, min(len(codes), edited_to + line))
    if last < stop:
        return first, behind, stop - start
    before = labels[last]
    write_labels(codes, last, last + 1, tables, labels)
    return first, behind if labels[last] == before else last + 1, stop - start + 1


@kernel
def relabel_between(codes, start, stop, new_from, new_to, tables, labels):
    """Write labels anew, where those from `new_from` to `new_to` count as changed; return the bounds."""
    before = np.empty(stop - start, np.uint8)
    for at in range(start, stop):
        before[at - start] = labels[at]
    write_labels(codes, start, stop, tables, labels)
    first, behind = start, stop
    while first < new_from and labels[first] == before[first - start]:
        first += 1
    while behind > new_to and labels[behind - 1] == before[behind - 1 - start]:
        behind -= 1
    return first, behind
