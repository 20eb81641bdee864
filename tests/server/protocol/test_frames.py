from __future__ import annotations

import json
import tracemalloc
from time import process_time
from typing import Any

import msgspec
import pytest
from cases import each

from treewhile.incremental.sessions.messages import Append, Edit, Open
from treewhile.oracles.errors import InputError
from treewhile.server.errors import RefusedFrameError, UndecodableError
from treewhile.server.protocol.frames import (
    JSON,
    MSGPACK,
    Encoding,
    Goodbye,
    Hello,
    Outgoing,
    Ping,
)

BOTH = pytest.mark.parametrize("encoding", [JSON, MSGPACK], ids=lambda encoding: encoding.name)


def frame(encoding: Encoding, value: Any) -> str | bytes:
    return msgspec.json.encode(value).decode() if encoding.is_text else msgspec.msgpack.encode(value)


@BOTH
@each(
    "message",
    [
        Hello(),
        Hello(positions="utf16", heartbeat=20.0, resume="abc"),
        Ping(7),
        Open("d", 0, words=["one", "🎉", "e\u0301"]),
        Append("d", 1, ["two"]),
    ],
)
def test_what_a_client_encodes_the_server_reads(encoding: Encoding, message: Any) -> None:
    assert encoding.decode(frame(encoding, message)) == message


@BOTH
def test_what_the_server_encodes_a_client_reads(encoding: Encoding) -> None:
    said = Goodbye(1012, "the server restarts", True, 2.5)
    decode = msgspec.json.decode if encoding.is_text else msgspec.msgpack.decode
    assert decode(encoding.encode(said), type=Outgoing) == said


@BOTH
@each(
    "value",
    [
        {"type": "nothing"},
        {"type": "ping", "number": -1},
        {"type": "ping", "number": 2**53},
        {"type": "ping", "number": 1, "more": 1},
        {"type": "hello", "heartbeat": "often"},
        {"number": 1},
        [],
        None,
        "ping",
    ],
)
def test_what_is_no_message_is_refused_and_the_frame_is_readable(encoding: Encoding, value: Any) -> None:
    with pytest.raises(InputError, match="this is no message") as caught:
        encoding.decode(frame(encoding, value))
    assert not isinstance(caught.value, UndecodableError)


@each("text", ["", "{", "[1, 2", "[" * 100_000, '{"type": "ping", "number": NaN}', "ping"])
def test_text_that_is_no_json_cannot_be_read(text: str) -> None:
    with pytest.raises(UndecodableError, match=r"cannot be read .*send treewhile.v1\+json"):
        JSON.decode(text)


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x91" * 100_000, b"\xdf\xff\xff\xff\xff", b"\xa5ab"])
def test_bytes_that_are_no_msgpack_cannot_be_read(data: bytes) -> None:
    with pytest.raises(UndecodableError):
        MSGPACK.decode(data)


def test_a_frame_of_the_wrong_kind_is_no_frame_of_the_encoding() -> None:
    with pytest.raises(UndecodableError, match="takes text frames"):
        JSON.decode(b'{"type": "ping", "number": 1}')
    with pytest.raises(UndecodableError, match="takes binary frames"):
        MSGPACK.decode("ping")


EDIT, APPEND = '"type": "edit", "start": 0, "end": 0, "text": "{}"', '"type": "append", "words": ["a", "{}"]'


@each("fields, code", [(EDIT, "bad_text"), (APPEND, "bad_word")])
@each("text", [r"\ud83c", r"\udf89", r"\uDF89\uD83C", r"\ud83c\ud83c\udf89", r"\\\ud83c", r"\ud83cdf89"])
def test_half_a_surrogate_pair_is_a_bad_text_or_word_of_its_document(
    fields: str, code: str, text: str
) -> None:
    with pytest.raises(RefusedFrameError, match="has half a surrogate pair in it: send whole") as caught:
        JSON.decode(f'{{{fields.format(text)}, "document": "d", "version": 7}}')
    told = caught.value.told
    assert (told.code, told.document, told.version) == (code, "d", 7)


@pytest.mark.parametrize("text", [r"\ud83c\udf89", r"\\ud83c", r"\\\\ud83c", r"\u00e9", "🎉"])
def test_whole_characters_are_text_however_they_are_escaped(text: str) -> None:
    message = JSON.decode(f'{{{EDIT.format(text)}, "document": "d", "version": 7}}')
    assert isinstance(message, Edit)
    assert message.text == json.loads(f'"{text}"')


@pytest.mark.parametrize("document", [r"\ud83c", "d"])
def test_half_a_surrogate_pair_elsewhere_is_no_message(document: str) -> None:
    kind = "edit" if document != "d" else r"edit\udf89"
    with pytest.raises(RefusedFrameError) as caught:
        JSON.decode(f'{{"type": "{kind}", "document": "{document}", "version": 7, "start": 0, "end": 0}}')
    assert caught.value.told.code == "bad_event"


def test_to_look_for_halves_takes_little_time() -> None:
    for text in ("\\n" * 500_000, "\\ud800" * 170_000, "\\\\" * 500_000, "x" * 1_000_000, "\\"):
        before = process_time()
        with pytest.raises(InputError):
            JSON.decode(f'["{text}"]')
        assert process_time() - before < 2


@BOTH
@each(
    "value, document, version",
    [
        ({"type": "append", "document": "d", "version": 1, "words": "dog"}, "d", 1),
        ({"type": "bark", "document": "d", "version": 1}, "d", 1),
        ({"type": "append", "document": "d", "version": "1", "words": []}, "d", None),
        ({"type": "append", "document": ["d"], "version": 1, "words": []}, None, 1),
        ({"type": "append", "document": "d" * 129, "version": -1}, None, None),
        (["d", 1], None, None),
    ],
)
def test_what_is_no_message_is_named_as_far_as_it_names_itself(
    encoding: Encoding, value: Any, document: str | None, version: int | None
) -> None:
    with pytest.raises(RefusedFrameError) as caught:
        encoding.decode(frame(encoding, value))
    told = caught.value.told
    assert (told.code, told.document, told.version) == ("bad_event", document, version)


@BOTH
@pytest.mark.parametrize("value", [{"type": "x" * 500_000}, {"type": "ping", "number": 1, "x" * 500_000: 1}])
def test_an_error_quotes_little_of_what_came(encoding: Encoding, value: Any) -> None:
    with pytest.raises(InputError, match=r"this is no message .*xxx\.\.\.") as caught:
        encoding.decode(frame(encoding, value))
    assert len(str(caught.value)) < 300


@BOTH
def test_what_is_no_message_costs_no_memory(encoding: Encoding) -> None:
    lists = frame(encoding, [[]] * 300_000)
    tracemalloc.start()
    with pytest.raises(InputError, match="this is no message"):
        encoding.decode(lists)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20
