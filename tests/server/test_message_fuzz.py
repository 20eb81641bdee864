"""Bad messages by the ten thousand: each has its answer or ends its connection, and nothing else happens.

Most go through the decoder and a client's session, whose jobs run at once; some over real sockets.
"""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from treewhile.incremental.sessions.jobs import Job
from treewhile.incremental.sessions.messages import (
    AnyEvent,
    AnyMessage,
    Append,
    AskAnalyses,
    AskMargins,
    AskSteps,
    Change,
    Close,
    ClosedMessage,
    Edit,
    ErrorMessage,
    Finish,
    Gold,
    MarginsMessage,
    Open,
    OptionChanges,
    Options,
    Request,
    Revoke,
    Step,
    StepsMessage,
    Undo,
)
from treewhile.oracles.errors import InputError
from treewhile.server.errors import UndecodableError
from treewhile.server.hosted.hosted_session import HostedSession, Surroundings
from treewhile.server.hosted.metrics import Metrics
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.protocol.frames import JSON, MSGPACK, Encoding, Hello, Outgoing, Ping
from treewhile.server.work.engines import Engine

StartServer = Callable[..., Awaitable[Server]]
Dial = Callable[..., Awaitable[Any]]

BOTH = pytest.mark.parametrize("encoding", [JSON, MSGPACK], ids=lambda encoding: encoding.name)
MASS = 50_000  # inputs for each encoding
SHARE = 3_000  # of those over sockets
SECRET = "qzxgeheim"  # stands in all text that must not be logged
LONGEST_ERROR = 500  # characters, whatever it is about


# --- a session whose jobs run at once -----------------------------------------------------------------------


