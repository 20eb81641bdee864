"""Helpers of the doors for speech: a listener here or on a server, and probabilities of an end."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import TypeAlias

from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.sessions.messages import OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.incremental.transcripts.threaded_listeners import AsyncListener
from treewhile.incremental.transcripts.updates import Update
from treewhile.server.client.listeners import RemoteListener

SpeechListener: TypeAlias = AsyncListener | RemoteListener


async def listener_on(model: str, server: str | None, options: OptionChanges) -> SpeechListener:
    """Return a listener, not yet entered, that parses on a server or in this process."""
    if server is not None:
        return RemoteListener(server, model=model, options=options)
    return AsyncListener(Session(await asyncio.to_thread(cached_model, model)), options=options)


cached_model = lru_cache(4)(load_model)


def ends_now(update: Update | None, silence: float) -> float:
    """Return the probability that the speaker has finished, after seconds of silence; 0 if unknown."""
    known = update.completeness if update else None
    return known.after(max(0.0, silence)).ends if known else 0.0


def may_end_now(update: Update | None) -> float:
    """Return the probability that the sentence could be complete; 0 if unknown."""
    known = update.completeness if update else None
    return known.may_end if known else 0.0
