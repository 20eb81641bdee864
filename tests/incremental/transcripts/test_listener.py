"""Whatever a recognizer says: analyses at the end are those of the final text, and units are consistent."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from cases import cases, each, each_seed
from hypothesis import given
from hypothesis import strategies as st
from recognizers import KINDS, Heard, Kind, Recognizer, Said, parsed_at_once, sentence_of, tree_of
from shells import result_of

from treewhile.incremental import (
    AsyncListener,
    Difference,
    HeardWord,
    Hypothesis,
    Listener,
    Model,
    Session,
    load_model,
)
from treewhile.incremental.completeness import Completeness
from treewhile.incremental.sessions.messages import (
    AnyEvent,
    Close,
    Edit,
    ErrorMessage,
    Finish,
    Open,
    OptionChanges,
)
from treewhile.incremental.transcripts.listener import OPTIONS
from treewhile.incremental.transcripts.units import WordUnit
from treewhile.incremental.transcripts.updates import Update
from treewhile.oracles import InputError

Words = Callable[[random.Random, int], Sequence[str]]
SPOKEN = (
    "so I don't know what you're saying but it can't be right . hello , is anyone there ? "
    "well the meeting that we had planned for Tuesday is now on Friday . I would like to book a table for "
    "two at seven o'clock please um no make that half past eight if you've got one . "
    "it comes under counter-attack!"
)


def turn_of(heard: Heard, turn: int = 0) -> Update:
    return [update for update in heard.updates if update.turn == turn][-1]


def check(heard: Heard, update: Update, model: Model) -> None:
    """What was told is the parse of the text, all of it is committed, and the units say the same."""
    assert update.is_over
    expected = parsed_at_once(model, update.text)
    assert [sentence_of(reading.analysis) for reading in update.readings] == expected
    assert heard.replay.tree(update.turn) == tree_of(update)
    committed = {unit for unit in heard.replay.committed if unit.turn == update.turn}
    assert len(committed) == 2 * len(tree_of(update))


@pytest.mark.parametrize("kind", KINDS)
@each_seed(cases(6))
def test_analyses_at_the_end_are_those_of_the_final_text(
    model: Model, random_words: Words, kind: Kind, seed: int
) -> None:
    source = random.Random(seed)
    words = [*random_words(source, 40)]
    heard = Heard(model, source)
    for said in Recognizer(source, kind, random_words(source, 9)).says(words):
        heard.hears(said)
        heard.run(source.randint(0, 3))
    update = heard.end()
    assert update.text == " ".join(words)
    check(heard, update, model)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_so_they_are_with_a_real_model(kind: Kind) -> None:
    model, source = load_model("en"), random.Random(kind)
    words = SPOKEN.split()
    heard = Heard(model, source)
    for said in Recognizer(source, kind, [*words, "dinner", "Anna's", "going."]).says(words):
        heard.hears(said)
        heard.run(source.randint(0, 2))
    update = heard.end()
    assert update.text == " ".join(words)
    check(heard, update, model)
    assert "n't" in [form for form, *_ in tree_of(update)]


def test_an_update_is_current_until_something_else_is_heard(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the old"))
    heard.run(-1)
    first = heard.updates[-1]
    assert heard.listener.is_current(first)
    assert not heard.listener.is_current(None)
    heard.hears(Hypothesis("the old", is_final=True))
    assert heard.listener.is_current(first)
    heard.hears(Hypothesis("dog"))
    assert not heard.listener.is_current(first)
    heard.listener.end_turn()
    assert heard.listener.is_current(None)
    heard.hears(Hypothesis("the old"))
    assert not heard.listener.is_current(first), "the same words in another turn"


# --- anything at all ----------------------------------------------------------------------------------------

times = st.one_of(st.none(), st.floats(-2, 9), st.just(float("nan")))
pieces = st.sampled_from(
    ["the", "dog", "barks.", "cannot", "", "  ", "\x07old\u200b", "cat sees", "..", "🎉"]
)
timed_words = st.lists(st.builds(HeardWord, pieces, times, times), max_size=4)
texts = st.one_of(st.none(), st.lists(pieces, max_size=5).map(" ".join))
whole = st.builds(
    Hypothesis, texts, timed_words, st.booleans(), st.sampled_from([None, "a", "b"]), times, times
)
differences = st.builds(Difference, timed_words, st.integers(-1, 4), st.booleans())
anything = st.lists(
    st.one_of(whole, differences, st.sampled_from(["silence", "voice", "end", "run"])), max_size=14
)


@pytest.mark.slow
@given(anything)
def test_nothing_that_is_said_stops_it_or_makes_units_that_cannot_be(
    model: Model, said: list[Said | Any]
) -> None:
    heard = Heard(model)
    for one in said:
        if one == "end":
            heard.listener.end_turn()
            heard.exchange()
        elif one == "run":
            heard.run(2)
        else:
            heard.hears(one)
    heard.listener.end_turn()
    heard.exchange()
    heard.run(-1)
    assert heard.errors == []
    assert heard.listener.state == "present"
    for turn in range(heard.listener.turn):
        check(heard, turn_of(heard, turn), model)
    assert heard.session.versions == {}, "documents are closed"


# --- one by one ---------------------------------------------------------------------------------------------


def said_by(listener: Listener, *hypotheses: Hypothesis | Difference) -> list[Any]:
    events: list[Any] = []
    for hypothesis in hypotheses:
        listener.hear(hypothesis)
        events += listener.events()
    return events


def test_the_longest_common_part_stays() -> None:
    told = said_by(
        Listener("call"),
        Hypothesis("the old dog"),
        Hypothesis("the old dock barks"),
        Hypothesis("The old dock barks"),
        Hypothesis("The old dock barks"),
    )
    assert told == [
        Open("call 0", 0, text="the old dog ", options=OPTIONS),
        Edit("call 0", 1, 8, 12, "dock barks "),
        Edit("call 0", 2, 0, 4, "The "),
    ]


def test_what_is_heard_between_two_looks_makes_one_change() -> None:
    listener = Listener()
    for text in ("the", "the old", "the old dog"):
        listener.hear(Hypothesis(text))
    assert [*listener.events()] == [Open("speech 0", 0, text="the old dog ", options=OPTIONS)]
    assert listener.events() == []


def test_a_turn_that_ends_is_finished_and_the_next_is_another_document() -> None:
    listener = Listener()
    said_by(listener, Hypothesis("the dog", is_final=True))
    listener.end_turn()
    assert listener.turn == 1
    assert [*listener.events(), *said_by(listener, Hypothesis("barks"))] == [
        Edit("speech 0", 1, 7, 8, ""),
        Finish("speech 0", 2),
        Open("speech 1", 0, text="barks ", options=OPTIONS),
    ]


def test_a_turn_in_which_nothing_was_heard_does_not_end() -> None:
    listener = Listener()
    listener.hear(Hypothesis("", is_final=True))
    listener.end_turn()
    assert (listener.turn, listener.events(), listener.state) == (0, [], "present")


def test_words_have_the_times_of_what_was_heard(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis(words=[HeardWord("we", 0.1, 0.2), HeardWord("cannot", 0.3, 0.9), "bark"]))
    update = heard.settle()
    [(analysis, told)] = update.readings
    assert [word.form for word in analysis.words] == ["we", "can", "not", "bark"]
    assert told == [(0.1, 0.2), (0.3, 0.9), (0.3, 0.9), (None, None)]
    assert [(unit.start, unit.end) for unit in heard.replay.words.values()] == told


def test_a_word_whose_time_changes_stays_and_is_committed_with_its_last_time(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis(words=[HeardWord("dog", 0.1, 0.2)]))
    heard.settle()
    heard.hears(Hypothesis(words=[HeardWord("dog", 0.3, 0.4)], is_final=True))
    heard.end()
    of_words = [edit for update in heard.updates for edit in update.units if isinstance(edit.unit, WordUnit)]
    assert [(edit.kind, edit.unit.start) for edit in of_words] == [("add", 0.1), ("commit", 0.3)]  # type: ignore[union-attr]


def test_a_silence_brings_an_update_where_a_final_hypothesis_never_comes(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the old dog barks"))
    heard.settle()
    before = len(heard.updates)
    heard.hears("silence")
    assert len(heard.updates) == before + 1
    assert not heard.updates[-1].is_over
    heard.hears(Hypothesis("the old dog barks", is_final=True))
    assert len(heard.updates) == before + 1, "what comes late is nothing new"
    heard.hears(Hypothesis("the old cat", is_final=True))
    assert heard.settle().text == "the old dog barks the old cat"


@each(
    "heard, written",
    [
        ("I want to order a.", "I want to order a "),
        ("What time does the?!", "What time does the "),
        ("Wait ...", "Wait "),
        ("Ja. Ich möchte\u3002", "Ja. Ich möchte "),
        ("Set it to 20.5.", "Set it to 20.5 "),
        ("Go to example.com.", "Go to example.com "),
        ("It is 5 p.m.", "It is 5 p.m. "),
        ("Ask for a Ph.D.", "Ask for a Ph.D. "),
        (".", ""),
    ],
)
def test_a_mark_of_the_recognizer_is_written_once_the_turn_ends(heard: str, written: str) -> None:
    listener = Listener()
    listener.hear(Hypothesis(heard, is_final=True))
    assert text_written("", listener.events()) == written
    listener.end_turn()
    assert text_written(written, listener.events()) == heard


def test_what_a_mark_that_is_kept_back_might_change_is_not_committed() -> None:
    model = load_model("en")

    def is_committed_behind(letters: str) -> bool:
        heard = Heard(model)
        heard.hears(Hypothesis(f"The dog barks. The cat {letters}", is_final=True))
        heard.settle()
        return bool(heard.replay.committed)

    least = next(length for length in range(4, 200) if is_committed_behind("x" * length))
    assert not is_committed_behind("x" * (least - 3) + "...")


def test_units_wait_until_no_analysis_is_a_first_guess(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the old dog barks"))
    heard.run(1)
    assert heard.updates[-1].is_initial
    assert heard.replay.words == {}
    heard.settle()
    assert not heard.updates[-1].is_initial
    assert [unit.form for unit in heard.replay.words.values()] == ["the", "old", "dog", "barks"]


def test_units_do_not_wait_where_no_better_analysis_is_to_come(model: Model) -> None:
    heard = Heard(model, options=OptionChanges(levels=["L0"]))
    heard.hears(Hypothesis("the old dog"))
    heard.settle()
    assert [unit.form for unit in heard.replay.words.values()] == ["the", "old", "dog"]


# --- options ------------------------------------------------------------------------------------------------


def test_options_go_with_the_streams_that_a_listener_reads() -> None:
    listener = Listener(options=OptionChanges(stability=0.9, keep_promises=True, streams=["constituents"]))
    [opened] = said_by(listener, Hypothesis("the old dog"))
    streams = ["analyses", "completeness", "constituents"]
    assert opened.options == OptionChanges(stability=0.9, keep_promises=True, streams=streams)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (OptionChanges(stability=7), r"stability of a listener does not fit: Expected `float` <= 1.0"),
        (
            OptionChanges(time_limit="a while"),
            r"time_limit of a listener does not fit: Expected `float \| null`, got `str`",
        ),  # type: ignore[arg-type]
        (OptionChanges(streams=["plan"]), "no room for the stream 'plan'"),
        ({"stability": 1}, "give OptionChanges"),
    ],
)
def test_options_that_cannot_be_are_refused_where_they_are_given(
    model: Model, options: Any, complaint: str
) -> None:
    with pytest.raises(InputError, match=complaint):
        Listener(options=options)
    with pytest.raises(InputError, match=complaint):
        AsyncListener(Session(model), options=options)


def test_what_is_promised_and_phrases_come_in_updates() -> None:
    options = OptionChanges(stability=1, keep_promises=True, streams=["constituents"])
    heard = Heard(load_model("en"), options=options)
    heard.hears(Hypothesis("send the report to my brother in Paris"))
    [(analysis, _)] = heard.settle().readings
    assert 0 < analysis.stable_upto < len(analysis.words)
    assert analysis.constituents
    promised = [(word.head, word.label) for word in analysis.words[: analysis.stable_upto]]
    heard.hears(Hypothesis("send the report to my brother in Paris and London."))
    [(analysis, _)] = heard.end().readings
    assert [(word.head, word.label) for word in analysis.words[: len(promised)]] == promised


# --- turns that are thrown away -----------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [0, 1, -1])
def test_nothing_stands_of_a_turn_that_is_discarded(model: Model, jobs: int) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the old dog"))
    heard.run(jobs)
    heard.listener.discard_turn()
    heard.hears(Hypothesis("The old dog.", is_final=True))  # late
    heard.exchange()
    heard.run(-1)
    last = turn_of(heard)
    assert (last.text, last.readings, last.completeness, last.is_over) == ("", [], None, True)
    assert (heard.replay.words, heard.replay.arcs, heard.session.versions) == ({}, {}, {})
    heard.hears(Hypothesis("it barks", is_final=True))
    check(heard, heard.end(), model)


def test_what_was_committed_of_a_turn_that_is_discarded_is_revoked(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the dog barks " * 800, is_final=True))
    heard.settle()
    assert heard.replay.committed
    heard.replay.discarded.add(0)
    heard.listener.discard_turn()
    heard.exchange()
    assert heard.replay.words == heard.replay.arcs == {}


def answer_all(listener: Listener, session: Session) -> None:
    """Lets the session work on all that was said, and the listener hear of it."""
    for event in listener.events():
        session.receive(event)
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, result_of(job))
    for message in session.messages_to_send():
        listener.receive(message)


def test_a_discarded_turn_is_over_behind_those_before(model: Model) -> None:
    listener, session = Listener(), Session(model)
    for _ in range(2):
        for event in said_by(listener, Hypothesis("the dog", is_final=True)):
            session.receive(event)
        listener.discard_turn() if listener.turn else listener.end_turn()
    assert listener.updates() == []
    answer_all(listener, session)
    assert [(update.turn, update.text) for update in listener.updates()] == [(0, "the dog"), (1, "")]


def test_turns_of_a_conversation_without_a_session_are_discarded_as_well() -> None:
    listener = Listener()
    for _ in range(30):  # more than wait for their last analyses
        listener.hear(Hypothesis("the dog", is_final=True))
        listener.end_turn()
        listener.hear(Hypothesis("it barks", is_final=True))
        listener.discard_turn()
    over = [update for update in listener.updates() if update.is_over]
    assert {update.text for update in over if update.turn % 2} == {""}
    assert {update.text for update in over if update.turn % 2 == 0} == {"the dog"}


def test_an_update_says_how_long_its_turn_had_been_over(model: Model) -> None:
    listener, session = Listener(), Session(model)
    for event in said_by(listener, Hypothesis("the dog", is_final=True)):
        session.receive(event)
    listener.end_turn(now=10.0)
    listener.hear(Hypothesis("it barks"))
    answer_all(listener, session)
    assert [(update.turn, update.late) for update in listener.updates(now=13.5)] == [(0, 3.5), (1, 0.0)]


def text_written(text: str, events: Sequence[AnyEvent]) -> str:
    for event in events:
        if isinstance(event, Open):
            text = event.text or ""
        elif isinstance(event, Edit):
            text = text[: event.start] + event.text + text[event.end :]
    return text


def test_turns_are_over_in_their_order_whichever_is_analysed_first(model: Model) -> None:
    listener, session = Listener(), Session(model)
    for text in ("the old dog", "it barks"):
        listener.hear(Hypothesis(text, is_final=True))
        listener.end_turn()
    for event in listener.events():
        session.receive(event)
    while jobs := session.jobs_to_run():
        for job in jobs:
            session.job_done(job, result_of(job))
    messages = session.messages_to_send()
    over: list[list[int]] = []
    for document in ("speech 1", "speech 0"):
        for message in messages:
            if message.document == document:
                listener.receive(message)
        over.append([update.turn for update in listener.updates() if update.is_over])
    assert over == [[], [0, 1]]


def test_completeness_is_never_that_of_words_before_however_messages_come() -> None:
    listener, session = Listener(), Session(load_model("en"))
    told: dict[str, set[Completeness | None]] = {}
    for text in ("I want to go home", "I want to go to", "I want to go home"):
        for event in said_by(listener, Hypothesis(text)):
            session.receive(event)
        while jobs := session.jobs_to_run():
            for job in jobs:
                session.job_done(job, result_of(job))
            for message in session.messages_to_send():  # one by one, as they come from a server
                listener.receive(message)
                told.setdefault(text, set()).update(one.completeness for one in listener.updates())
    [whole], [broken] = (found - {None} for found in told.values())
    assert whole
    assert broken
    assert broken.ends < whole.ends


def test_words_that_are_final_and_far_behind_are_committed_within_the_turn(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the dog barks " * 800, is_final=True))  # the segmenter cuts after 2,000 words
    update = heard.settle()
    assert [reading.analysis.stage for reading in update.readings] == ["final", "settled"]
    assert len(heard.replay.committed) == 2 * 2000
    heard.hears(Hypothesis("the old cat", is_final=True, start=-2, end=-1))
    assert heard.settle().text.endswith("barks the old cat")


@pytest.mark.slow
def test_ten_thousand_words_at_once_are_heard_and_end_a_turn(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the old dog barks . " * 2000, is_final=True))
    update = heard.settle()
    assert len(tree_of(update)) == 10_000
    assert update.is_over
    assert heard.listener.turn == 1
    assert heard.errors == []


def test_what_is_too_long_or_no_hypothesis_is_refused_and_changes_nothing() -> None:
    listener = Listener()
    said_by(listener, Hypothesis("the dog"))
    with pytest.raises(InputError, match="a hypothesis has more than 500000 characters: give what was said"):
        listener.hear(Hypothesis("word " * 200_000))
    with pytest.raises(InputError, match="'barks' is no hypothesis: give a Hypothesis or a Difference"):
        listener.hear("barks")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="7 is no word that was heard"):
        listener.hear(Hypothesis(words=[7]))  # type: ignore[list-item]
    assert listener.events() == []
    with pytest.raises(InputError, match="the name of a listener has 1 to 100 characters, not 101"):
        Listener("x" * 101)


def test_memory_does_not_grow_with_turns_nor_with_those_that_nobody_answers() -> None:
    listener = Listener()
    closed = 0
    for turn in range(100):
        events = said_by(listener, Hypothesis(f"turn {turn}", is_final=True))
        listener.end_turn()
        events += listener.events()
        closed += sum(isinstance(event, Close) for event in events)
    assert closed == 100 - 8
    updates = listener.updates()
    assert [update.turn for update in updates] == [*range(92)]
    assert all(update.is_over for update in updates)
    assert listener.state == "behind"


def test_a_document_that_the_session_has_lost_is_opened_again(model: Model) -> None:
    heard = Heard(model)
    heard.hears(Hypothesis("the old dog"))
    heard.settle()
    heard.session.receive(Close("speech 0"))
    heard.exchange()
    assert heard.listener.state == "behind"
    heard.hears(Hypothesis("the old dog barks", is_final=True))
    update = heard.end()
    assert update.text == "the old dog barks"
    check(heard, update, model)


def test_errors_of_other_kinds_leave_the_document_alone() -> None:
    listener = Listener()
    said_by(listener, Hypothesis("the dog"))
    listener.receive(ErrorMessage("failed", "it went wrong", "speech 0"))
    assert listener.events() == []
