"""The command `treewhile parse`: trees for treebanks, for raw text, and for a sentence at the prompt."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import click

from treewhile.incremental.parsers.shipped_models import DEFAULT_MODEL, load_model, model_path
from treewhile.oracles.errors import InputError
from treewhile.oracles.prebuilt.background import begin_detached
from treewhile.oracles.prebuilt.library import is_built, is_sound
from treewhile.server.commands.options import (
    FiniteRange,
    corpus_options,
    defaulted_option,
    only_target,
    out_option,
    trees_option,
)
from treewhile.server.work.served_models import ServedModels

if TYPE_CHECKING:
    from treewhile.incremental import Sentence
    from treewhile.incremental.constraints.workbench.searched_sentences import SentenceSearch
    from treewhile.incremental.parsers.analyses import Analysis
    from treewhile.incremental.parsers.growing_parse import GrowingParse
    from treewhile.incremental.parsers.parsing import Model
    from treewhile.server.corpora.runs import Counts, Place

    Work = partial[str]  # called with a parser and sentences


# A text of several words with such an end was meant as the name of a file.
FILE_ENDINGS = (".conllu", ".conll", ".txt", ".text", ".md", ".gz")

# Endings of treebanks and texts in folders; other files are left out.
TEXT_ENDINGS = tuple(ending + packed for ending in (".conllu", ".txt") for packed in ("", ".gz"))

TREEBANK, LINES, PHRASES = ".conllu", ".jsonl", ".ptb"  # endings of output files

# Number of sentences of a file parsed together; from standard input, a reader may wait for each.
AT_ONCE = 16

Some = TypeVar("Some")


class Asked(NamedTuple):
    """Options that say which trees are looked for; without a grammar, that of the model's language counts."""

    model: str
    trees: str | None
    with_search: bool
    grammar: str | None
    milliseconds: float | None

    def load(self) -> Parser:
        model = load_model(self.model, self.trees)
        if not self.with_search:
            return Parser(model)
        from treewhile.server.commands.grammar.inputs import search_of

        return Parser(model, search_of(model, self.grammar, self.milliseconds))

    @property
    def settings(self) -> dict[str, object]:
        """Settings of a corpus that is searched: if they differ, what is there is made anew."""
        if not self.with_search:
            return {}
        from treewhile.incremental.constraints.workbench.resolved_texts import resolved_text

        text = None if self.grammar is None else resolved_text(self.grammar)
        return {"search": True, "grammar": text, "time_limit": self.milliseconds}


class Parser(NamedTuple):
    """Model, and the search that improves its trees, if it is asked for."""

    model: Model
    search: SentenceSearch | None = None

    def analyses(self, sentences: Sequence[Sentence], with_constituents: bool = False) -> list[Analysis]:
        from treewhile.incremental.parsers.parsed_treebank import analyse

        if self.search is not None:
            return self.search.analyses(sentences, with_constituents)
        return analyse(self.model, sentences, with_constituents)

    def best(self, parse: GrowingParse) -> Analysis:
        best = parse.best()
        return best if self.search is None else self.search.improved(parse, best)


