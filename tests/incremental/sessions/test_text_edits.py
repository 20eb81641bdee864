from __future__ import annotations

import random
from itertools import takewhile

from cases import each

from treewhile.incremental.sessions.document_edits import edit_between


@each(
    "before, after, edit",
    [
        ("", "a", (0, 0, "a")),
        ("the dog", "the old dog", (4, 4, "old ")),
        ("aaa", "aa", (2, 3, "")),
        ("aa", "aaa", (2, 2, "a")),
        ("abc", "xyz", (0, 3, "xyz")),
        ("a🎉b", "a🎈b", (1, 2, "🎈")),
        ("same", "same", None),
    ],
)
def test_an_edit_is_as_short_as_can_be(before: str, after: str, edit: object) -> None:
    assert edit_between(before, after) == edit


def test_edits_lead_from_any_text_to_any_other() -> None:
    source = random.Random(18)
    for _ in range(2000):
        before, after = ("".join(source.choices("ab", k=source.randrange(9))) for _ in range(2))
        edit = edit_between(before, after)
        if edit is None:
            assert before == after
            continue
        assert before[: edit.start] + edit.text + before[edit.end :] == after
        shared = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
        assert edit.start == len([*shared])
        rest, new = before[edit.start : edit.end], edit.text
        assert not (rest and new and rest[-1] == new[-1])
