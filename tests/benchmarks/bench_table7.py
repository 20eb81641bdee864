"""Table 7 of Nederhof 2019: what training on all trees, and on the parser's own path, is worth.

Columns: (1) gold computations, projective trees alone; (2) gold computations, all trees after optimal
projectivization; (3) and (4) the same with a second half that explores, with the linear oracle; (5) as (4)
with trees as they are, and the cubic oracle. The shift-reduce parser alone is trained, on words and gold
UPOS, and looks two words ahead. Scores are those of the test part, subtypes of labels included, with the
weights that did best on the dev part; means over seeds. A finished run is added to the results file, and one
that is there is not repeated.

The paper's parser differs: one hidden layer of 256, word vectors from elsewhere, three words of lookahead.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final

import torch
from rich.console import Console
from rich.table import Table

from treewhile.incremental import Sentence, read_sentences
from treewhile.incremental.parsers.network_shapes import Shape
from treewhile.incremental.parsers.parsing import Model
from treewhile.incremental.scores.conll_scores import conll_scores
from treewhile.incremental.training.dev_scores import committed_parse
from treewhile.incremental.training.settings import Settings
from treewhile.incremental.training.trainer import Trainer

COLUMNS: Final[dict[int, dict[str, Any]]] = {
    1: {"trees": "projective", "explore": "none"},
    2: {"trees": "all", "explore": "none"},
    3: {"trees": "projective", "explore": "projectivized"},
    4: {"trees": "all", "explore": "projectivized"},
    5: {"trees": "all", "explore": "original"},
}

FOLDERS: Final = {"el": "ud/el_gdt-2.2", "hu": "ud/hu_szeged-2.2"}

# LAS and UAS of the columns, as printed
PAPER: Final = {
    "el": [(71.62, 77.45), (72.78, 78.34), (70.49, 77.14), (72.66, 78.91), (72.34, 78.36)],
    "hu": [(52.70, 65.72), (56.20, 68.96), (54.09, 67.55), (57.37, 70.20), (57.62, 70.30)],
}


def part(data: Path, language: str, name: str) -> list[Sentence]:
    (path,) = (data / FOLDERS[language]).glob(f"*{name}.conllu")
    return [*read_sentences(path)]


def settings_of(column: int, seed: int, epochs: int) -> Settings:
    return Settings(**COLUMNS[column], tags="gold-upos", epochs=epochs, seed=seed, committed_only=True)


def measured(data: Path, language: str, column: int, seed: int, epochs: int) -> dict[str, Any]:
    """The scores of a run of its own."""
    start = time.monotonic()
    settings = settings_of(column, seed, epochs)
    trainer = Trainer(part(data, language, "train"), part(data, language, "dev"), settings)
    calls = []
    while not trainer.is_done:
        calls.append(trainer.run_epoch(lambda words: None).oracle_calls_a_second)
    test = part(data, language, "test")
    model = Model(trainer.model_file({}))
    scores = conll_scores(test, [parsed(model, sentence) for sentence in test])
    return {
        **told(language, column, seed, epochs),
        "LAS": 100 * scores["LAS with subtypes"].f1,
        "UAS": 100 * scores["UAS"].f1,
        "LAS without subtypes": 100 * scores["LAS"].f1,
        "oracle calls a second": max(calls),
        "seconds": time.monotonic() - start,
    }


def told(language: str, column: int, seed: int, epochs: int) -> dict[str, Any]:
    """What tells a run from others."""
    settings = {**asdict(settings_of(column, seed, epochs)), **asdict(Shape())}
    return {"language": language, "column": column, "settings": settings, "torch": torch.__version__}


def parsed(model: Model, sentence: Sentence) -> Sentence:
    analysis = committed_parse(model, sentence)
    pairs = zip(analysis.heads, analysis.labels, strict=True)
    columns = {number: {"head": str(head), "deprel": label} for number, (head, label) in enumerate(pairs, 1)}
    return sentence.with_columns(columns)


def runs(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All runs, from the results file or now."""
    path: Path = arguments.results
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for seed in range(1, arguments.seeds + 1):
        for language in arguments.languages:
            for column in COLUMNS:
                this = told(language, column, seed, arguments.epochs)
                found = next((run for run in known if this.items() <= run.items()), None)
                if found is None:
                    found = measured(arguments.data, language, column, seed, arguments.epochs)
                    with path.open("a") as results:
                        results.write(json.dumps(found) + "\n")
                yield found


def show(results: list[dict[str, Any]]) -> None:
    table = Table("", *map(str, COLUMNS), title="LAS / UAS on the test part")
    for language in dict.fromkeys(run["language"] for run in results):
        columns = [
            [run for run in results if (run["language"], run["column"]) == (language, column)]
            for column in COLUMNS
        ]
        table.add_row(f"{language} here", *map(cell, columns))
        table.add_row(f"{language} paper", *(f"{las:.2f} / {uas:.2f}" for las, uas in PAPER[language]))
    Console(width=140).print(table)
    print(f"oracle calls a second, at most: {max(run['oracle calls a second'] for run in results):,.0f}")
    seconds = mean(run["seconds"] for run in results)
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads, {seconds:.0f} s a run")


def cell(column: list[dict[str, Any]]) -> str:
    las, uas = ([run[name] for run in column] for name in ("LAS", "UAS"))
    spread = f" (sd {stdev(las):.2f})" if len(las) > 1 else ""
    return f"{mean(las):.2f} / {mean(uas):.2f}{spread}" if las else ""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the treebanks")
    parser.add_argument("--languages", nargs="+", choices=FOLDERS, default=[*FOLDERS])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/table7.jsonl"))
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    arguments.results.parent.mkdir(parents=True, exist_ok=True)
    results = []
    for run in runs(arguments):
        results.append(run)
        print(json.dumps(run), flush=True)
    show(results)


if __name__ == "__main__":
    main()
