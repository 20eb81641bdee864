"""Exact algorithms for dependency trees: optimal next steps, projectivization, and charts for both.

Its names are imported when they are asked for, since compiled loops take a second to load.
"""

from treewhile.oracles.late_names import late_names

__getattr__, __dir__, __all__ = late_names(__name__, __file__)
