"""Fingerprints of training runs: digests of all inputs and of the conditions of computation."""

from __future__ import annotations

import hashlib

import torch

from treewhile.incremental.parsers.model_files import ModelFile
from treewhile.incremental.training.kept_parsers import kept_arrays


def fingerprint(*told: object) -> str:
    """Return the digest of all inputs of a run, and of the number of threads, which changes rounding."""
    digest = hashlib.sha256()
    for one in (torch.get_num_threads(), *told):
        digest.update(f"{one}\0".encode(errors="surrogateescape"))
    return digest.hexdigest()


def digest_of(parser: ModelFile | None) -> str:
    """Return the digest of a given parser without its step scorer."""
    digest = hashlib.sha256()
    for name, array in sorted(kept_arrays(parser).items() if parser else ()):
        digest.update(name.encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
