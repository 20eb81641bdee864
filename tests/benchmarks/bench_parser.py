"""How fast a model parses: one word that has come, the best parse of a prefix, and files.

    L0        a word comes: vector, causal state, tag, steps of the committed parse at the default risk
    L1        the best parse of a prefix of some length, virtual nodes included, when one more has come
    in memory the best parses of whole sentences, 16 at a time; the model is loaded anew, so all forms are new
    command   `treewhile parse IN OUT`, started afresh: imports, the model, reading and writing included
    UDPipe    tagging and parsing the same words by UDPipe 1, from reading to writing, its model loaded before

What is compared takes turns. UDPipe's model is trained here, if it is not there yet, with few iterations: its
speed is that of its sizes, not of its weights. One thread each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from measuring import model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import GrowingParse, Model, Sentence, load_model, read_sentences

AT_ONCE: Final = 16
PREFIXES: Final = (10, 30, 50)
UDPIPE_TAGGER: Final = "models=1;iterations_1=5;provide_lemma=0;use_lemma=0;use_xpostag=0"
UDPIPE_PARSER: Final = "iterations=1;transition_system=projective;transition_oracle=dynamic;use_xpostag=0"


def seconds_of(task: Callable[[], object]) -> float:
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


# --- one word ---------------------------------------------------------------------------------------------


def word_times(model: Model, sentences: list[Sentence]) -> dict[str, list[float]]:
    """The milliseconds of every append, and of best parses of some prefixes."""
    times: dict[str, list[float]] = {"L0": [], **{f"L1, {t} words": [] for t in PREFIXES}}
    for sentence in sentences:
        parse = GrowingParse(model)
        for t, word in enumerate(sentence.words, 1):
            times["L0"].append(1000 * seconds_of(partial(parse.append, word.form)))
            if t + 1 in PREFIXES:
                parse.best()
            if t in PREFIXES:
                times[f"L1, {t} words"].append(1000 * seconds_of(parse.best))
    return times


# --- files ------------------------------------------------------------------------------------------------


def parse_in_memory(model: Model, sentences: list[list[str]]) -> None:
    for start in range(0, len(sentences), AT_ONCE):
        model.parse_all(sentences[start : start + AT_ONCE])


def run_command(model: str, source: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "treewhile.server.commands", "parse", "--model", model]
    subprocess.run([*command, str(source), str(folder / "out.conllu")], check=True)


def udpipe_parser(path: Path, train: Path, source: Path) -> Callable[[], object]:
    """A function that parses the source by UDPipe, with a model that stands at the path or will."""
    from ufal import udpipe

    if not path.exists():
        _train_udpipe(udpipe, path, train)
    model = udpipe.Model.load(str(path))
    pipeline = udpipe.Pipeline(model, "conllu", udpipe.Pipeline.DEFAULT, udpipe.Pipeline.DEFAULT, "conllu")

    def parse(kept: Any = model) -> None:  # the pipeline does not keep its model alive
        pipeline.process(source.read_text())

    return parse


def _train_udpipe(udpipe: Any, path: Path, train: Path) -> None:
    sentences, reader = udpipe.Sentences(), udpipe.InputFormat.newConlluInputFormat()
    reader.setText(train.read_text())
    sentence, problem = udpipe.Sentence(), udpipe.ProcessingError()
    while reader.nextSentence(sentence, problem):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    none = udpipe.Trainer.NONE
    trained = udpipe.Trainer.train(
        "morphodita_parsito", sentences, udpipe.Sentences(), none, UDPIPE_TAGGER, UDPIPE_PARSER, problem
    )
    if problem.occurred():
        raise SystemExit(f"UDPipe could not be trained: {problem.message}")
    path.write_bytes(trained if isinstance(trained, bytes) else trained.encode(errors="surrogateescape"))


def words_a_second(arguments: argparse.Namespace, words: int, model: Model) -> dict[str, list[float]]:
    """The rates of all ways to parse the file, which take turns."""
    forms = [[word.form for word in sentence.words] for sentence in read_sentences(arguments.source)]
    with tempfile.TemporaryDirectory() as folder:
        tasks: dict[str, Callable[[], object]] = {
            "in memory": lambda: parse_in_memory(load_model(arguments.model), forms),
            "command": lambda: run_command(arguments.model, arguments.source, Path(folder)),
        }
        if arguments.udpipe:
            tasks["UDPipe 1"] = udpipe_parser(arguments.udpipe, arguments.train, arguments.source)
        for task in tasks.values():
            task()
        rates: dict[str, list[float]] = {name: [] for name in tasks}
        for _ in range(arguments.repeats):
            for name, task in tasks.items():
                rates[name].append(words / seconds_of(task))
    return rates


# --- the report -------------------------------------------------------------------------------------------


def show(times: dict[str, list[float]], rates: dict[str, list[float]]) -> None:
    console = Console(width=110)
    table = Table("one word", "p50 ms", "p99 ms", "times")
    for name, values in times.items():
        if values:
            p50, p99 = np.percentile(values, (50, 99))
            table.add_row(name, f"{p50:.3f}", f"{p99:.3f}", f"{len(values):,}")
    console.print(table)
    table = Table("files", "words/s, median", "least", "most")
    for name, values in rates.items():
        table.add_row(name, *(f"{value:,.0f}" for value in (median(values), min(values), max(values))))
    console.print(table)


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--udpipe", type=Path, help="where UDPipe's model is, or will be: needs ufal.udpipe")
    parser.add_argument("--train", type=Path, help="what UDPipe's model is trained on, if it is not there")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, help="where to write all times and rates")
    arguments = parser.parse_args()
    sentences = [*read_sentences(arguments.source)]
    words = sum(len(sentence.words) for sentence in sentences)
    model = load_model(arguments.model)
    print(
        f"{arguments.source.name}: {words:,} words; {platform.machine()}, CPython {platform.python_version()}"
    )
    word_times(model, sentences[:20])  # kernels are compiled, or loaded
    times = word_times(model, sentences)
    rates = words_a_second(arguments, words, model)
    show(times, rates)
    if arguments.json:
        arguments.json.write_text(json.dumps({"milliseconds": times, "words a second": rates}))


if __name__ == "__main__":
    main()
