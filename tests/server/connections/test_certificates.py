from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from own_certificates import certificate_in

from treewhile.oracles.errors import InputError
from treewhile.server.connections.admission import Certificate


def test_a_key_that_is_locked_is_refused_and_nobody_is_asked(tmp_path: Path) -> None:
    cert, key = certificate_in(tmp_path)
    locked = tmp_path / "locked.pem"
    lock = ["openssl", "rsa", "-aes128", "-passout", "pass:secret", "-in", key, "-out", locked]
    subprocess.run(lock, check=True, capture_output=True, timeout=60)
    with pytest.raises(InputError, match=r"locked by a pass phrase: give one without, .*locked\.pem"):
        Certificate(cert, locked)


def test_the_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    cert, _ = certificate_in(tmp_path)
    with pytest.raises(InputError, match=r"cannot read the certificate or its key, none\.pem: No such file"):
        Certificate(cert, Path("none.pem"))


def test_a_key_that_does_not_fit_names_both_files(tmp_path: Path) -> None:
    cert, _ = certificate_in(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    _, key = certificate_in(other)
    with pytest.raises(InputError, match=r"key values mismatch.* in PEM, .*cert\.pem and .*key\.pem"):
        Certificate(cert, key)
