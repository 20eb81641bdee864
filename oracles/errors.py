"""What can go wrong with a caller's data.

InputError      the data cannot be used: says what is wrong, where, and what would be right
"""


class InputError(ValueError):
    """The caller's data cannot be used; the message names the word, or file, line and column."""
