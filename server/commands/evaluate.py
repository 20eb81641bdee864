"""The command `treewhile evaluate`: scores of a model on a treebank."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click
from rich.progress import MofNCompleteColumn

from treewhile.incremental import Model, Sentence
from treewhile.incremental.constraints.workbench.searched_sentences import SentenceSearch
from treewhile.incremental.parsers.risks import check_risk
from treewhile.incremental.parsers.shipped_models import load_model
from treewhile.incremental.parsers.text_sources import TREEBANK_NAMES, sentence_of_lines
from treewhile.incremental.parsers.tree_decoding import PREFIX_CLASSES
from treewhile.incremental.scores.evaluation import (
    Evaluated,
    check_gold,
    evaluate_sentence,
    parse_raw_text,
    report,
    score_report,
)
from treewhile.incremental.scores.time_curves import TimedSentence, curves_report, time_sentence
from treewhile.incremental.scores.timed_parses import TimedParses
from treewhile.incremental.scores.word_schedules import SCHEDULES, Schedule, same_for_all
from treewhile.incremental.treebanks.treebank import source_name
from treewhile.incremental.treebanks.ways_of_writing import as_spoken
from treewhile.oracles import InputError
from treewhile.server.commands.grammar.inputs import search_of, searcher_under
from treewhile.server.commands.options import (
    jobs_option,
    json_option,
    repeated_option,
    trees_option,
)
from treewhile.server.corpora.sources import found_sources
from treewhile.server.corpora.worker_processes import in_order
from treewhile.server.terminal.consoles import tell
from treewhile.server.terminal.evaluation_plots import check_plots, draw_plots
from treewhile.server.terminal.progress_bars import progress_bar, read_with_progress
from treewhile.server.terminal.score_tables import show_report

TIME_LIMITS = "a list of numbers above 0 like 2,50,inf, in milliseconds"


def _risks(context: click.Context, parameter: click.Parameter, values: tuple[float, ...]) -> list[float]:
    for value in values:
        try:
            check_risk(value)
        except InputError as error:
            raise click.BadParameter(f"{error}.") from None
    return [*values]


def _time_limits(context: click.Context, parameter: click.Parameter, value: str | None) -> list[float]:
    try:
        limits = [float(limit) for limit in value.split(",")] if value is not None else []
    except ValueError:
        limits = [math.nan]
    if not all(limit > 0 for limit in limits):
        raise click.BadParameter(f"{value!r:.60} has to be {TIME_LIMITS}.")
    return limits


@click.command()
@click.argument("name", metavar="MODEL")
@click.argument("given", metavar="FILE...", nargs=-1, required=True)
@click.option("--raw", is_flag=True, help="Score the words and trees found in the raw text of FILE too.")
@click.option(
    "--spoken",
    is_flag=True,
    help="Score sentences as speech recognizers write them: in lower case, without punctuation.",
)
@click.option("--stream", is_flag=True, help="Score every prefix too, as words come one by one.")
@repeated_option(
    "--risk",
    "risks",
    "R",
    "Score a committed parse of --stream that takes this risk, 0 to 1; may be given again.",
    type=float,
    callback=_risks,
)
@click.option(
    "--time-limits",
    "limits",
    metavar="MS,MS,...",
    callback=_time_limits,
    help="Score the analysis that stands this many milliseconds after each word of --stream.",
)
@click.option(
    "--schedule",
    type=click.Choice([*SCHEDULES]),
    help="Score the analysis that stands when the next word of --stream comes.",
)
@click.option("--limit", type=click.IntRange(min=1), help="Take at most this many sentences, the first ones.")
@trees_option
@click.option(
    "--grammar",
    "grammar_name",
    metavar="G",
    help="Score the trees that a search under this grammar finds, a name or a file.",
)
@json_option("Print one JSON object with all scores.")
@click.option(
    "--plots",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Draw the scores of --stream into this folder.",
)
@jobs_option
def command(
    name: str,
    given: Sequence[str],
    raw: bool,
    spoken: bool,
    stream: bool,
    risks: list[float],
    limits: list[float],
    schedule: str | None,
    limit: int | None,
    trees: str | None,
    grammar_name: str | None,
    as_json: bool,
    folder: Path | None,
    jobs: int,
) -> None:
    """Score MODEL, a file or the name of an installed model, on the treebank FILE, or on several as if one.

    The words are those of FILE; with --raw its text is also put together again and parsed, and the words and
    sentences found in it are scored. Scores of whole sentences are those of the CoNLL 2018 shared task: LAS
    counts punctuation and ignores subtypes of labels. Where MODEL gives trees whose edges cross, it is told
    how many of these edges are right (precision), and how many of those of FILE are found (recall).

    With --spoken words are in lower case, and punctuation is left out but for marks on which words hang.

    With --stream each sentence also comes word by word, and after every word the parses are compared with the
    gold tree: the best one, which may change its mind, and the committed ones, which never do. These look 0,
    1 or 2 words ahead, or act as soon as waiting is expected to gain no more right edges than their risk:
    that of a server, and every --risk. Their mean delay is the number of words that an attachment has waited
    for, while the sentence went on.

    A word's decision is right if head and label are, or if its head is still to come and the parse says so;
    subtypes are ignored. "initial" is the decision when the word comes, "delay 2" two words later, "final" at
    the end of the sentence. While a committed parse waits to attach a word, its head counts as still to come
    and its label as wrong; attaching it then counts as a change. Times are those of one word in one process.

    With --time-limits each word has some milliseconds, or "inf" for as long as it takes; its decision is what
    stands when they are over: of the first analysis, which takes almost no time (first), of the best
    parse where it was ready in time (best), of a search by constraints alone (search), and of one that begins
    with the best parse and knows all that the model says (search_with). The more --jobs, the less each does
    in its time.

    With --schedule words come as if they were typed, at 80 or 40 words a minute of 6 characters with the
    space; spoken, at 0.18 s a syllable of up to three letters; or pasted, all at once. The last word of a
    sentence has as long as it takes.

    In both, time and interrupts are real, but the next word comes as soon as nothing can improve an analysis
    any more.

    With --grammar the scores of whole sentences are those of the trees that a search under the grammar finds,
    until it is settled, from the best parse on; with --time-limits or --schedule, search_with is under it.

    With --trees the best parses are of another class of trees than the one that MODEL was made for; with
    --stream that is "projective" or "mh4".

    FILE is in CoNLL-U, compressed if its name ends in .gz; - is standard input. Of a folder, the files ending
    in .conllu or .conllu.gz are taken.

    \b
    Examples:
      treewhile evaluate en dev.conllu
      treewhile evaluate en treebanks --jobs 4
      treewhile evaluate mine.safetensors dev.conllu --stream --plots plots --jobs 4
      treewhile evaluate af dev.conllu --grammar mine.constraints
      treewhile evaluate en dev.conllu --stream --risk 0.01 --risk 0.3
      treewhile evaluate en dev.conllu --stream --time-limits 2,10,50,250 --limit 100
    """
    _check_usage(stream, risks, limits, schedule, folder)
    if raw and spoken:
        raise click.UsageError("--raw finds words in a text, --spoken writes them anew: use one of them.")
    _check_trees(trees, stream)
    if folder is not None:
        check_plots(folder)
    files = _files_of_gold([source.path for source in found_sources(given, TREEBANK_NAMES)], limit)
    gold = [*map(_as_spoken, chain(*files))] if spoken else [*chain(*files)]
    clock = time.perf_counter if stream else None
    load = partial(load_model, name, trees)
    work = partial(_evaluated_sentence, clock=clock, risks=risks)
    evaluated = _evaluated(partial(_search, load, grammar_name), gold, work, jobs)
    scores = {
        "model": name,
        "file": _named(given),
        **({"grammar": grammar_name} if grammar_name else {}),
        **_machine(jobs),
        "also_predicted": _predicted_columns(load(), gold),
        **report(gold, evaluated),
    }
    if raw:
        scores["raw"] = score_report(gold, _parsed_raw_text(load(), files))
    if limits or schedule:
        schedules, title = _schedules(limits, schedule)
        parses = partial(_timed_parses, load, grammar_name)
        scores |= curves_report(_timed(parses, gold, schedules, jobs), title)
    if folder is not None:
        draw_plots(scores, folder)
    tell(scores, as_json, show_report)


def _predicted_columns(model: Model, gold: Sequence[Sentence]) -> list[str]:
    """Return the measures of columns that the model has learnt and the treebank has."""
    if model.lemmas is None:
        return []
    words = [word for sentence in gold for word in sentence.words]
    has_xpos = bool(model.lemmas.classes.xpos) and any(word.xpos != "_" for word in words)
    has_lemmas = any(word.lemma != "_" for word in words)
    return [name for name, is_there in (("Lemmas", has_lemmas), ("XPOS", has_xpos)) if is_there]


def _check_usage(
    stream: bool, risks: list[float], limits: list[float], schedule: str | None, folder: Path | None
) -> None:
    if folder is not None and not stream:
        raise click.UsageError("--plots draws what --stream counts: use both.")
    if risks and not stream:
        raise click.UsageError("--risk is that of a committed parse of --stream: use both.")
    if (limits or schedule) and not stream:
        raise click.UsageError("--time-limits and --schedule say when the words of --stream come: use both.")
    if limits and schedule:
        raise click.UsageError("words have --time-limits, or come by a --schedule: use one of them.")


def _check_trees(trees: str | None, stream: bool) -> None:
    if stream and trees not in (None, *PREFIX_CLASSES):
        raise click.UsageError(f"--stream parses prefixes, whose --trees are {' or '.join(PREFIX_CLASSES)}.")


def _schedules(limits: list[float], schedule: str | None) -> tuple[dict[str, Schedule], str]:
    """Return schedules by their names in the report, and their title there."""
    if schedule:
        return {schedule: SCHEDULES[schedule]}, "schedules"
    return {f"{limit:g}": partial(same_for_all, seconds=limit / 1000) for limit in limits}, "time_limits"


def _named(given: Sequence[str]) -> str:
    return given[0] if len(given) == 1 else f"{len(given)} files"


def _files_of_gold(paths: Sequence[str], limit: int | None) -> list[list[Sentence]]:
    """Return the sentences of each file, at most `limit` in all."""
    files: list[list[Sentence]] = []
    for path in paths:
        left = None if limit is None else limit - sum(map(len, files))
        with closing(read_with_progress(path, "reading")) as sentences:
            gold = list(islice(sentences, left))
        if not gold and left != 0:
            raise InputError(f"there are no sentences in {source_name(path)}, and scores need some")
        files += [gold] if gold else []
    check_gold([*chain(*files)])
    return files


def _as_spoken(sentence: Sentence) -> Sentence:
    words = (word._replace(deps="_", misc="_") for word in as_spoken(sentence.words))
    return sentence_of_lines(("\t".join(word[:-1]) for word in words), sentence.file_name)


def _evaluated(
    load: Callable[[], SentenceSearch],
    gold: Sequence[Sentence],
    work: Callable[[SentenceSearch, Sentence], Evaluated],
    jobs: int,
) -> list[Evaluated]:
    search = load()
    tool = load if jobs > 1 else lambda: search
    evaluated = []
    words = sum(len(sentence.words) for sentence in gold)
    with (
        progress_bar("parsing", words, MofNCompleteColumn()) as advance,
        closing(in_order(work, tool, gold, jobs)) as results,
    ):
        for result in results:
            evaluated.append(result)
            advance(len(result.system.words))
    return evaluated


def _search(load: Callable[[], Model], grammar_name: str | None) -> SentenceSearch:
    return SentenceSearch(load()) if grammar_name is None else search_of(load(), grammar_name)


def _evaluated_sentence(search: SentenceSearch, gold: Sentence, **options: Any) -> Evaluated:
    evaluated = evaluate_sentence(search.model, gold, **options)
    return evaluated if search.searcher is None else evaluated._replace(system=search.parsed([gold])[0])


def _timed(
    load: Callable[[], TimedParses], gold: Sequence[Sentence], schedules: dict[str, Schedule], jobs: int
) -> list[TimedSentence]:
    timed = []
    words = sum(len(sentence.words) for sentence in gold)
    with (
        progress_bar("parsing against time", words, MofNCompleteColumn()) as advance,
        closing(in_order(partial(time_sentence, schedules=schedules), load, gold, jobs)) as results,
    ):
        for result in results:
            timed.append(result)
            advance(result.words)
    return timed


def _timed_parses(load: Callable[[], Model], grammar_name: str | None) -> TimedParses:
    model = load()
    return TimedParses(model, time.perf_counter, searcher_under(model, grammar_name))


def _parsed_raw_text(model: Model, files: Sequence[Sequence[Sentence]]) -> list[Sentence]:
    """Return the sentences found in the text of each file."""
    parsed = []
    with progress_bar("parsing raw text", sum(map(len, files)), MofNCompleteColumn()) as advance:
        for sentence in chain(*(parse_raw_text(model, gold) for gold in files)):
            parsed.append(sentence)
            advance(1)
    return parsed


def _machine(jobs: int) -> dict[str, Any]:
    """Return the settings that times depend on; None for threads means that numpy decides."""
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS")
    return {"processes": jobs, "threads": int(threads) if threads and threads.isdigit() else None}
