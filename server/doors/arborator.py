"""Door to Arborator-Grew: HTTP routes under /parser/models, which start a parse and return its result later.

Errors are in the JSON of the answer as well as in the HTTP status, as Arborator-Grew reads them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection, Sequence
from concurrent.futures import Future
from dataclasses import replace
from http import HTTPStatus
from time import monotonic
from typing import Any, Final, Literal, NamedTuple

import msgspec
import numpy as np

from treewhile.incremental.parsers.analyses import Analysis, Decision
from treewhile.incremental.parsers.growing_parse import GrowingParse
from treewhile.incremental.parsers.parsed_treebank import parse_sentences, values_of, with_analyses
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.parsers.rescoring import Preference
from treewhile.incremental.treebanks.treebank import Sentence
from treewhile.oracles.errors import InputError
from treewhile.server.doors.desk.parsing import portions, sentences_of, with_columns_of
from treewhile.server.doors.desk.requests import Answer, Request, RequestError, Work, json_answer, json_of
from treewhile.server.doors.desk.service import Route, Service

PROJECT: Final = "treewhile"  # of all models that users may choose
COLUMNS: Final = {"keep_upos": "upos", "keep_feats": "feats", "keep_heads": "head", "keep_deprels": "deprel"}
MOST_TASKS: Final = 64
TASK_SECONDS: Final = 3600.0  # for which the result of a task is kept

Kept = Literal["NONE", "EXISTING", "ALL"]


class ModelInfo(msgspec.Struct):
    """Model in Arborator-Grew's terms: its project and its name there."""

    project_name: str = PROJECT
    model_id: str = ""


class Settings(msgspec.Struct):
    """Columns whose values are kept where they are not empty; XPOS and LEMMA always are."""

    keep_upos: Kept = "NONE"
    keep_feats: Kept = "NONE"
    keep_heads: Kept = "NONE"
    keep_deprels: Kept = "NONE"

    @property
    def columns(self) -> list[str]:
        return [column for name, column in COLUMNS.items() if getattr(self, name) != "NONE"]


class ToParse(msgspec.Struct):
    """Request to parse samples, given by name in CoNLL-U."""

    to_parse_samples: dict[str, str]
    model_info: ModelInfo = msgspec.field(default_factory=ModelInfo)
    parsing_settings: Settings = msgspec.field(default_factory=Settings)


class Asked(msgspec.Struct):
    """Request for the result of a task."""

    parse_task_id: str


class Task(NamedTuple):
    """Parse that was started."""

    done: Future[Answer]
    since: float


class Tasks:
    """Tasks whose results may be requested; beyond a number, finished ones are dropped, the oldest first."""

    def __init__(self) -> None:
        self._tasks: dict[str, Task] = {}

    def add(self, done: Future[Answer]) -> str:
        """Add a task and return its name."""
        self._forget()
        name = secrets.token_urlsafe(16)
        self._tasks[name] = Task(done, monotonic())
        return name

    def result(self, name: str) -> Answer | None:
        """Return the result of a task, or None while it is running."""
        self._forget()
        if name not in self._tasks:
            raise InputError("there is no such task, or it was long ago: start it again")
        done = self._tasks[name].done
        return done.result() if done.done() else None

    def _forget(self) -> None:
        for name in [name for name, task in self._tasks.items() if task.done.done()]:  # the oldest first
            is_old = self._tasks[name].since < monotonic() - TASK_SECONDS
            if is_old or len(self._tasks) >= MOST_TASKS:
                del self._tasks[name]


TASKS: Final = Tasks()


def list_models(_: Request, service: Service) -> Work:
    yield from ()
    return _success([_info(name) for name in service.models.names])


def start_parse(request: Request, service: Service) -> Work:
    """Start a parse, and answer with the name of its task."""
    asked = json_of(request, ToParse)
    name = service.models.chosen(asked.model_info.model_id)
    yield
    work = _parse(service.models.load(name), asked)
    task = TASKS.add(service.turns.begin(work, len(request.body)))
    return _success({"model_info": asked.model_info, "parse_task_id": task})


