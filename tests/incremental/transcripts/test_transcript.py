"""The rules by which hypotheses become the words of a turn."""

from __future__ import annotations

from typing import Any

import pytest
from cases import each

from treewhile.incremental.transcripts.hypotheses import Difference, HeardWord, Hypothesis, heard_words
from treewhile.incremental.transcripts.transcript import Transcript


def interim(text: str, *time: float | None, id: str | None = None) -> Hypothesis:
    start, end = time or (None, None)
    return Hypothesis(text, id=id, start=start, end=end)


def final(text: str, *time: float | None, id: str | None = None) -> Hypothesis:
    start, end = time or (None, None)
    return Hypothesis(text, is_final=True, id=id, start=start, end=end)


SILENCE, VOICE = "silence", "voice"


def after(*said: Any, before: Transcript | None = None) -> Transcript:
    transcript = Transcript(before)
    for one in said:
        if one == SILENCE:
            transcript.silence()
        elif one == VOICE:
            transcript.voice()
        else:
            transcript.hear(one)
    return transcript


def text(transcript: Transcript) -> str:
    return " ".join(word.form for word in transcript.words)


def final_text(transcript: Transcript) -> str:
    return " ".join(word.form for word in transcript.final_words)


def differ(added: str = "", revoked: int = 0, is_final: bool = False) -> Difference:
    return Difference(added.split(), revoked, is_final)


@each(
    "said, expected",
    [
        # 1: a hypothesis replaces what is interim
        ([interim("the"), interim("the dog"), interim("a dog barks")], "a dog barks"),
        ([final("the dog"), interim("parks"), final("barks.")], "the dog barks."),
        ([interim("the dog"), final("quite another thing")], "quite another thing"),
        # 2: a final stretch stays, late and repeated hypotheses are nothing
        ([final("the dog", id="a"), final("the dog", id="a")], "the dog"),
        ([final("the dog", id="a"), final("a cat", id="a"), interim("a", id="a")], "the dog"),
        ([final("the dog", 0, 1), final("the dog", 0, 1)], "the dog"),
        ([final("the dog", 0, 1), interim("the dock", 0, 0.8)], "the dog"),
        ([final("yes"), final("yes")], "yes yes"),
        # 3: out of order, and times that go backwards
        ([final("the", 0, 1), final("barks", 4, 5), final("dog", 2, 3)], "the dog barks"),
        ([final("dog", 2, 3), final("the", 0, 1)], "the dog"),
        ([final("the", 0, 1), interim("barks", 4, 5), final("dog", 2, 3)], "the dog barks"),
        ([final("the", 0, 2), final("dog", 2, 4), final("barks", 1, 3)], "the dog barks"),
        ([final("the", 8, 9), interim("dog", 0.5, 0), final("dog barks", 0.5, 0)], "the dog barks"),
        # 4: hypotheses without words
        ([interim("the dog"), interim("")], "the dog"),
        ([final("the"), interim("uh"), final("")], "the"),
        # 5: a silence, and what comes after it
        ([interim("the dog"), SILENCE, final("the dog")], "the dog"),
        ([interim("the dock parks"), SILENCE, final("The dog parks.")], "The dog parks."),
        ([interim("the dog"), SILENCE, interim("barks"), final("barks")], "the dog barks"),
        ([interim("the dog"), SILENCE, interim("the dog barks")], "the dog barks"),
        ([interim("the dog"), SILENCE, interim("barks"), SILENCE, final("the dog barks")], "the dog barks"),
        ([interim("a b", 0, 1), SILENCE, final("c d", 0, 1)], "c d"),
        ([interim("a b", 0, 1), SILENCE, final("a b", 2, 3)], "a b a b"),
        ([interim("a", id="1"), SILENCE, interim("b", id="2"), final("c", id="1")], "c b"),
        ([interim("I think so"), SILENCE, interim("I do")], "I think so I do"),
        # 6: differences
        ([differ("the dog"), differ("barks", 1), differ("loudly")], "the barks loudly"),
        ([differ("the dog", is_final=True), differ("barks", 7)], "the dog barks"),
        ([differ("the dog"), SILENCE, differ("cat", 1)], "the cat"),
        ([differ("the dog"), SILENCE, differ("barks")], "the dog barks"),
        ([differ("the dog"), differ(revoked=9), differ("a cat")], "a cat"),
    ],
)
def test_what_a_turn_says(said: list[Any], expected: str) -> None:
    assert text(after(*said)) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([final("the"), interim("dog")], "the"),
        ([interim("the"), SILENCE], ""),
        ([interim("the"), SILENCE, final("the")], "the"),
        ([differ("the dog"), differ(is_final=True), differ("barks")], "the dog"),
    ],
)
def test_what_stays(said: list[Any], expected: str) -> None:
    assert final_text(after(*said)) == expected


