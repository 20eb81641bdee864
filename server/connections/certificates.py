"""TLS certificate of a server."""

from __future__ import annotations

import ssl
from pathlib import Path
from typing import NoReturn

from treewhile.incremental.output_files import system_errors_named
from treewhile.oracles.errors import InputError


class Certificate:
    """Certificate chain with its key, which is in a file of its own or in the file of the chain.

    context   TLS context of all connections; connections after `read` use the new certificate
    """

    def __init__(self, chain: Path, key: Path | None) -> None:
        self._chain, self._key = chain, key or chain
        self.context = _new_context()
        self.read()

    def read(self) -> None:
        """Read the files again; after an InputError, the former certificate stays in use."""
        for context in (_new_context(), self.context):  # a wrong key would break the one in use
            self._load_into(context)

    def _load_into(self, context: ssl.SSLContext) -> None:
        for path in (self._chain, self._key):
            with system_errors_named(f"read the certificate or its key, {path}"):
                path.open("rb").close()
        try:
            context.load_cert_chain(self._chain, self._key, self._refuse_to_ask)
        except (OSError, ssl.SSLError) as error:
            what = f"the certificate cannot be used ({error.strerror or error})"
            raise InputError(f"{what}: give a chain and its key in PEM, {self._places}") from None

    @property
    def _places(self) -> str:
        return " and ".join(dict.fromkeys(map(str, (self._chain, self._key))))

    def _refuse_to_ask(self) -> NoReturn:
        raise InputError(f"the key is locked by a pass phrase: give one without, {self._key}")


def _new_context() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