def look_for_parse(request: Request, _: Service) -> Work:
    """Answer with the parsed samples of a task once it is done."""
    yield from ()
    return TASKS.result(json_of(request, Asked).parse_task_id) or _success({"ready": False})


def refuse_training(_: Request, __: Service) -> Work:
    yield from ()
    what = (
        "models are not trained over HTTP here: train one with `treewhile train`, and serve it with --model"
    )
    raise RequestError(HTTPStatus.NOT_IMPLEMENTED, what)


def failure(sentence: str, status: HTTPStatus) -> Answer:
    return json_answer({"status": "failure", "error": sentence}, status)


ROUTES = tuple(
    Route((method,), re.compile(f"/parser/models/{path}/?"), work, failure)
    for method, path, work in (
        ("GET", "list", list_models),
        ("POST", "parse/start", start_parse),
        ("POST", "parse/status", look_for_parse),
        ("POST", "train/(start|status)", refuse_training),
    )
)


def _success(data: object) -> Answer:
    return json_answer({"status": "success", "data": data})


def _info(name: str) -> dict[str, Any]:
    return {"project_name": PROJECT, "model_id": name}


def _parse(model: Model, asked: ToParse) -> Work:
    """Parse all samples."""
    found = {}
    for name, sample in asked.to_parse_samples.items():
        pieces: list[str] = []
        for some in portions(sentences_of(sample, name)):
            pieces += map(str, parsed_but_for(model, some, asked.parsing_settings.columns))
            yield
        found[name] = "".join(pieces)
    return _success({"ready": True, "model_info": asked.model_info, "parsed_samples": found})


# --- kept columns -------------------------------------------------------------------------------------------

EMPTY: Final = "_"
SURELY: Final = 1e4  # added to the log probability of a kept head
CLASSES: Final = (None, "any")  # classes of trees: the model's own, and one that contains all trees


def parsed_but_for(model: Model, sentences: Sequence[Sentence], columns: Collection[str]) -> list[Sentence]:
    """Return parsed sentences in which non-empty values of some columns are kept."""
    others = ["lemma", "xpos", *(column for column in columns if column != "head")]
    keeps_heads = "head" in columns
    parsed = parse_sentences(model, sentences)
    return [
        with_columns_of(
            before,
            _with_heads(model, before) if keeps_heads and any(before.heads) else after,
            others,
            but_for=EMPTY,
        )
        for before, after in zip(sentences, parsed, strict=True)
    ]


def _with_heads(model: Model, sentence: Sentence) -> Sentence:
    """Return the best tree that has all given heads of a sentence."""
    wanted = {number: head for number, head in enumerate(sentence.heads, 1) if head is not None}
    for trees in CLASSES:
        analysis = _analysis(model if trees is None else model.with_trees(trees), sentence, wanted)
        if all(analysis.heads[number - 1] == head for number, head in wanted.items()):
            return with_analyses(model, [sentence], [analysis])[0]
    where = f"{sentence.file_name}:{sentence.first_row_line}"
    raise InputError(f"no tree has all heads that are to be kept: correct them, in the sentence at {where}")


def _analysis(model: Model, sentence: Sentence, wanted: dict[int, int]) -> Analysis:
    """Return the analysis with a strong preference for some heads."""
    parse = GrowingParse(model)
    for word, values in zip(sentence.words, values_of(model, sentence), strict=True):
        parse.append(word.form, values)
    parse.close()
    decisions = {number: Decision(head, model.root_label) for number, head in wanted.items()}
    words = len(sentence.words)
    snapshot = parse.snapshot()._replace(with_lemmas=True)
    found = model.rescore(snapshot, Preference(wanted=decisions, bonus=SURELY, words_before=words))
    heads = np.array(found.analysis.heads, np.intp)
    labels = found.label_logs(heads, np.arange(1, words + 1)).argmax(1).tolist()
    return replace(found.analysis, labels=tuple(model.inventory.labels[label] for label in labels))
