"""A server that knows some sentences by heart, as they grow, and counts what steps can attain."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from treewhile.incremental.parsers.analyses import Analysis
from treewhile.incremental.sessions.document_parses import common_length
from treewhile.incremental.sessions.followed_steps import FollowedSteps, steps_message
from treewhile.incremental.sessions.next_steps import Question, StepFollower
from treewhile.incremental.sessions.plans import SHIFT
from treewhile.oracles.errors import InputError

WELCOME = {
    "type": "welcome",
    "session": "token",
    "epoch": 1,
    "resumed": False,
    "documents": [],
    "heartbeat": 30,
    "model": "en",
    "language": "en",
    "models": ["en"],
    "languages": {"en": "en"},
    "abilities": {"en": []},
    "labels": {"en": []},
    "tags": {"en": []},
    "limits": {
        "message_bytes": 1,
        "messages_a_second": 1,
        "documents": 1,
        "characters": 2000,
        "text_characters": 2000,
    },
    "resume_seconds": 60,
    "server": "0",
}


class FakeDocument:
    """A document of one sentence; the parser's own steps have taken one word."""

    def __init__(self, text: str) -> None:
        self.text, self.version, self.forms = text, 0, 0
        self.words: list[dict[str, Any]] = []
        self.steps, self.follower = FollowedSteps(), StepFollower()

    @property
    def own(self) -> bytes:
        return bytes([SHIFT] * min(1, self.forms))

    def take(self, words: list[dict[str, Any]]) -> None:
        """Other words; what was done by hand with those that stay is kept, as a server does it."""
        before, after = ([word["form"] for word in some] for some in (self.words, words))
        self.steps.change_words(common_length(before, after), len(before), len(after))
        self.words, self.forms = words, len(words)