@click.command()
@click.argument("source", metavar="IN")
@click.argument("others", metavar="[OUT]", nargs=-1)
@out_option
@defaulted_option(
    "--model", None, DEFAULT_MODEL, "The name of an installed model, or a model file.", "name", metavar="M"
)
@trees_option
@click.option(
    "--search", "with_search", is_flag=True, help="Improve the trees by a search under weighted constraints."
)
@click.option(
    "--grammar",
    metavar="G",
    help="The grammar to --search under: a name or a file.  [default: that of M's language]",
)
@click.option(
    "--time-limit",
    metavar="MS",
    type=FiniteRange(min=0, max=1e9),
    help="Search each sentence for at most MS milliseconds.  [default: until it is settled]",
)
@corpus_options
@click.option(
    "--json", "as_lines", is_flag=True, help="Give one JSON object for every sentence, each on a line."
)
@click.option(
    "--constituents",
    "with_phrases",
    is_flag=True,
    help="Give phrases: trees in brackets instead of CoNLL-U; with --json, beside the rest.",
)
def command(
    source: str,
    others: Sequence[str],
    out: str | None,
    name: str,
    trees: str | None,
    with_search: bool,
    grammar: str | None,
    time_limit: float | None,
    jobs: int | None,
    on: str,
    report: bool,
    as_lines: bool,
    with_phrases: bool,
) -> None:
    """Parse the sentences of IN and write them to OUT, or draw the tree of a text.

    With --out there may be many INs, and folders of them; their files ending in .conllu or .txt are parsed,
    or these with .gz. Of each a file is made in the folder DIR, with the ending .conllu, .jsonl with --json
    or .ptb with --constituents. A run that was stopped, however that was, goes on with the files that are
    missing when it is started again. An IN that cannot be parsed is told, and left out; the exit code is 1
    then.

    IN is a treebank in CoNLL-U or raw text in UTF-8, compressed if its name ends in .gz; - is standard input.
    It is taken for a treebank if its name ends in .conllu or .conllu.gz, or if it begins like one. OUT is
    another file, which appears when it is complete, or standard output. From standard input each sentence
    appears there as soon as the next one begins (with --jobs, some sentences later).

    The words of a treebank stay as they are, with comments, ranges, empty nodes and MISC; UPOS, FEATS, HEAD
    and DEPREL are what the model says, and so are LEMMA and XPOS if it has learnt them; DEPS becomes _. A
    model that was trained on gold tags is told those of IN, and keeps them. Raw text is cut into sentences
    and words first.

    With --trees you get the best tree of another class, in which arcs may cross or not; with "any", all arcs
    may cross. A model already has such a class if its language needs crossing arcs.

    With --search or --grammar, the best tree of a sentence is where a search begins, for a tree that breaks
    fewer of the weighted constraints of a grammar. With --time-limit, trees may depend on how fast this
    machine is.

    With --constituents, OUT has a tree of phrases on each line, in brackets over the words and their UPOS:
    (ROOT (S (NP (PRON She)) (VP (VERB left)))). The model has to know of phrases, as en does.

    If the text looks like another language than the model's, standard error says so, and which model to
    choose; the output is the same. Text in a script that the model does not know is refused.

    If IN is no file but a text of two words or more, and there is no OUT, its trees are drawn. A last
    sentence that ends neither in . ! or ? nor at a blank line is still open: words in brackets like [NOUN]
    must still come, and … stands for an unknown head that comes later. Dashed phrases are open: they end
    later.

    \b
    Examples:
      treewhile parse "Peter drives a red"
      treewhile parse --jobs 4 words.conllu parsed.conllu
      treewhile parse letter.txt > letter.conllu
      treewhile parse --constituents letter.txt letter.ptb
      treewhile parse corpus/*.txt --out parsed
      treewhile parse --grammar mine.constraints --time-limit 50 words.conllu parsed.conllu
    """
    if time_limit is not None and not (with_search or grammar):
        raise click.UsageError("--time-limit is for a search: give --search or --grammar, too.")
    models = ServedModels([name], trees)
    asked = Asked(name, trees, with_search or grammar is not None, grammar, time_limit)
    plain = brackets if with_phrases else conllu
    work = partial(json_lines, with_phrases=with_phrases) if as_lines else partial(plain)
    if out is not None:
        from treewhile.server.terminal.corpus_runs import place_called

        ending = LINES if as_lines else PHRASES if with_phrases else TREEBANK
        _parse_corpus([source, *others], out, asked, place_called(on, jobs), work, ending, report)
        return
    target = only_target(others)
    _check_names(source, target)
    if target is None and is_text(source):
        if not asked.with_search:
            prepare(models, len(source.split()))
        from treewhile.server.commands.text_notices import notice_language, refuse_script

        parser = asked.load()
        if with_phrases:
            _check_phrases(parser.model)
        refuse_script(parser.model, source)
        notice_language(parser.model, source, "the text")
        _parse_text(parser, source, as_lines, with_phrases)
        build_later()
    else:
        _parse_file(source, target or "-", asked, jobs or 1, work, with_phrases)


