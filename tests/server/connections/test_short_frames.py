"""The library judges what is read without it."""

from __future__ import annotations

import random

import pytest
from raw_frames import BINARY, CONT, PING, TEXT, frame
from websockets.frames import Frame
from websockets.protocol import SERVER, Protocol

from treewhile.server.connections.sockets import LONGEST, is_between_frames, short_message


def masked(data: bytes, mask: bytes) -> bytes:
    return bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))


def read_by_library(data: bytes) -> Frame | None:
    """The one whole message that these bytes are, as the library reads them."""
    protocol = Protocol(SERVER)
    protocol.receive_data(data)
    events = protocol.events_received()
    is_message = len(events) == 1 and isinstance(events[0], Frame) and events[0].opcode in (TEXT, BINARY)
    whole = is_message and events[0].fin and not protocol.reader.buffer and is_between_frames(protocol)
    return events[0] if whole and not protocol.close_expected() else None


@pytest.mark.parametrize("opcode", [TEXT, BINARY])
def test_short_messages_are_read_as_the_library_reads_them(opcode: int) -> None:
    source = random.Random(opcode)
    for length in range(LONGEST + 3):
        payload, mask = source.randbytes(length), source.randbytes(4)
        plain = frame(opcode, masked(payload, mask))
        data = plain[: -length - 4] + mask + plain[len(plain) - length :]
        read = short_message(data)
        if length <= LONGEST:
            assert read == read_by_library(data) == Frame(opcode, payload)
        else:
            assert read is None


def test_whatever_is_damaged_is_read_as_the_library_reads_it_or_left_to_it() -> None:
    source = random.Random(7)
    read = 0
    for _ in range(20_000):
        data = bytearray(frame(TEXT, source.randbytes(source.randrange(20))))
        for _ in range(source.randrange(3)):
            data[source.randrange(min(4, len(data)))] = source.randrange(256)
        damaged = bytes(data[: source.randrange(1, len(data) + 1)] if source.randrange(4) == 0 else data)
        damaged += source.choice([b"", b"", b"x", bytes(damaged)])
        message = short_message(damaged)
        if message:
            read += 1
            assert message == read_by_library(damaged), damaged
    assert 2000 < read < 15_000


def test_longer_messages_than_a_server_takes_are_left_to_the_library() -> None:
    assert short_message(frame(TEXT, b"x" * 10), 10)
    assert short_message(frame(TEXT, b"x" * 11), 10) is None


def test_a_parser_is_between_frames_at_their_ends_alone() -> None:
    frames = [
        frame(TEXT, b"a"),
        frame(PING),
        frame(TEXT, b"b", fin=False),
        frame(CONT, b"c" * 200),
        frame(TEXT),
    ]
    protocol, ends, at = Protocol(SERVER), set[int](), 0
    for one in frames:
        at += len(one)
        ends.add(at)
    for number, byte in enumerate(b"".join(frames), 1):
        protocol.receive_data(bytes([byte]))
        assert is_between_frames(protocol) is (number in ends)