class FakeSession:
    """Answers every version at once, or when it is told to; `known` has form/TAG/head/label of each word.

    `phrases` are the constituents of all of them, outer ones first, for those who ask for constituents;
    `completeness` is what it says of every text to those who ask for that, by `may_end` and `ends`;
    `lemmas` has lemma/XPOS of forms, for those who ask for lemmas;
    `confidences` are those of the first words;
    `margins` has the margin of the arcs to words by their numbers, with the head and label of the rival;
    `rules` has the constraints that decided, by the numbers of words;
    `others` has head, label and probability of what words could be instead, by their numbers.
    """

    def __init__(
        self,
        known: str = "",
        stable: int = 0,
        conflicts: list[dict[str, Any]] | None = None,
        models: list[str] | None = None,
        phrases: list[tuple[str, int, int]] | None = None,
        completeness: tuple[float, float] | None = None,
        lemmas: dict[str, str] | None = None,
        confidences: list[float] | None = None,
        margins: dict[int, tuple[float, int, str]] | None = None,
        rules: dict[int, str] | None = None,
        others: dict[int, list[tuple[int, str, float]]] | None = None,
        tells_mistakes: bool = True,
    ) -> None:
        self.learn(known)
        self.stable, self.conflicts = stable, conflicts or []
        self.models = models or ["en"]
        self.phrases, self.tells_phrases = phrases, False
        self.completeness, self.tells_completeness = completeness, False
        self.lemmas, self.tells_lemmas = lemmas, False
        self.confidences = confidences or []
        self.margins, self.rules, self.others = margins or {}, rules or {}, others or {}
        self.tells_mistakes = tells_mistakes
        self.documents: dict[str, FakeDocument] = {}
        self.number = 0
        self.socket: Any = None
        self.is_held = False
        self.is_away = False
        self.is_silent = False
        self.whole = self.proven = False
        self.stage = "settled"
        self.fixes: dict[int, dict[str, Any]] = {}  # what is decided about words, by their numbers
        self.refusal = ""  # why it decides nothing
        self.unsure = ""  # why it tells no margins
        self.is_open = False  # whether steps know of words to come
        self.events: list[dict[str, Any]] = []

    def learn(self, known: str) -> None:
        self.known = [word.rsplit("/", 3) for word in known.split()]

    @property
    def text(self) -> str:
        return self.documents["page"].text

    @property
    def version(self) -> int:
        return self.documents["page"].version

    def all(self, kind: str) -> list[dict[str, Any]]:
        """The events of a type that have come."""
        return [event for event in self.events if event["type"] == kind]

    def join(self, socket: Any) -> None:
        """Takes a new connection; while the session is away, nobody gets through to it."""
        if self.is_away:
            socket.close(code=1013)
            return
        self.socket = socket
        socket.on_message(lambda frame: self.take(json.loads(frame)))

    def say(self, message: dict[str, Any]) -> None:
        if not self.is_silent:
            self.socket.send(json.dumps(message))

    def take(self, event: dict[str, Any]) -> None:
        self.events.append(event)
        if event["type"] == "ping":
            self.say({"type": "pong", "number": event["number"]})
        elif event["type"] == "hello":
            model = event.get("model", "en")
            about = {"model": model, "language": model, "models": self.models}
            own = {"constituents": self.phrases, "completeness": self.completeness}
            knows = {**own, "lemmas": self.lemmas, "mistakes": self.tells_mistakes or None}
            abilities = [name for name, what in knows.items() if what is not None]
            about["languages"] = {name: name for name in self.models}
            about["abilities"] = dict.fromkeys(self.models, abilities)
            self.say({**WELCOME, **about, **{name: name in abilities for name in own}})
        elif event["type"] == "options":
            self.take_options(event["options"])
        elif event["type"] in ("open", "edit", "finish"):
            self.change(event)
        elif event["type"] == "fix":
            self.fix(event)
        elif event["type"] in ("gold", "step", "undo", "ask_steps"):
            self.follow(event)
        elif event["type"] == "ask_margins":
            self.say_margins(event["document"])

    def take_options(self, options: dict[str, Any]) -> None:
        if "lemmas" in options:
            self.tells_lemmas = options["lemmas"]
            self.answer()
        if "streams" in options:
            self.take_streams(options["streams"])

    def take_streams(self, streams: list[str]) -> None:
        told = self.tells_phrases
        self.tells_phrases = "constituents" in streams
        told_ends, self.tells_completeness = (
            self.tells_completeness,
            "completeness" in streams,
        )
        if self.tells_phrases and not told:
            self.answer()
        elif self.tells_completeness and not told_ends:
            self.say_completeness()

    def change(self, event: dict[str, Any]) -> None:
        name = event["document"]
        if event["type"] == "open":
            options = event.get("options", {})
            streams = options.get("streams", ())
            if name == "page":
                self.fixes = {}
                self.tells_lemmas = options.get("lemmas", False)
            self.tells_phrases |= "constituents" in streams
            self.tells_completeness |= "completeness" in streams
            self.documents[name] = FakeDocument(event.get("text") or " ".join(event.get("words", [])))
        document = self.documents[name]
        document.version = event["version"]
        if event["type"] == "edit":
            units = document.text.encode("utf-16-le")
            start, end = units[: 2 * event["start"]], units[2 * event["end"] :]
            document.text = (start + event["text"].encode("utf-16-le") + end).decode("utf-16-le")
        if not self.is_held:
            self.answer(name)

    def answer(self, name: str = "page") -> None:
        document = self.documents[name]
        analysis = self.analysis(document.text, document.version)
        document.take(analysis["words"])
        self.say({**analysis, "document": name})
        if self.tells_completeness and name == "page":
            self.say_completeness()

    def fix(self, event: dict[str, Any]) -> None:
        """Holds what is decided, and parses nothing anew."""
        if self.refusal:
            about = {"document": event["document"], "version": event["version"]}
            self.say({"type": "error", "code": "bad_fix", "message": self.refusal, **about})
            return
        for part in ("head", "label", "tag"):
            for number, value in event.get(f"{part}s", {}).items():
                self.fixes.setdefault(int(number), {})[part] = value
        self.answer()

    def say_completeness(self) -> None:
        """Nothing of a text without words."""
        document = self.documents["page"]
        if self.completeness and document.forms:
            about = {"document": "page", "version": document.version, "sentence": 0, "words": document.forms}
            may_end, ends = self.completeness
            self.say({"type": "completeness", **about, "may_end": may_end, "ends": ends})

    def say_margins(self, name: str) -> None:
        """Those of all arcs; an arc of which nothing is said has no rival."""
        document = self.documents[name]
        if self.unsure:
            about = {"document": name, "version": document.version}
            self.say({"type": "error", "code": "unsupported", "message": self.unsure, **about})
            return
        arcs = []
        for number, word in enumerate(document.words, 1):
            margin, head, label = self.margins.get(number, (None, None, None))
            rival = None if margin is None else {"head": head, "label": label}
            own = {"word": number, "head": word["head"], "label": word["label"]}
            others = [
                {"head": head, "label": label, "probability": probability}
                for head, label, probability in self.others.get(number, ())
            ]
            told = {"margin": margin, "rival": rival, "constraint": self.rules.get(number)}
            arcs.append({**own, **told, "alternatives": others})
        about = {"document": name, "version": document.version, "sentence": 0}
        self.say({"type": "margins", **about, "arcs": arcs})

    def follow(self, event: dict[str, Any]) -> None:
        """What the steps can attain, of the gold heads or of a chain."""
        document = self.documents[event["document"]]
        steps = document.steps
        try:
            if event["type"] == "gold":
                steps.set_gold(event["heads"], document.forms)
            elif event["type"] == "step":
                steps.step(event["step"], document.own, document.forms, is_open=False)
            elif event["type"] == "undo" and event.get("all"):
                steps.give_back()
            elif event["type"] == "undo":
                steps.undo(document.own)
        except InputError as error:
            self.say(
                {
                    "type": "error",
                    "code": f"bad_{event['type']}",
                    "message": str(error),
                    "document": event["document"],
                }
            )
        else:
            self.say(self.next_steps(event["document"], document, event.get("plan", False)))

    def next_steps(self, name: str, document: FakeDocument, plan: bool = False) -> dict[str, Any]:
        """Those of a sentence in which every word hangs on the one before."""
        steps, n = document.steps, document.forms
        forms, tags, labels = ([word[part] for word in document.words] for part in ("form", "tag", "label"))
        chain = Analysis(tuple(forms), tuple(tags), ("_",) * n, tuple(range(n)), tuple(labels))
        made = document.own if steps.by_hand is None else steps.by_hand
        question = Question(made, chain, self.is_open, steps.gold, wants_plan=plan)
        steps.answer = document.follower.answer(question)
        message: dict[str, Any] = msgspec.to_builtins(steps_message(steps, name, document.version, 0))
        return message

    def analysis(self, text: str, version: int) -> dict[str, Any]:
        """The sentence of a text, in which every word that is not known hangs on the one before."""
        self.number += 1
        spans = [match.span() for match in re.finditer(r"[\w'🎉]+|[^\w\s]", text)]
        words = [self.word(text, span, place, len(spans)) for place, span in enumerate(spans)]
        virtual = {word["head"] for word in words if word["head"] == -1}
        return {
            "type": "analysis",
            "document": "page",
            "version": version,
            "number": self.number,
            "answers": [version],
            "sentence": 0,
            "first_word": 0,
            "start": 0,
            "stage": self.stage,
            "levels": ["L0", "L1"],
            "words": words,
            "virtual": [{"node": 1, "tag": "NOUN", "head": "later", "label": "obj"}] if virtual else [],
            "conflicts": self.conflicts,
            "stable_upto": min(self.stable, len(words)),
            "whole": self.whole,
            "proven": self.proven,
            "score": None,
            "seconds": 0.001,
            "constituents": self.constituents(len(words)) if self.tells_phrases else None,
        }

    def constituents(self, count: int) -> list[list[Any]]:
        """Those that have begun; they are open where their last word has not come."""
        begun = [one for one in self.phrases or () if one[1] <= count]
        return [[label, first, last if last <= count else None] for label, first, last in begun]

    def word(self, text: str, span: tuple[int, int], place: int, count: int) -> dict[str, Any]:
        form = text[slice(*span)]
        start, end = (len(text[:at].encode("utf-16-le")) // 2 for at in span)
        _, tag, head, label = self.known[place] if place < len(self.known) else (form, "X", str(place), "dep")
        where: int | str = int(head)
        if int(head) > count:
            where = -1 if label == "det" else "later"
        decided = {part: value for part, value in self.fixes.get(place + 1, {}).items() if value is not None}
        return {
            "form": form,
            "start": start,
            "end": end,
            "tag": tag,
            "features": "_",
            "head": where,
            "label": label,
            **({"confidence": self.confidences[place]} if place < len(self.confidences) else {}),
            **self.lemma_of(form),
            **decided,
            **({"fixed": [*decided]} if decided else {}),
        }

    def lemma_of(self, form: str) -> dict[str, str]:
        """Lemma and XPOS, if they were asked for and are known."""
        known = (self.lemmas or {}).get(form) if self.tells_lemmas else None
        return dict(zip(("lemma", "xpos"), known.split("/"), strict=True)) if known else {}
