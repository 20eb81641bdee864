"""The levels at which sentences can be parsed outside of sessions, called as they are there.

L1  the best tree of the model's class
L3  of whole sentences, the best gap-minding one by grandparents where it is better
"""

from __future__ import annotations

from typing import Final, Literal

SentenceLevel = Literal["L1", "L3"]

SENTENCE_LEVELS: Final[tuple[SentenceLevel, ...]] = ("L1", "L3")
