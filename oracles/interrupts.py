"""Flag that stops running work early, with the result so far; kernels poll it, too."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


class Interrupt:
    """Interrupt that any thread may set, once; kernels read `flag[0]`, whose array is made on first use."""

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
        if self.is_set:  # checked last, since a thread that saw no array may have set the interrupt meanwhile
            self._flag[0] = 1
        return self._flag
