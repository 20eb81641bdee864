"""Small treebanks of made-up sentences, put together, learned, and told apart again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treewhile.incremental.texts.segmenter import Segmenter
from treewhile.incremental.texts.splits import Split
from treewhile.incremental.texts.treebank_texts import treebank_text
from treewhile.incremental.training.checkpoints import TimedCheckpoint
from treewhile.incremental.training.segmentation import learn_splits, train_segmenter
from treewhile.incremental.treebanks.treebank import Sentence, read_sentences
from treewhile.oracles import InputError

Token = tuple[str, list[str], str]


def tokens(line: str) -> list[Token]:
    """The tokens of a line such as `I don't=do+n't go~ .`, ~ for no space behind and _ for one within."""
    found = []
    for part in line.split():
        surface, _, forms = part.rstrip("~").partition("=")
        misc = "SpaceAfter=No" if part.endswith("~") else "_"
        found.append(
            (surface.replace("_", " "), forms.split("+") if forms else [surface.replace("_", " ")], misc)
        )
    return found


def conllu(line: str, *comments: str) -> str:
    rows = [*comments]
    number = 1
    for surface, forms, misc in tokens(line):
        if len(forms) > 1:
            rows.append(f"{number}-{number + len(forms) - 1}\t{surface}" + "\t_" * 7 + f"\t{misc}")
        for form in forms:
            rows.append(f"{number}\t{form}" + "\t_" * 7 + ("\t_" if len(forms) > 1 else f"\t{misc}"))
            number += 1
    return "\n".join([*rows, "", ""])


def treebank(*texts: str) -> list[Sentence]:
    return list(read_sentences(BytesIO("".join(texts).encode())))


def lines() -> list[str]:
    """Sentences with abbreviations, multiword tokens, questions, and numbers with a space in them."""
    people = ["I", "You", "Mr. Moss", "Anna's=Anna+'s son", "They", "Dr. Bell"]
    doings = [
        "don't=do+n't see~",
        "isn't=is+n't at~",
        "won't=wo+n't like~",
        "paid 10_000 for~",
        "sold 25_000 of~",
    ]
    things = ["it", "the red house", "Moss's=Moss+'s dog", "Ada's=Ada+'s book~ , again", "the U.S."]
    found = []
    for at, (who, does, what) in enumerate(product(people, doings, things)):
        found.append(f"{who} {does.removesuffix('~')} {what}~ {'.?!'[at % 3]}" + "~" * (at % 7 == 6))
    return found


TREEBANK = treebank(*map(conllu, lines()))


@pytest.fixture(scope="module")
def learned() -> Segmenter:
    return train_segmenter(TREEBANK, seed=1, least_steps=250)


@pytest.fixture(scope="module")
def whole() -> tuple[Segmenter, list[tuple[int, int]]]:
    """A segmenter that was trained without a stop, and what was told of its progress."""
    told: list[tuple[int, int]] = []
    note = lambda done, steps: told.append((done, steps))  # noqa: E731
    return train_segmenter(TREEBANK[:30], 3, least_steps=30, progress=note), told


def forms(segmenter: Segmenter, text: str) -> list[list[str]]:
    return [[word.form for word in sentence.words] for sentence in segmenter.segment(text)]


# --- multiword tokens -------------------------------------------------------------------------------------


def counted(*lines: str) -> Counter[tuple[str, tuple[str, ...]]]:
    return Counter((surface, tuple(forms)) for line in lines for surface, forms, _ in tokens(line))


def test_an_ending_that_several_tokens_have_is_learned_and_a_token_that_differs_is_known() -> None:
    splits = learn_splits(
        counted("don't=do+n't isn't=is+n't Won't=Wo+n't can't=ca+n't won't=wo+n't", "n't ant't")
    )
    assert splits.endings == {"n't": Split(3, "", ("n't",))}
    assert splits.tokens == {}
    assert splits.words("HASN'T") == ("HAS", "N'T")
    assert splits.words("n't") == ("n't",)


def test_what_an_ending_is_cut_off_from_may_end_in_another() -> None:
    splits = learn_splits(
        counted(
            "vê-se=vê+se pôs-se=pôs+se deu-se=deu+se",
            "dá-lhe=dá+lhe diz-lhe=diz+lhe fez-lhe=fez+lhe",
            "da=de+a",
        )
    )
    assert splits.words("Deu-se-lhe") == ("Deu", "se", "lhe")
    assert splits.words("da-se-lhe") == ("da", "se", "lhe")


def test_an_ending_is_as_long_as_what_goes() -> None:
    splits = learn_splits(
        counted("dándose=dando+se hablándose=hablando+se mirándose=mirando+se", "cose hose")
    )
    assert splits.endings["ándose"] == Split(6, "ando", ("se",))
    assert all(one is None or one.strip <= len(ending) for ending, one in splits.endings.items())
    assert splits.words("mirándose") == ("mirando", "se")
    assert splits.words("cose") == ("cose",)


def test_a_longer_ending_may_know_better() -> None:
    split = "as=a+s bs=b+s cs=c+s ds=d+s es=e+s fs=f+s"
    splits = learn_splits(counted(split, "ass bss css"))
    assert splits.endings == {"s": Split(1, "", ("s",)), "ss": None}
    assert (splits.words("xs"), splits.words("xss")) == (("x", "s"), ("xss",))


def test_the_usual_reading_of_a_token_wins() -> None:
    splits = learn_splits(counted("its its its=it+s", "im=in+dem im=in+dem im"))
    assert splits.words("its") == ("its",)
    assert splits.words("Im") == ("In", "dem")


def test_words_need_be_no_part_of_their_token() -> None:
    splits = learn_splits(counted("στο=σε+το στη=σε+τη Στο=Σε+το"))
    assert splits.words("στο".upper()) == ("σε".upper(), "το".upper())
    assert splits.words("Στη") == ("Σε", "τη")


# --- learning ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_was_learned_is_given_back(learned: Segmenter) -> None:
    text = treebank_text(TREEBANK)
    sentences = learned.segment(text.text)
    assert [word.token.surface for one in sentences for word in one.words[-1:]] == [*".?!"] * 50
    expected = [[form for _, forms, _ in tokens(line) for form in forms] for line in lines()]
    assert [[word.form for word in sentence.words] for sentence in sentences] == expected


def test_what_was_learned_holds_for_new_sentences(learned: Segmenter) -> None:
    assert forms(learned, "Mr. Moss doesn't see Bell's house. You like 10 000 of it!\n\nWe sold") == [
        ["Mr.", "Moss", "does", "n't", "see", "Bell", "'s", "house", "."],
        ["You", "like", "10 000", "of", "it", "!"],
        ["We", "sold"],
    ]


def test_a_text_that_is_half_typed_has_no_sentence_end_before_its_last_word(learned: Segmenter) -> None:
    line = "I like the red house"
    for end in range(1, len(line) + 1):
        assert forms(learned, line[:end]) == [line[:end].split()]


@pytest.mark.slow
def test_another_seed_gives_another_segmenter() -> None:
    some, other = (train_segmenter(TREEBANK[:10], seed, least_steps=2) for seed in (3, 4))
    assert any(not np.array_equal(some.arrays()[name], array) for name, array in other.arrays().items())


def test_arrays_are_small(learned: Segmenter) -> None:
    assert sum(array.nbytes for array in learned.arrays().values()) < 400_000


@pytest.mark.slow
def test_progress_is_told_at_every_step(whole: tuple[Segmenter, list[tuple[int, int]]]) -> None:
    _, told = whole
    steps = told[-1][1]
    assert told == [(done, steps) for done in range(1, steps + 1)]


class StoppedAt(TimedCheckpoint):
    """A checkpoint that is due at once, and at which training is stopped after a number of steps."""

    def __init__(self, path: Path, steps: int) -> None:
        super().__init__(path, seconds=0.0)
        self._left = steps

    def write(self, state: dict[str, Any]) -> None:
        super().write(state)
        self._left -= 1
        if not self._left:
            raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize("stops", [(3,), (1, 7, 20), (41,)])
def test_a_training_that_is_stopped_goes_on_to_the_same_segmenter(
    tmp_path: Path, stops: Sequence[int], whole: tuple[Segmenter, list[tuple[int, int]]]
) -> None:
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            train_segmenter(TREEBANK[:30], 3, least_steps=30, checkpoint=StoppedAt(tmp_path / "a", stop))
    told: list[int] = []
    checkpoint = TimedCheckpoint(tmp_path / "a")
    resumed = train_segmenter(
        TREEBANK[:30],
        3,
        least_steps=30,
        checkpoint=checkpoint,
        progress=lambda done, steps: told.append(done),
    )
    assert told[0] == sum(stops) + 1
    assert resumed.information() == whole[0].information()
    assert all(np.array_equal(array, resumed.arrays()[name]) for name, array in whole[0].arrays().items())


def test_a_checkpoint_of_another_segmenter_is_begun_anew(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_segmenter(TREEBANK[:30], 3, least_steps=9, checkpoint=StoppedAt(tmp_path / "a", 5))
    told: list[int] = []
    checkpoint = TimedCheckpoint(tmp_path / "a")
    train_segmenter(
        TREEBANK[:20], 3, least_steps=9, checkpoint=checkpoint, progress=lambda done, steps: told.append(done)
    )
    assert told[0] == 1


@pytest.mark.slow
def test_a_treebank_that_tells_of_no_spaces_has_them_between_all_tokens() -> None:
    lines = ["One went home .", "Two went on ?", "Three stays ."] * 8
    segmenter = train_segmenter(treebank(*map(conllu, lines)), 1, least_steps=150)
    assert forms(segmenter, "One stays . Three went ?") == [["One", "stays", "."], ["Three", "went", "?"]]


@pytest.mark.slow
def test_a_script_without_spaces_can_be_learned() -> None:
    endless = product("我你他", ["看", "喜欢"], "书你我", "啊吗")
    segmenter = train_segmenter(
        treebank(*(conllu("~ ".join([*one, "。~"])) for one in endless)), 1, least_steps=250
    )
    assert forms(segmenter, "我喜欢书啊。你看书吗。") == [
        ["我", "喜欢", "书", "啊", "。"],
        ["你", "看", "书", "吗", "。"],
    ]


def test_one_word_is_enough() -> None:
    segmenter = train_segmenter(treebank(conllu("Go")), 1, least_steps=5)
    assert forms(segmenter, "Go on") == [["Go", "on"]]


def test_an_empty_treebank_is_refused() -> None:
    with pytest.raises(InputError, match="the treebank has no sentences, give it some to learn from"):
        train_segmenter([], 1)
