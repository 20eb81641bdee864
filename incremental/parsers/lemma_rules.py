"""Rules from forms to lemmas, as classes that a network chooses from.

A rule sets the case and edits the start and the end of a form: `running` becomes `run` by cutting four
characters at the end. Behind an edit some outer characters may be kept, as in Dutch `regeringsvorming`,
`regering_vorming`. A form that has little in common with its lemma has a rule that gives the lemma itself.
Rules with the same effect on different characters are one class, which knows what characters it has cut in
training: it applies to no others. A form with capitals inside, such as WhatsApp or URVs, keeps its case
whatever the rule says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

LOWER, TITLE, UPPER, COPY, WHOLE = "lower", "title", "upper", "copy", "whole"
SEPARATOR: Final = "\t"  # between the parts of a class as text; no column has one
LEAST_SEEN: Final = 2  # number of words that make a rule a class


def _title(text: str) -> str:
    return text[:1].upper() + text[1:]


# Last step of a rule by its case; all but those that copy begin with the form in lower case.
WRITTEN: Final[dict[str, Callable[[str], str]]] = {LOWER: str, TITLE: _title, UPPER: str.upper, COPY: str}


class Edit(NamedTuple):
    """Edit of one end of a form: outermost characters kept, characters cut behind these, and text added."""

    kept: int
    cut: int
    added: str


UNCHANGED: Final = Edit(0, 0, "")


class LemmaRule(NamedTuple):
    """Case of the lemma, and edits of both ends; where the case is WHOLE, `start` adds the lemma itself."""

    case: str
    start: Edit
    end: Edit

    def parts(self, form: str) -> tuple[str, str, str, str, str] | None:
        """Return what is kept, cut, left, cut and kept of a form; None if it is too short."""
        base = form if self._case(form) == COPY else form.lower()
        if self.case == WHOLE:
            return "", base, "", "", ""
        first, last = self.start.kept, len(base) - self.end.kept
        left, right = first + self.start.cut, last - self.end.cut
        if left > right:
            return None
        return base[:first], base[first:left], base[left:right], base[right:last], base[last:]

    def lemma(self, form: str) -> str:
        """Return the lemma of a form that is long enough; "" if nothing is left."""
        if self.case == WHOLE:
            return self.start.added
        before, _, middle, _, behind = self.parts(form) or ("",) * 5
        return WRITTEN[self._case(form)](before + self.start.added + middle + self.end.added + behind)

    def _case(self, form: str) -> str:
        return COPY if _has_capitals_inside(form) else self.case


class RuleClass(NamedTuple):
    """Rule, and the texts that it may cut, at the start and at the end, joined by SEPARATOR."""

    rule: LemmaRule
    cuts: frozenset[str]

    @classmethod
    def from_text(cls, text: str) -> RuleClass:
        """Return the class written by `str`; raise ValueError if the text is none."""
        case, *parts = text.split(SEPARATOR)
        numbers, cuts = [int(parts[at]) for at in (0, 1, 3, 4)], parts[6:]
        if case not in (*WRITTEN, WHOLE) or min(numbers) < 0 or len(cuts) % 2:
            raise ValueError("the rule is none")
        edits = Edit(numbers[0], numbers[1], parts[2]), Edit(numbers[2], numbers[3], parts[5])
        pairs = zip(cuts[::2], cuts[1::2], strict=True)
        return cls(LemmaRule(case, *edits), frozenset(map(SEPARATOR.join, pairs)))

    def __str__(self) -> str:
        edits = (*self.rule.start, *self.rule.end)
        return SEPARATOR.join([self.rule.case, *map(str, edits), *sorted(self.cuts)])

    def lemma(self, form: str) -> str:
        """Return the lemma of a form; "" if the class does not apply to it."""
        parts = self.rule.parts(form)
        return self.rule.lemma(form) if parts and _cut(parts) in self.cuts else ""


def _cut(parts: tuple[str, str, str, str, str]) -> str:
    return parts[1] + SEPARATOR + parts[3]


class RuleIndex:
    """Classes by what they cut, to find those that apply to a form without trying all of them."""

    def __init__(self, classes: Sequence[RuleClass]) -> None:
        self._classes = classes
        self._numbers: defaultdict[tuple[int, str, int, str], list[int]] = defaultdict(list)
        for number, (rule, cuts) in enumerate(classes):
            for cut in cuts:
                start, end = cut.split(SEPARATOR)
                self._numbers[rule.start.kept, start, rule.end.kept, end].append(number)
        self._sizes = {(first, len(start), last, len(end)) for first, start, last, end in self._numbers}

    def lemmas(self, form: str) -> dict[int, str]:
        """Return the lemma of a form by the number of each class that applies to it."""
        bases = {form, form.lower()}
        numbers = {number for base in bases for number in self._cutting(base)}
        lemmas = ((number, self._classes[number].lemma(form)) for number in sorted(numbers))
        return {number: lemma for number, lemma in lemmas if lemma}

    def giving(self, form: str, lemma: str) -> list[int]:
        """Return the numbers of all classes that give this lemma of a form."""
        return [number for number, one in self.lemmas(form).items() if one == lemma]

    def _cutting(self, base: str) -> Iterator[int]:
        for first, start, last, end in self._sizes:
            behind = len(base) - last
            if first + start <= behind - end:
                yield from self._numbers.get(
                    (first, base[first : first + start], last, base[behind - end : behind]), ()
                )


def rule_classes(pairs: Iterable[tuple[str, str]]) -> tuple[RuleClass, ...]:
    """Return the classes of the rules of forms and lemmas that are frequent enough, most frequent first."""
    counts: Counter[LemmaRule] = Counter()
    cuts: defaultdict[LemmaRule, set[str]] = defaultdict(set)
    for form, lemma in pairs:
        rule = rule_of(form, lemma)
        counts[rule] += 1
        cuts[rule].add(_cut(rule.parts(form) or ("",) * 5))
    return tuple(
        RuleClass(rule, frozenset(cuts[rule])) for rule, count in counts.most_common() if count >= LEAST_SEEN
    )


@lru_cache(1 << 16)
def rule_of(form: str, lemma: str) -> LemmaRule:
    """Return the rule that gives the lemma of a form, the same one for as many forms as possible."""
    case = _case_of(form, lemma)
    base, target = (form, lemma) if case == COPY else (form.lower(), lemma.lower())
    common = SequenceMatcher(None, base, target, autojunk=False).find_longest_match()
    if common.size < len(target) and 2 * common.size <= len(target):
        return LemmaRule(WHOLE, Edit(0, 0, lemma), UNCHANGED)
    start = _edit(base[: common.a], target[: common.b])
    kept, cut, added = _edit(base[common.a + common.size :][::-1], target[common.b + common.size :][::-1])
    return LemmaRule(case, start, Edit(kept, cut, added[::-1]))


def _case_of(form: str, lemma: str) -> str:
    if _has_capitals_inside(form):
        return COPY
    lower = lemma.lower()
    for case in (LOWER, TITLE):
        if WRITTEN[case](lower) == lemma:
            return case
    return UPPER if lower.upper() == lemma and form.upper() != form else COPY


def _has_capitals_inside(form: str) -> bool:
    return form[1:] != form[1:].lower() and form != form.upper()


def _edit(before: str, after: str) -> Edit:
    """Return the edit that replaces the outer part of a form, both read from outside."""
    kept = 0
    while kept < min(len(before), len(after)) and before[kept] == after[kept]:
        kept += 1
    return Edit(kept, len(before) - kept, after[kept:])