def _check_names(source: str, target: str | None) -> None:
    """Raise InputError for a single word that is no file, and for an output that is the input."""
    if not source.strip():
        raise InputError("IN is empty: name a file, or give a text of two words or more")
    if target is None and is_word(source) and not os.path.exists(source):
        what = f"there is no file {source!r:.80}, and a text at the prompt has two words or more"
        raise InputError(f"{what}: name a file, or give the word on standard input, with - for IN")
    if target is not None and _are_one_file(source, target):
        raise InputError(f"OUT is IN, which would be lost, {source}: name another OUT")


def _check_phrases(model: Model) -> None:
    from treewhile.incremental.constituents.network_phrases import spans_of

    spans_of(model)


def _are_one_file(one: str, other: str) -> bool:
    return os.path.isfile(one) and os.path.exists(other) and os.path.samefile(one, other)


def is_word(argument: str) -> bool:
    """Return whether the argument is one word of a text rather than a name."""
    is_name = argument.endswith(FILE_ENDINGS) or os.path.basename(argument) != argument
    return argument != "-" and len(argument.split()) == 1 and not is_name


def is_text(argument: str) -> bool:
    """Return whether the argument is a text rather than the name of a file, perhaps mistyped."""
    is_name = argument.endswith(FILE_ENDINGS) or os.path.exists(argument)
    return len(argument.split()) > 1 and not is_name


# --- files ------------------------------------------------------------------------------------------------


def _parse_file(
    source: str,
    target: str,
    asked: Asked,
    jobs: int,
    work: Work,
    with_phrases: bool,
) -> None:
    build_meanwhile()
    from rich.progress import DownloadColumn

    from treewhile.incremental import open_output
    from treewhile.incremental.parsers.text_sources import read_any
    from treewhile.server.commands.text_notices import checked_sentences
    from treewhile.server.corpora.worker_processes import in_order
    from treewhile.server.terminal.progress_bars import progress_bar, shares_terminal, size_of

    parser = asked.load()
    model = parser.model
    if with_phrases:
        _check_phrases(model)
    tool = asked.load if jobs > 1 else lambda: parser
    with (
        progress_bar("parsing", size_of(source), DownloadColumn(), hidden=shares_terminal(target)) as advance,
        open_output(target) as output,
        closing(read_any(source, model, advance)) as sentences,
        closing(
            in_order(work, tool, groups(checked_sentences(sentences, model, source), source), jobs)
        ) as texts,
    ):
        for text in texts:
            output.write(text)
            if target == "-":
                sys.stdout.flush()  # a reader may be waiting for this sentence


def _parse_corpus(
    given: Sequence[str],
    out: str,
    asked: Asked,
    place: Place,
    work: Work,
    ending: str,
    report: bool,
) -> None:
    build_meanwhile()
    from treewhile.server.corpora.runs import Making
    from treewhile.server.terminal.corpus_runs import make_corpus

    model = asked.load().model
    if ending == PHRASES:
        _check_phrases(model)
    settings = {
        "command": "parse",
        "model": hashlib.sha256(model_path(asked.model).read_bytes()).hexdigest(),
        "trees": model.trees,
        **asked.settings,
        **work.keywords,
    }
    making = Making(partial(pieces_of, work), asked.load, settings, ending)
    make_corpus(given, out, TEXT_ENDINGS, partial(renamed, ending=ending), making, place, report)


def renamed(name: str, ending: str) -> str:
    """Return the name of the output of a file: with another ending, and compressed if the file is."""
    plain = name.removesuffix(".gz")
    stem = next((plain.removesuffix(one) for one in FILE_ENDINGS if plain.endswith(one)), plain)
    return stem + ending + name[len(plain) :]


def pieces_of(work: Work, parser: Parser, source: str) -> Generator[tuple[str, Counts]]:
    """Yield the parsed sentences of a file in groups, with counts. To be closed."""
    from treewhile.incremental.parsers.text_sources import read_any
    from treewhile.server.commands.text_notices import checked_sentences

    yield "", {"sentences": 0, "words": 0}
    with closing(read_any(source, parser.model, lambda read: None)) as sentences:
        for group in groups(checked_sentences(sentences, parser.model, source), source):
            words = sum(len(sentence.words) for sentence in group)
            yield work(parser, group), {"sentences": len(group), "words": words}


