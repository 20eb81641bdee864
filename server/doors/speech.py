"""What doors for speech share: a listener here or on a server, and whether a sentence seems to have ended."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TypeAlias

from treewhile.incremental.compiling import warm_up
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.async_listeners import AsyncListener
from treewhile.incremental.transcripts.updates import Update
from treewhile.server.client.listeners import RemoteListener

SpeechListener: TypeAlias = AsyncListener | RemoteListener


async def listener_on(model: str, server: str | None, options: OptionChanges) -> SpeechListener:
    """A listener to be entered, that parses on a server, or in this process with a model."""
    if server is not None:
        return RemoteListener(server, model=model, options=options)
    return AsyncListener(Session(await asyncio.to_thread(ready_model, model)), options=options)


@lru_cache(4)
def ready_model(name: str) -> Model:
    """A model, once a process, for which all is compiled."""
    model = load_model(name)
    warm_up(model, ["L0", "L1"])
    return model


def ends_now(update: Update | None, silence: float) -> float:
    """The probability that the speaker has finished, after so many seconds of silence; 0 if unknown."""
    known = update.completeness if update else None
    return known.after(max(0.0, silence)).ends if known else 0.0


def may_end_now(update: Update | None) -> float:
    """The probability that what was said could be whole; 0 if nothing is known."""
    known = update.completeness if update else None
    return known.may_end if known else 0.0
