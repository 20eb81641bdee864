"""A flag that tells running work to stop and give what it has; kernels look at it, too."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class Interrupt:
    """Set once, from any thread; `flag[0]` is what kernels read, made when it is asked for."""

    __slots__ = ("_flag", "is_set")

    def __init__(self) -> None:
        self.is_set = False
        self._flag: npt.NDArray[np.uint8] | None = None

    def set(self) -> None:
        self.is_set = True
        if self._flag is not None:
            self._flag[0] = 1

    @property
    def flag(self) -> npt.NDArray[np.uint8]:
        if self._flag is None:
            self._flag = np.zeros(1, np.uint8)
        if self.is_set:  # only now, since it may have been set meanwhile by who saw no flag
            self._flag[0] = 1
        return self._flag