def conllu(parser: Parser, sentences: Sequence[Sentence]) -> str:
    """Return the parsed sentences in CoNLL-U."""
    from treewhile.incremental.parsers.parsed_treebank import with_analyses

    return "".join(map(str, with_analyses(parser.model, sentences, parser.analyses(sentences))))


def brackets(parser: Parser, sentences: Sequence[Sentence]) -> str:
    """Return the phrases of sentences, one tree in brackets on each line."""
    from treewhile.incremental.constituents.bracketed_trees import on_one_line
    from treewhile.server.terminal.analysis_views import phrase_tree

    trees = map(phrase_tree, parser.analyses(sentences, True))
    return "".join(f"{on_one_line(tree)}\n" for tree in trees)


def json_lines(parser: Parser, sentences: Sequence[Sentence], with_phrases: bool) -> str:
    """Return the parsed sentences as JSON objects, one on each line."""
    from treewhile.server.terminal.analysis_views import as_json

    analyses = parser.analyses(sentences, with_phrases)
    objects = (as_json(one, with_constituents=with_phrases) for one in analyses)
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)


def groups(sentences: Iterator[Some], source: str) -> Iterator[list[Some]]:
    """Yield the sentences in groups to be parsed together; from standard input, each is alone."""
    while group := [*islice(sentences, 1 if source == "-" else AT_ONCE)]:
        yield group


# --- text at the prompt -------------------------------------------------------------------------------------


def _parse_text(parser: Parser, text: str, as_lines: bool, with_phrases: bool) -> None:
    from treewhile.server.terminal.analysis_views import as_json, show_analysis, show_phrases

    show = show_phrases if with_phrases else show_analysis
    for number, (analysis, is_open) in enumerate(analyses_of(parser, text)):
        if as_lines:
            click.echo(json.dumps(as_json(analysis, is_open, with_phrases), ensure_ascii=False))
        else:
            click.echo("\n" if number else "", nl=False)
            show(analysis)


def analyses_of(parser: Parser, text: str) -> Iterator[tuple[Analysis, bool]]:
    """Yield the analysis of every sentence, and whether it is still open, as the last one may be."""
    from treewhile.incremental.parsers.growing_parse import GrowingParse
    from treewhile.incremental.parsers.text_sources import segmenter_of

    for sentence in segmenter_of(parser.model, "the text").segment(text):
        parse = GrowingParse(parser.model)
        for word in sentence.words:
            parse.append(word.form)
        if sentence.has_ended:
            parse.close()
        yield parser.best(parse), not sentence.has_ended


# --- kernels ------------------------------------------------------------------------------------------------
# Built kernels are the fastest. Without them, plain Python is faster for a short text than compiling what a
# class of trees needs. Kernels are built in the background: for files at once, and after the parse of a text
# if a user sits at a terminal.

NOT_LONG: Final = 100  # words: two or three seconds
# Classes that are slow in plain Python: 3 and 6 s for crossing trees of 20 words, others at most 0.3 s.
SLOW: Final = frozenset(("1-inherit", "1-endpoint-crossing"))
KERNELS: Final = "treewhile.oracles.compilation"
NO_KERNELS: Final = "NUMBA_DISABLE_JIT"
BUILDING: Final = "the parser is compiled in the background, once, in some minutes, and is slower until then"


def prepare(models: ServedModels, words: int) -> None:
    """Go without kernels for so few words, unless they are built, or the parser is imported already."""
    if KERNELS in sys.modules or is_built() or words > NOT_LONG or models.classes & SLOW:
        return
    before = os.environ.get(NO_KERNELS)
    os.environ[NO_KERNELS] = "1"
    import_module(KERNELS)
    if before is None:
        del os.environ[NO_KERNELS]  # child processes may compile
    else:
        os.environ[NO_KERNELS] = before


def build_meanwhile() -> None:
    """Build missing kernels in the background, whatever becomes of this command, and say so."""
    if not is_sound():
        click.echo(f"treewhile: {BUILDING}", err=True)
        begin_detached()


def build_later() -> None:
    """Build missing kernels in the background, if standard error is a terminal."""
    if sys.stderr.isatty() and not is_sound():
        begin_detached()
