"""Parsing engine: text to words, treebanks, models, configurations, anytime search. No sockets, no clock.

Each exported name is imported when it is first used, so start-up does not wait for unused modules.
"""

from treewhile.oracles.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
