"""A flag that tells running work to stop and give what it has; kernels look at it, too."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class Interrupt:
    """Set once, from any thread; `flag[0]` is what kernels read."""

    __slots__ = ("flag",)

    def __init__(self) -> None:
        self.flag: npt.NDArray[np.uint8] = np.zeros(1, np.uint8)

    def set(self) -> None:
        self.flag[0] = 1

    @property
    def is_set(self) -> bool:
        return bool(self.flag[0])
