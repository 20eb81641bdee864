"""Certificates of servers of one's own, which nobody else trusts."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

SUBJECT: Final = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]


def certificate_in(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost, and its key."""
    cert, key = folder / "cert.pem", folder / "key.pem"
    new = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, *SUBJECT]
    subprocess.run(new, check=True, capture_output=True, timeout=60)
    return cert, key