def test_nothing_comes_in_between_words_that_were_kept() -> None:
    transcript = after(final("the", 0, 1), final("barks", 4, 5))
    transcript.keep_final_words()
    transcript.hear(final("dog", 2, 3))
    assert text(transcript) == "the barks dog"


# --- the last turn ------------------------------------------------------------------------------------------


@each(
    "before, said, expected",
    [
        ([interim("the dog"), SILENCE], [final("the dog")], ""),
        ([interim("the dog"), SILENCE], [final("The dog."), interim("the dog")], "the dog"),
        (
            [interim("the dog"), SILENCE],
            [interim("the dog barks"), final("the dog barks twice")],
            "barks twice",
        ),
        ([interim("the dog"), SILENCE], [interim("a cat"), final("a cat")], "a cat"),
        ([interim("the dog", id="a"), SILENCE], [final("yes", id="a"), final("no", id="b")], "no"),
        ([interim("the dog", 1, 2), SILENCE], [final("a cat", 1, 2), final("meows", 3, 4)], "meows"),
        ([final("the dog", id="a")], [final("the dog", id="a"), interim("the dog", id="b")], "the dog"),
        ([final("the dog", 1, 2)], [final("the dog", 1, 2)], ""),
        ([final("yes")], [interim("yes"), final("yes")], "yes"),
    ],
)
def test_what_comes_late_belongs_to_the_last_turn(before: list[Any], said: list[Any], expected: str) -> None:
    assert text(after(*said, before=after(*before))) == expected


def growing(text: str) -> list[Hypothesis]:
    words = text.split()
    return [interim(" ".join(words[:end])) for end in range(1, len(words) + 1)]


SPOKEN_AGAIN = [
    ("turn on the light", "turn off the light"),
    ("turn left", "turn right"),
    ("yes", "yes"),
    ("call my mother", "call my mother"),
    ("book a table for two", "book a table for two people tomorrow"),
]


@each("before, now", SPOKEN_AGAIN)
@each("begin", [[], [VOICE]])
def test_a_turn_that_begins_like_one_without_a_final_is_heard(
    before: str, now: str, begin: list[Any]
) -> None:
    last = after(*begin, *growing(before), SILENCE)
    said = after(*begin, *growing(now), before=last)
    assert text(said) == now
    said.hear(final(f"{now}."))
    assert final_text(said) == f"{now}."


@each(
    "said, expected",
    [
        ([interim("yes")], ""),  # nobody has begun to speak: the recognizer says it twice
        ([interim("yes"), final("Yes.")], ""),
        ([VOICE, final("Yes.")], ""),
        ([VOICE, final("Yes."), interim("yes")], "yes"),
        ([VOICE, interim("yes"), final("Yes.")], "Yes."),
        ([VOICE, interim("yes please")], "please"),
    ],
)
def test_what_is_heard_again_is_new_once_a_voice_has_begun(said: list[Any], expected: str) -> None:
    last = after(VOICE, interim("yes"), SILENCE)
    assert text(after(*said, before=last)) == expected


@pytest.mark.parametrize("begin", [[], [VOICE]])
def test_a_turn_whose_first_hypothesis_is_long_and_not_the_same_is_heard(begin: list[Any]) -> None:
    last = after(*begin, interim("turn left"), SILENCE)
    assert text(after(*begin, interim("turn off the light"), before=last)) == "turn off the light"


def test_it_says_whether_a_hypothesis_is_about_this_turn() -> None:
    transcript = Transcript(after(interim("the dog"), SILENCE))
    assert not transcript.hear(final("the dog"))
    assert transcript.hear(interim("the dog"))
    assert transcript.hear(differ("barks"))


# --- words --------------------------------------------------------------------------------------------------


def test_words_of_a_text_have_the_times_of_those_that_read_the_same() -> None:
    timed = [HeardWord("new", 0, 1), HeardWord("york", 1, 2), HeardWord("um", 2, 3), HeardWord("wins", 3, 4)]
    assert heard_words(Hypothesis("New York, it wins!", words=timed)) == [
        ("New", 0, 1),
        ("York,", 1, 2),
        ("it", None, None),
        ("wins!", 3, 4),
    ]


def test_times_that_are_none_are_left_out() -> None:
    given = [HeardWord("a", 2, 1), HeardWord("b", float("nan"), 1), HeardWord("c d", 1, float("inf"))]
    assert heard_words(Hypothesis(words=given)) == [
        ("a", None, None),
        ("b", None, 1),
        ("c", 1, None),
        ("d", 1, None),
    ]


def test_a_silence_ends_a_stretch_that_has_no_end() -> None:
    transcript = Transcript()
    transcript.hear(Hypothesis(words=[HeardWord("yes", 1.0)]))
    transcript.silence(at=2.0)
    transcript.hear(final("yes", 3, 4))
    assert text(transcript) == "yes yes"
