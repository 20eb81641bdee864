"""Requests about sentences: the queue until their sentence is attached, and their effects."""

from __future__ import annotations

from typing import Final

from treewhile.incremental.sessions.messages import AskSteps, Gold, RefusedError, Request, Step, Undo
from treewhile.incremental.sessions.open_sentences import AttachedSentences, OpenSentence
from treewhile.oracles.errors import InputError

MOST_REQUESTS: Final = 64  # maximum number of waiting requests


class Requests:
    """Waiting requests about one document."""

    def __init__(self) -> None:
        self.waiting: list[Request] = []

    def add(self, request: Request) -> None:
        """Add a request. RefusedError if there are too many."""
        if len(self.waiting) >= MOST_REQUESTS:
            what = f"{MOST_REQUESTS} requests wait for their sentences already"
            raise RefusedError("too_much", f"{what}: ask again later", temporary=True)
        self.waiting.append(request)

    def taken(self, sentences: AttachedSentences, version: int) -> list[Request]:
        """Return, once, the requests that can be answered: their sentence is attached, or does not exist."""
        if not self.waiting:
            return []
        early = [one for one in self.waiting if _waits(one, sentences, version)]
        due = [one for one in self.waiting if one not in early]
        self.waiting = early
        return due


def _waits(request: Request, sentences: AttachedSentences, version: int) -> bool:
    is_there = request.version == version and request.sentence < len(sentences)
    return is_there and sentences[request.sentence].number in sentences.waiting


def check_version(request: Request, version: int) -> None:
    """Refuse a request about another version than the current one."""
    if request.version != version:
        what = f"sentence {request.sentence} of version {request.version} is asked about"
        raise RefusedError("old_version", f"{what}, but the version is {version}: ask again", temporary=True)


def carry_out(request: Request, sentences: AttachedSentences) -> OpenSentence:
    """Apply a request to its sentence, and return the sentence; its next steps are wanted then."""
    if request.sentence >= len(sentences):
        what = f"there is no sentence {request.sentence}"
        raise RefusedError("unknown_sentence", f"{what}: the document has {len(sentences)}, counted from 0")
    sentence = sentences[request.sentence]
    steps, own, n = sentence.steps, sentence.own_steps, len(sentence.forms)
    try:
        if isinstance(request, Gold):
            steps.set_gold(request.heads, n)
        elif isinstance(request, Step):
            steps.step(request.step, own, n, not sentence.is_whole)
        elif isinstance(request, Undo) and request.all:
            steps.give_back()
        elif isinstance(request, Undo):
            steps.undo(own)
        elif isinstance(request, AskSteps):
            steps.wants_plan |= request.plan
    except InputError as error:
        raise RefusedError("bad_gold" if isinstance(request, Gold) else "bad_step", str(error)) from None
    return sentence
