"""How long from an interim hypothesis to an answer, and whether analyses end as those of the final text.

Sentences of a treebank are said in its own spelling, or without case and punctuation. A recognizer says each
word by word, every hypothesis whole, with a share of its words replaced by others of the treebank, and waits
for each answer: the first analysis of just these words, with their completeness. Then it says the truth and
ends the turn. The same text, given to a session at once, says what the analyses should be.

All runs in one process, beside the threads of the session. A loaded machine shows in p99 and in the maximum.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from time import perf_counter
from typing import Any, Final, NamedTuple

import numpy
from measuring import machine, model_and_source
from rich.console import Console
from rich.table import Table

from treewhile.incremental import (
    DocumentView,
    Hypothesis,
    Model,
    Sentence,
    Session,
    ThreadedListener,
    ThreadedSession,
    load_model,
    read_sentences,
    warm_up,
)
from treewhile.incremental.sessions.messages import AnalysisMessage, Finish, Open
from treewhile.incremental.transcripts.updates import Update

PATIENCE: Final = 60.0  # seconds
SEED: Final = 7


class Figures(NamedTuple):
    """Times from hypotheses to answers in seconds, and how many turns ended as they should."""

    seconds: Sequence[float]
    equal: int
    turns: int


def spoken(sentence: Sentence, is_bare: bool) -> list[str]:
    """The words between white space; bare ones without case and punctuation."""
    texts = (comment.partition("text = ") for comment in sentence.comments)
    words = next((text.split() for before, _, text in texts if text and before.strip("# ") == ""), [])
    if not is_bare:
        return words
    bare = ("".join(letter for letter in word.lower() if letter.isalnum() or letter == "'") for word in words)
    return [word for word in bare if word.strip("'")]


def revised(words: Sequence[str], share: float, others: Sequence[str], source: random.Random) -> str:
    return " ".join(source.choice(others) if source.random() < share else word for word in words)


def measure(model: Model, turns: Sequence[Sequence[str]], share: float) -> Figures:
    source, others = random.Random(SEED), sorted({word for words in turns for word in words})
    seconds, equal = list[float](), 0
    with ThreadedListener(Session(model)) as listener:
        for words in turns:
            for length in range(1, len(words) + 1):
                text = revised(words[:length], share, others, source)
                begin = perf_counter()
                listener.hear(Hypothesis(text))
                answer(listener, text)
                seconds.append(perf_counter() - begin)
            listener.hear(Hypothesis(" ".join(words), is_final=True))
            listener.end_turn()
            equal += told(last_update(listener)) == at_once(model, " ".join(words))
    return Figures(seconds, equal, len(turns))


def answer(listener: ThreadedListener, text: str) -> None:
    """Waits for the first update about these words."""
    while True:
        for update in listener.take_updates(PATIENCE):
            if update.text == text and update.completeness:
                return


def last_update(listener: ThreadedListener) -> Update:
    return next(update for update in listener.updates() if update.is_over)


def told(update: Update) -> list[Any]:
    return [shown(reading.analysis) for reading in update.readings]


def at_once(model: Model, text: str) -> list[Any]:
    """The sentences of the text as a session has them that is given all of it."""
    view = DocumentView("at once")
    with ThreadedSession(Session(model)) as session:
        session.receive(Open("at once", 0, text=text))
        session.receive(Finish("at once", 1))
        for message in session.messages():
            view.receive(message)
            if view.answered == 1 and all(one and one.stage == "final" for one in view.sentences):
                break
    return [shown(one) for one in view.sentences if one]


def shown(analysis: AnalysisMessage) -> list[Any]:
    return [(word.form, word.tag, word.features, word.head, word.label) for word in analysis.words]


def main() -> None:
    parser = model_and_source(__doc__, default="en")
    parser.add_argument("--limit", type=int, help="so many sentences; all if left out")
    parser.add_argument("--revised", type=float, default=0.2, help="share of words that are others")
    arguments = parser.parse_args()
    model = load_model(arguments.model)
    warm_up(model, ["L0", "L1"])
    sentences = [*islice(read_sentences(arguments.source), arguments.limit)]
    table = Table("as", "turns", "hypotheses", "p50 ms", "p99 ms", "most ms", "equal at the end")
    for name, is_bare in (("written", False), ("bare", True)):
        turns = [words for sentence in sentences if (words := spoken(sentence, is_bare))]
        measured = measure(model, turns, arguments.revised)
        p50, p99 = 1000 * numpy.quantile(measured.seconds, [0.5, 0.99])
        times = f"{p50:.2f}", f"{p99:.2f}", f"{1000 * max(measured.seconds):.1f}"
        share = f"{measured.equal / measured.turns:.2%}"
        table.add_row(name, str(measured.turns), str(len(measured.seconds)), *times, share)
    console = Console()
    console.print(f"{machine()}; {arguments.revised:.0%} of words revised")
    console.print(table)


if __name__ == "__main__":
    main()
