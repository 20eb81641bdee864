"""What a server says of a sentence in the end is as right as what `parse --search` gives, for every shipped
model, and that as right as what `parse` gives.

Real engines with their search, a real server, a real websocket: the sentences of the gold treebanks are said
word by word, with what each of our clients asks for. Who says a word as soon as the one before was answered
is promised little, and sees what searches leave that were interrupted; who waits until analyses have settled
sees what becomes of promises.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

import msgspec
import pytest

from treewhile.incremental import Sentence, conll_scores, installed_models, read_sentences
from treewhile.incremental.constraints.workbench.searched_sentences import SentenceSearch
from treewhile.incremental.parsers.parsed_treebank import parse_sentences
from treewhile.incremental.sessions.messages import AnalysisMessage, OptionChanges
from treewhile.incremental.sessions.options import DocumentOptions
from treewhile.server.client.client import Client, connect
from treewhile.server.client.documents import Document
from treewhile.server.limits import Limits
from treewhile.server.process.server import Server
from treewhile.server.terminal.typing_screens import options_of
from treewhile.server.work.engines import Engine, load_engine

StartServer = Callable[..., Awaitable[Server]]
Pace = Literal["as soon as answered", "once settled"]
Serve: TypeAlias = Callable[[str, OptionChanges, Pace], Awaitable[list[Sentence]]]
TreesOf: TypeAlias = Callable[[str], list[Sentence]]

ROOT: Final = Path(__file__).parents[2]
GOLD: Final = ROOT / "tests" / "vectors" / "gold"
TIME_DIAL: Final = ROOT / "web" / "source" / "page" / "time_dial.ts"

ALLOWED_LOSS: Final = 0.003  # of LAS
AT_ONCE: Final = 8  # documents
UNHURRIED: Final = replace(Limits(), messages_a_second=1e6, burst=1_000_000)
PATIENCE: Final = 300.0  # seconds for a treebank


# --- what clients ask for -----------------------------------------------------------------------------------


def options_of_the_page() -> OptionChanges:
    """What the page begins with, from its source."""
    written = re.search(r"FIRST_OPTIONS: OptionChanges = (\{.*?\});", TIME_DIAL.read_text(), re.DOTALL)
    assert written, f"FIRST_OPTIONS has to be where this test finds it, in {TIME_DIAL.relative_to(ROOT)}"
    as_json = re.sub(r"(\w+):", r'"\1":', written[1])
    return msgspec.json.decode(re.sub(r",\s*\}", "}", as_json), type=OptionChanges)


CLIENTS: Final = {
    "a client that wants no promises": OptionChanges(stability=0),
    "the page": options_of_the_page(),
    "the Python client": OptionChanges(),
    "the terminal": options_of(tells_completeness=True, with_phrases=False),
}
PROMISED: Final = {
    "the page": options_of_the_page(),
    "a client that wants most promises": OptionChanges(stability=1),
}


# --- trees --------------------------------------------------------------------------------------------------


def gold_treebank(model: str) -> list[Sentence]:
    path = GOLD / f"{model}.conllu"
    if not path.exists():
        pytest.fail(f"the model {model} is shipped without a gold treebank: write {path.relative_to(ROOT)}")
    return [*read_sentences(path)]


def with_tree(sentence: Sentence, analysis: AnalysisMessage) -> Sentence:
    """The sentence with the heads and labels of an analysis."""
    words = enumerate(analysis.words, 1)
    return sentence.with_columns(
        {number: {"head": str(word.head), "deprel": str(word.label)} for number, word in words}
    )


def las(gold: Sequence[Sentence], found: Sequence[Sentence]) -> float:
    return conll_scores(gold, found)["LAS"].f1


# --- what is served -----------------------------------------------------------------------------------------


async def final_analysis(
    client: Client, name: str, words: Sequence[str], options: OptionChanges, pace: Pace
) -> AnalysisMessage:
    """What is said in the end of a sentence whose words come one by one."""
    document = await client.open(name, words=[], options=options)
    analyses = document.analyses()
    for word in words:
        await until_heard_of(await document.append(word), document, analyses, pace)
    await document.finish()
    while (analysis := await anext(analyses)).stage != "final":
        pass
    await document.close()
    return analysis


async def until_heard_of(
    version: int, document: Document, analyses: AsyncIterator[AnalysisMessage], pace: Pace
) -> None:
    while document.answered < version or (pace == "once settled" and not is_settled(document)):
        await anext(analyses)


def is_settled(document: Document) -> bool:
    analysis = document.sentences[-1]
    return analysis is not None and analysis.stage == "settled"


async def served(
    url: str, model: str, gold: Sequence[Sentence], options: OptionChanges, pace: Pace
) -> list[Sentence]:
    """The sentences with the trees that a server gives in the end; some documents are open at once."""
    free = asyncio.Semaphore(AT_ONCE)

    async def said(client: Client, number: int, sentence: Sentence) -> Sentence:
        words = [word.form for word in sentence.words]
        async with free:
            return with_tree(sentence, await final_analysis(client, str(number), words, options, pace))

    async with asyncio.timeout(PATIENCE), connect(url, model=model) as client:
        return await asyncio.gather(*(said(client, *numbered) for numbered in enumerate(gold)))


@pytest.fixture(scope="session")
def shipped_engines() -> Mapping[str, Engine]:
    """All shipped models, with their search."""
    return {name: load_engine(name) for name in installed_models()}


@pytest.fixture(scope="session")
def served_before() -> dict[tuple[str, DocumentOptions, Pace], list[Sentence]]:
    """What need not be served again: many clients ask for the same."""
    return {}


@pytest.fixture
def serve(
    start: StartServer,
    shipped_engines: Mapping[str, Engine],
    served_before: dict[tuple[str, DocumentOptions, Pace], list[Sentence]],
) -> Serve:
    """Gives the gold sentences of a model with the trees that a server ends with."""

    async def sentences(name: str, options: OptionChanges, pace: Pace) -> list[Sentence]:
        wish = name, DocumentOptions().changed(options), pace
        if wish not in served_before:
            server = await start(UNHURRIED, shipped_engines)
            url = f"ws://127.0.0.1:{server.port}"
            served_before[wish] = await served(url, name, gold_treebank(name), options, pace)
        return served_before[wish]

    return sentences


@pytest.fixture
def parsed(shipped_engines: Mapping[str, Engine]) -> TreesOf:
    """The gold sentences of a model with the trees that it gives whole sentences."""
    return lambda name: parse_sentences(shipped_engines[name].model, gold_treebank(name))


@pytest.fixture
def searched(shipped_engines: Mapping[str, Engine]) -> TreesOf:
    """The gold sentences of a model with the trees of a search that nothing interrupts."""

    def found(name: str) -> list[Sentence]:
        engine = shipped_engines[name]
        return SentenceSearch(engine.model, engine.searcher).parsed(gold_treebank(name))

    return found


@pytest.mark.slow
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("name", installed_models())
async def test_what_is_served_in_the_end_is_as_right_as_a_search_at_leisure(
    serve: Serve, searched: TreesOf, name: str, client: str
) -> None:
    gold, found = gold_treebank(name), await serve(name, CLIENTS[client], "as soon as answered")
    assert las(gold, found) >= las(gold, searched(name)) - ALLOWED_LOSS


@pytest.mark.slow
@pytest.mark.parametrize("client", PROMISED)
@pytest.mark.parametrize("name", installed_models())
async def test_what_was_promised_on_the_way_costs_nothing_in_the_end(
    serve: Serve, searched: TreesOf, name: str, client: str
) -> None:
    gold, found = gold_treebank(name), await serve(name, PROMISED[client], "once settled")
    assert las(gold, found) >= las(gold, searched(name)) - ALLOWED_LOSS


@pytest.mark.slow
def test_over_all_models_a_search_is_as_right_as_a_parse(searched: TreesOf, parsed: TreesOf) -> None:
    """One model has too few gold sentences to tell a loss from chance: a search changes 5 to 20 words."""

    def of_all(trees: TreesOf) -> list[Sentence]:
        return [sentence for name in installed_models() for sentence in trees(name)]

    gold = of_all(gold_treebank)
    assert las(gold, of_all(searched)) >= las(gold, of_all(parsed)) - ALLOWED_LOSS
