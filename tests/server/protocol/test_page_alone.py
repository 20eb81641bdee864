"""A client of the rules and the defaults that PROTOCOL.md tells, and of nothing else of this house."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest
from cases import cases, each_seed
from protocol_page import AS_IN_THE_BASE, defaults_told
from reach import Reached
from shells import Client, MakeModel, Shell

from treewhile.incremental.sessions.messages import AnyMessage, AskAnalyses, Edit, Open, OptionChanges
from treewhile.incremental.sessions.session import Session
from treewhile.server.protocol.frames import ENCODINGS, Encoding

Fields = dict[str, Any]
DEFAULTS = {
    part: {name: json.loads(default) for where, name, default in defaults_told() if where == part}
    for part in ("analysis", "a word")
}
OF_ONE_MESSAGE = ("number", "answers", "seconds", "version")
PIECES = ["the dog barks", " .", ".", " ", "who came in", "\n\n", "old", "s", " she left ."]


class PageClient(Client):
    """Puts together what frames say; all analyses are kept with all of their fields."""

    def __init__(self, encoding: Encoding) -> None:
        super().__init__()
        self.encoding, self.known = encoding, list[Fields | None]()

    def read(self, message: AnyMessage) -> None:
        super().read(message)
        codec = msgspec.json if self.encoding.is_text else msgspec.msgpack
        self.take(codec.decode(self.encoding.encode(message)))

    def take(self, message: Fields) -> None:
        kind, known = message.pop("type"), self.known
        if kind == "sentences":
            first, gone = message["first"], message["removed"]
            known[first : first + gone] = [None] * message["added"]
            assert len(known) == message["count"]
            for place, one in enumerate(known):
                if one:
                    one["sentence"] = place
        elif kind == "moved":
            for one in filter(None, known[message["sentence"] :]):
                one["first_word"] += message["words"]
                one["start"] += message["units"]
        elif kind == "analysis":
            known[message["sentence"]] = whole(message)
        elif kind == "delta":
            base = known[message["sentence"]]
            assert base is not None
            known[message["sentence"]] = self.joined(base, message)

    def joined(self, base: Fields, delta: Fields) -> Fields:
        assert base["number"] == delta.pop("base")
        words = base["words"][: delta.pop("length")]
        for number, word in sorted((int(number), word) for number, word in delta.pop("words").items()):
            words[number - 1 : number] = [word]
        kept = {name: base[name] for name in ("virtual", "conflicts") if name not in delta}
        changes = delta.pop("constituents", AS_IN_THE_BASE)
        if changes == AS_IN_THE_BASE:
            kept["constituents"] = base["constituents"]
        elif changes is not None:
            first, listed = changes["first"], base["constituents"] or []
            behind = listed[first + changes["removed"] :]
            kept["constituents"] = listed[:first] + changes["added"] + behind
        return whole({**delta, **kept, "words": words})


def whole(analysis: Fields) -> Fields:
    """With all fields that were left out."""
    words = [{**DEFAULTS["a word"], **word} for word in analysis["words"]]
    return {**DEFAULTS["analysis"], **analysis, "words": words}


def seen(client: PageClient) -> list[Fields]:
    """What does not tell one message from another."""
    assert all(client.known)
    return [
        {name: value for name, value in one.items() if name not in OF_ONE_MESSAGE}
        for one in client.known
        if one
    ]


@pytest.mark.reaches(0.9)
@pytest.mark.parametrize("encoding", ENCODINGS.values(), ids=lambda one: one.name)
@each_seed(cases(6))
def test_a_client_of_the_page_alone_has_the_analyses_of_the_server(
    make_model: MakeModel, encoding: Encoding, seed: int, reached: Reached
) -> None:
    source, shell = random.Random(seed), Shell(Session(make_model(with_spans=True)))
    shell.client = client = PageClient(encoding)
    text = "the old dog barks at me ."
    options = OptionChanges(streams=["constituents"])
    shell.send(Open("d", 0, text=text, options=options))
    shell.pause()
    for version in range(1, 15):
        start = source.randint(0, len(text))
        end = min(len(text), start + source.choice([0, 1, 2]))
        piece = source.choice([*PIECES, ""])
        text = text[:start] + piece + text[end:]
        shell.send(Edit("d", version, start, end, piece, base=version - 1))
        if source.random() < 0.7:
            shell.pause()
            put_together = seen(client)
            shell.send(AskAnalyses("d"))
            assert put_together == seen(client), (seed, version, text)
    assert not client.errors
    reached(client.deltas > 2)


def test_a_sentence_whose_full_stop_goes_is_whole_no_longer(make_model: MakeModel) -> None:
    shell = Shell(Session(make_model()))
    shell.client = client = PageClient(ENCODINGS["treewhile.v1+json"])
    options = OptionChanges(levels=["L0"])
    shell.send(Open("d", 0, text="the old dog of the man barks at me .", options=options))
    shell.pause()
    assert [one["whole"] for one in seen(client)] == [True]
    shell.send(Edit("d", 1, 35, 36, ""))
    shell.pause()
    assert [one["whole"] for one in seen(client)] == [False]
    assert client.deltas
