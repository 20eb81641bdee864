"""What tells a training run from others: all that it is told, and how it is computed."""

from __future__ import annotations

import hashlib

import torch

from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.training.kept_parsers import kept_arrays


def fingerprint(*told: object) -> str:
    """The digest of all that a run is told, and of the number of threads, which changes how sums round."""
    digest = hashlib.sha256()
    for one in (torch.get_num_threads(), *told):
        digest.update(f"{one}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def digest_of(parser: ModelFile | None) -> str:
    """What tells the parser that is there from others, but for its step scorer."""
    digest = hashlib.sha256()
    for name, array in sorted(kept_arrays(parser).items() if parser else ()):
        digest.update(name.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