class AtOnce:
    """Takes the place of threads: jobs are done when the test says so."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def add(self, owner: object, jobs: Sequence[Job]) -> list[Job]:
        self.jobs += jobs
        return []

    def drop(self, owner: object) -> None:
        self.jobs = []

    def owes(self, owner: object) -> bool:
        return bool(self.jobs)


class Listener:
    """Keeps what breaks a session."""

    broken: Exception | None = None

    def wake(self) -> None:
        pass

    def give_up(self) -> None:
        pass

    def fail(self, error: Exception) -> None:
        self.broken = error


class Client:
    """One session, fed by hand."""

    def __init__(self, engine: Engine) -> None:
        self.threads: Any = AtOnce()
        self.session = HostedSession(engine, Surroundings(self.threads, Limits(), Metrics()))
        self.listener = Listener()
        self.session.attach(self.listener)

    def say(self, event: AnyEvent) -> list[AnyMessage]:
        """All that the session says to an event, once its work is done."""
        self.session.receive(event)
        said = self._said()
        while self.threads.jobs:
            jobs, self.threads.jobs = self.threads.jobs, []
            for job in jobs:
                self.session.job_done(job, job.run())
            said += self._said()
        assert self.listener.broken is None
        return said

    def _said(self) -> list[AnyMessage]:
        said: list[AnyMessage] = []
        while more := self.session.messages():
            said += more
        return said


def is_answered(event: AnyEvent, said: Sequence[AnyMessage]) -> bool:
    """Whether a client that waits for an answer has it."""
    about = [one for one in said if one.document in (event.document, None)]
    if any(isinstance(one, ErrorMessage) for one in about):
        return True
    if isinstance(event, Change):
        return any(event.version in getattr(one, "answers", ()) for one in about)
    if isinstance(event, Request):
        return any(isinstance(one, StepsMessage | MarginsMessage) for one in about)
    return not isinstance(event, Close) or any(isinstance(one, ClosedMessage) for one in about)


def check_said(encoding: Encoding, said: Sequence[Outgoing]) -> None:
    """Whatever is said can be read, and says no more of what was wrong than a person reads."""
    decode: Any = msgspec.json.decode if encoding.is_text else msgspec.msgpack.decode
    for message in said:
        assert decode(encoding.encode(message), type=Outgoing) == message
        assert not isinstance(message, ErrorMessage) or len(message.message) < LONGEST_ERROR


# --- bad inputs ---------------------------------------------------------------------------------------------

NASTY: Sequence[Any] = (
    *(None, True, False, 0, -0.0, -1, 1.5, 2**31, 2**53, 2**63, 2**64 - 1, -(2**63), 1e308, 5e-324),
    *("", " ", "\0", "later", SECRET, "🎉", "e\u0301", "\u202e" + SECRET, SECRET * 2000, "__proto__"),
    *(
        [],
        {},
        [[]],
        [None],
        [SECRET],
        {"a": {}},
        [[[[[[[[]]]]]]]],
        [0] * 3000,
        ["🎉"] * 300,
        {"type": "open"},
    ),
)
RAW_JSON = (
    *(
        "NaN",
        "-Infinity",
        "1e400",
        "-" + "9" * 400,
        '"\\ud800"',
        '"\\udc00\\ud800"',
        "[" * 2000,
        '{"a":' * 2000,
    ),
    *('"', "'", "01", "+1", ".5", "tru", "\\", "\ufeff", "/**/", "[1,]", '{"a":1,}', "\0", '"\t"', '"\\x41"'),
)
RAW_MSGPACK = (
    *(
        b"\xc1",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\x7f\xff\xff\xff",
        b"\xdb\xff\xff\xff\xff",
        b"\xc6\xff\xff\xff\xff",
    ),
    *(b"\xd4\x05\x01", b"\xd6\xff\0\0\0\0", b"\xc7\x0c\xff" + b"\xff" * 12, b"\xc9\xff\xff\xff\xff\x01"),
    *(b"\x91" * 2000, b"\x81\xa1a" * 2000, b"\xa3\xed\xa0\x80", b"\xa2\xff\xfe", b"\xcb\x7f\xf8" + b"\0" * 6),
    *(
        b"\xca\xff\x80\0\0",
        b"\xcf" + b"\xff" * 8,
        b"\xd3\x80" + b"\0" * 7,
        b"\x81\x81\x01\x02\x03",
        b"\xc4\x04ping",
    ),
)


class Hostile:
    """Draws frames, most of them bad, from a seed."""

    def __init__(self, encoding: Encoding, seed: int) -> None:
        self._random = random.Random(seed)
        self._encoding = encoding
        self._version = 0

    def frames(self, count: int) -> Iterator[str | bytes]:
        ways = (
            self._bytes,
            self._damaged,
            self._spliced,
            self._wrong_fields,
            self._wrong_fields,
            self._legal,
        )
        for _ in range(count):
            yield self._as_frame(self._random.choice(ways)())

    def event(self) -> dict[str, Any]:
        """An event whose fields are of the right types, and often about nothing that there is."""
        draw = self._random
        kinds: dict[str, dict[str, Any]] = {
            "open": draw.choice(
                ({"words": self._words()}, {"text": self._text()}, {"words": [], "text": ""})
            ),
            "append": {"words": self._words()},
            "edit": {"start": draw.randrange(9), "end": draw.randrange(12), "text": self._text()},
            "revoke": {"count": draw.choice((0, 1, 2, 10**6))},
            "gold": {
                "sentence": draw.randrange(2),
                "heads": [draw.randrange(9) for _ in range(draw.randrange(9))],
            },
            "step": {
                "sentence": draw.randrange(2),
                "step": draw.choice(("shift", "reduce_left", "reduce_right")),
            },
            **{name: {"sentence": draw.randrange(2)} for name in ("undo", "ask_steps", "ask_margins")},
            "options": {"options": draw.choice(OPTIONS)},
            **{name: {} for name in ("finish", "ask_analyses", "close")},
        }
        kind, fields = draw.choice([*kinds.items()])
        if kind not in ("options", "ask_analyses", "close"):
            self._version += kind not in REQUESTS
            fields = {**fields, "version": self._version if draw.randrange(4) else draw.randrange(10**6)}
        if kind == "open":
            fields |= {"options": {"levels": ["L0"]}, "positions": draw.choice(("utf16", "code_points"))}
        return {"type": kind, "document": draw.choice("abcd"), **fields}

    # --- ways -----------------------------------------------------------------------------------------------

    def _bytes(self) -> bytes:
        return self._random.randbytes(self._random.randrange(40))

    def _legal(self) -> bytes:
        return self._encoded(self.event())

    def _damaged(self) -> bytes:
        data = bytearray(self._encoded(self.event()))
        for _ in range(self._random.randrange(1, 4)):
            data[self._random.randrange(len(data))] = self._random.randrange(256)
        return bytes(data[: self._random.choice((len(data), self._random.randrange(len(data))))])

    def _spliced(self) -> bytes:
        data, raw = self._encoded(self.event()), self._raw()
        at = self._random.randrange(len(data))
        return data[:at] + raw + data[at + self._random.randrange(2) :]

    def _wrong_fields(self) -> bytes:
        event, draw = self.event(), self._random
        for _ in range(draw.randrange(1, 3)):
            event[draw.choice([*event, "more", SECRET])] = draw.choice(NASTY)
        if not draw.randrange(4):
            del event[draw.choice([*event])]
        return self._encoded(event)

    # --- parts ----------------------------------------------------------------------------------------------

    def _raw(self) -> bytes:
        return (
            self._random.choice(RAW_JSON).encode()
            if self._encoding.is_text
            else self._random.choice(RAW_MSGPACK)
        )

    def _encoded(self, value: Any) -> bytes:
        return msgspec.json.encode(value) if self._encoding.is_text else msgspec.msgpack.encode(value)

    def _as_frame(self, data: bytes) -> str | bytes:
        return data.decode(errors="replace") if self._encoding.is_text else data

    def _words(self) -> list[str]:
        return self._random.choices(
            ("the", "dog", SECRET, "🎉", ".", "cannot", "x\ny", " "), k=self._random.randrange(5)
        )

    def _text(self) -> str:
        return "".join(
            self._random.choices(
                ("the ", SECRET, "🎉", ". ", "\n\n", "\0", "\r"), k=self._random.randrange(6)
            )
        )


REQUESTS = ("gold", "step", "undo", "ask_steps", "ask_margins")
OPTIONS: Sequence[dict[str, Any]] = (
    {},
    {"levels": []},
    {"levels": ["L0", "L0", "L0"]},
    {"streams": []},
    {"streams": ["steps", "steps"]},
    {"streams": ["analyses", "steps"], "drift": 1},
    {"streams": ["analyses", "constituents"]},
    {"streams": ["analyses"], "time_limit": 0},
    {"stability": 1, "prediction": "none", "time_limit": None},
    {"levels": ["L1"]},
)


# --- the mass -----------------------------------------------------------------------------------------------


@pytest.mark.slow
@BOTH
async def test_whatever_comes_is_answered_or_ends_the_connection(
    engines: dict[str, Engine], encoding: Encoding
) -> None:
    source, outcomes = Hostile(encoding, 20_260_101), Counter[str]()
    client = Client(engines["tiny"])
    for number, frame in enumerate(source.frames(MASS)):
        if number % 100 == 0:
            client = Client(engines["tiny"])
            client.say(Open("a", 0, words=["dog"]))
            client.say(Open("b", 0, text="dog", positions="utf16"))
        outcomes[outcome(client, encoding, frame)] += 1
    assert outcomes["cannot be read"] > MASS / 10
    assert outcomes["no message"] > MASS / 10
    assert outcomes["refused"] > MASS / 20
    assert outcomes["taken"] > MASS / 50, outcomes


def outcome(client: Client, encoding: Encoding, frame: str | bytes) -> str:
    """What a frame comes to; the test fails if that is neither an answer nor a close."""
    try:
        message = encoding.decode(frame)
    except InputError as error:
        check_said(encoding, [ErrorMessage("bad_event", str(error))])
        return "cannot be read" if isinstance(error, UndecodableError) else "no message"
    if isinstance(message, Hello | Ping):
        return "taken"
    said = client.say(message)
    check_said(encoding, said)
    assert is_answered(message, said), (message, said)
    return "refused" if any(isinstance(one, ErrorMessage) for one in said) else "taken"


# --- legal and nearly legal events in any order -------------------------------------------------------------

NAMES = st.sampled_from("ab")
NUMBERS = st.integers(0, 6) | st.just(2**53 - 1)
TEXTS = st.text(st.sampled_from("ab .\n🎉\u0301\ud800\0"), max_size=8)
WORDS = st.lists(st.sampled_from(["the", "dog", ".", "🎉", " ", "", "\udc00", "cannot"]), max_size=4)
SENTENCES = st.integers(0, 2)
CHANGES = st.builds(
    OptionChanges,
    time_limit=st.sampled_from([None, 0.0, 1e-9, 3600.0]),
    prediction=st.sampled_from(["none", "later", "virtual"]),
    stability=st.sampled_from([0.0, 0.5, 1.0]),
    levels=st.lists(st.sampled_from(["L0", "L1"]), max_size=3),
    streams=st.lists(st.sampled_from(["analyses", "steps", "constituents"]), max_size=3),
    drift=st.sampled_from([0.0, 1.0]),
)
EVENTS: st.SearchStrategy[AnyEvent] = st.one_of(
    st.builds(
        Open, NAMES, NUMBERS, text=TEXTS, options=CHANGES, positions=st.sampled_from(["utf16", "code_points"])
    ),
    st.builds(Open, NAMES, NUMBERS, words=WORDS, options=CHANGES),
    st.builds(Open, NAMES, NUMBERS, text=TEXTS, words=WORDS),
    st.builds(Edit, NAMES, NUMBERS, NUMBERS, NUMBERS, TEXTS),
    st.builds(Append, NAMES, NUMBERS, WORDS),
    st.builds(Revoke, NAMES, NUMBERS, NUMBERS),
    st.builds(Finish, NAMES, NUMBERS),
    st.builds(
        Gold, NAMES, NUMBERS, SENTENCES, st.none() | st.lists(st.none() | st.integers(0, 6), max_size=6)
    ),
    st.builds(Step, NAMES, NUMBERS, SENTENCES, st.sampled_from(["shift", "reduce_left", "reduce_right"])),
    st.builds(Undo, NAMES, NUMBERS, SENTENCES),
    st.builds(AskSteps, NAMES, NUMBERS, SENTENCES),
    st.builds(AskMargins, NAMES, NUMBERS, SENTENCES, st.none() | st.lists(st.integers(0, 5), max_size=3)),
    st.builds(AskAnalyses, NAMES),
    st.builds(Options, NAMES, CHANGES),
    st.builds(Close, NAMES),
)


@pytest.mark.slow
async def test_events_in_any_order_are_answered_and_break_nothing(engines: dict[str, Engine]) -> None:
    engine = engines["tiny"]

    @settings(max_examples=300)
    @given(st.lists(EVENTS, min_size=5, max_size=20))
    def check(events: list[AnyEvent]) -> None:
        client = Client(engine)
        for event in events:
            said = client.say(event)
            check_said(JSON, said)
            assert is_answered(event, said), (event, said)

    check()


# --- over sockets -------------------------------------------------------------------------------------------


@pytest.mark.slow
@BOTH
async def test_over_sockets_each_bad_message_has_its_answer_and_nothing_of_it_is_logged(
    start: StartServer,
    dial: Dial,
    encoding: Encoding,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    log = io.StringIO()
    server = await start(replace(Limits(), messages_a_second=1e6, burst=10**6), log=log)
    decode: Any = msgspec.json.decode if encoding.is_text else msgspec.msgpack.decode
    wire, codes = None, Counter[int]()
    for number, frame in enumerate(Hostile(encoding, 7).frames(SHARE)):
        wire = wire or await dial(server, subprotocols=[encoding.name])
        ping = encoding.encode(Ping(number))  # type: ignore[arg-type]
        try:
            await wire.socket.send(frame)
            await wire.socket.send(ping, text=encoding.is_text)
            while decode(await wire.socket.recv()) != {"type": "pong", "number": number}:
                pass
        except ConnectionClosed:
            codes[wire.socket.close_code] += 1
            wire = None
    assert {*codes} == {4400}
    assert codes[4400] > SHARE / 10
    output = capfd.readouterr()
    told = log.getvalue() + caplog.text + output.out + output.err
    assert SECRET not in told
    assert "Traceback" not in told
    assert {json.loads(line)["level"] for line in log.getvalue().splitlines()} == {"info"}
