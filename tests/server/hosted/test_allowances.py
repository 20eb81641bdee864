from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace

from cases import cases, each_seed

from treewhile.incremental.sessions.messages import AnyEvent, Append, Close, Edit, Open, Revoke
from treewhile.incremental.sessions.session import Session
from treewhile.server.hosted.allowances import SIZE_OF_WORD, Allowance
from treewhile.server.limits import Limits
from treewhile.server.work.engines import Engine

LIMITS = replace(Limits(), documents=2, characters=60)


def random_event(source: random.Random, version: int, texts: Mapping[str, str]) -> AnyEvent:
    """An event that may be too much, for documents as they stand: `t` of text, `w` of words."""
    move = source.randrange(6)
    if move == 0:
        text = source.choice("x🎉") * source.randrange(50)
        return source.choice([Open("t", version, text=text, positions="utf16"), Close("t")])
    if move == 1:
        return source.choice([Open("w", version, words=["x"] * source.randrange(5)), Close("w")])
    if move == 2:
        return Append("w", version, ["x"] * source.randrange(5))
    if move == 3:
        return Revoke("w", version, source.randrange(4))
    text = texts.get("t", "")
    start, end = (units(text[:place]) for place in sorted(source.choices(range(len(text) + 1), k=2)))
    return Edit("t", version, start, end, source.choice("x🎉") * source.randrange(30))


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def is_too_much(event: AnyEvent, session: Session) -> bool:
    """As the limits have it, by counting all there is."""
    if isinstance(event, Open) and len(session.versions) >= LIMITS.documents:
        return True
    text, words = getattr(event, "text", None) or "", getattr(event, "words", None) or ()
    more = len(text) + SIZE_OF_WORD * len(words)
    gone = max(0, event.end - event.start) if isinstance(event, Edit) else 0
    held = sum(units + SIZE_OF_WORD * given for units, given in session.sizes)
    return more > 0 and held + more - gone > LIMITS.characters


@each_seed(cases(10))
def test_what_is_too_much_is_what_counting_afresh_says(engines: Mapping[str, Engine], seed: int) -> None:
    source = random.Random(seed)
    session = engines["tiny"].new_session()
    allowance = Allowance(session, LIMITS)
    texts: dict[str, str] = {}
    refused = 0
    for version in range(300):
        event = random_event(source, version, texts)
        expected = is_too_much(event, session)
        assert allowance.bears(event) is not expected, (seed, version, event)
        refused += expected
        if not expected:
            session.receive(event)
            follow(texts, event, session)
    assert 10 < refused < 290
    assert len(allowance.refusals) == refused


def follow(texts: dict[str, str], event: AnyEvent, session: Session) -> None:
    """Keeps the text as the session has it, of which the events that it refuses are no part."""
    if "t" not in session.versions:
        texts.pop("t", None)
    elif session.versions["t"] == getattr(event, "version", None) and isinstance(event, Open):
        texts["t"] = event.text or ""
    elif isinstance(event, Edit) and session.versions["t"] == event.version:
        before = texts["t"].encode("utf-16-le")
        now = before[: 2 * event.start] + event.text.encode("utf-16-le") + before[2 * event.end :]
        texts["t"] = now.decode("utf-16-le")
