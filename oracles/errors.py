"""Errors about a caller's data.

InputError      unusable data: the message says what is wrong, where, and what would be right
"""


class InputError(ValueError):
    """Error for unusable data of the caller; the message names the word, or file, line and column."""
