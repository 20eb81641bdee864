"""Listening sockets of several workers on one port; the system spreads clients over them."""

from __future__ import annotations

import socket
from typing import Final, NamedTuple

from treewhile.oracles.errors import InputError

BACKLOG: Final = 1024


class Listening:
    """Port of a host, reserved until `close`, with listening sockets for workers."""

    def __init__(self, host: str, port: int) -> None:
        self._places = _places(host, port)
        self._reserve = [_bound(place) for place in self._places]
        self.port: int = self._reserve[0].getsockname()[1]

    def new_sockets(self) -> list[socket.socket]:
        """Return new sockets of one worker, one for each address of the host."""
        sockets = [_bound(place._replace(port=self.port)) for place in self._places]
        for one in sockets:
            one.listen(BACKLOG)
        return sockets

    def close(self) -> None:
        """Release the port; it is free when all workers have closed their sockets."""
        close_all(self._reserve)


def close_all(sockets: list[socket.socket]) -> None:
    """Close sockets and empty the list."""
    for one in sockets:
        one.close()
    sockets.clear()


class _Place(NamedTuple):
    family: int
    host: str
    port: int


def _places(host: str, port: int) -> list[_Place]:
    """Return the addresses of a host, all with the given port or one free port."""
    where = f"{host} port {port}"
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        places = [*dict.fromkeys(_Place(family, str(address[0]), port) for family, _, _, _, address in found)]
        with _bound(places[0], is_shared=False) as probe:  # a shared socket could share a port in use
            free = probe.getsockname()[1]
        return [place._replace(port=free) for place in places]
    except OSError as error:
        what = f"cannot listen at {where} ({error.strerror or error})"
        raise InputError(f"{what}: choose another one") from None


def _bound(place: _Place, is_shared: bool = True) -> socket.socket:
    bound = socket.socket(place.family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if is_shared:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if place.family == socket.AF_INET6:
        bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        bound.bind((place.host, place.port))
    except OSError:
        bound.close()
        raise
    return bound
