"""Parser from a file of constraints to expressions and items with positions; names are not looked up.

    include universal
    section subjects
    tags at least 0.1
    set SUBJECTS = {nsubj, csubj}
    constraint "one subject" penalty 0.05, X and Y under one head:
        not (X.relation in SUBJECTS and Y.relation in SUBJECTS)
    penalty "one subject" 0.02
    constraint "a subject is he", X:
        X.relation = nsubj -> X.lower != him
        marks X says "A subject is *he*, not *{X}*"

Operators are parsed by binding power (Pratt 1973), so nesting costs two calls a level. Input sizes are
bounded: the text, and the depth of every expression, on which later passes recurse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from treewhile.incremental.constraints.language.terms import EXTENTS
from treewhile.incremental.constraints.language.written import (
    DEEPEST,
    ITEMS,
    LEXICON_ITEMS,
    QUANTITIES,
    RELATIONS,
    RESERVED,
    VARIABLE,
    Broken,
    Definition,
    Expression,
    Form,
    GrammarError,
    Include,
    Item,
    LikelyTags,
    OtherPenalty,
    Place,
    PlacedWords,
    SectionWeight,
    TableFile,
    Token,
    WordSet,
    WrittenConstraint,
    WrittenMessage,
    no_token,
    number_of,
    problem,
    shown,
    tokens,
    unquoted,
)

LARGEST_TEXT: Final = 1 << 20  # bytes
HEAVIEST: Final = 100  # maximum weight of a section
LONGEST_MESSAGE: Final = 300  # maximum length of a message in characters

# Binding powers of operators, the weakest first; comparisons cannot be chained.
COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=", "in", "has", "matches")
POWERS: Final = {"<->": 1, "->": 2, "or": 3, "and": 4, **dict.fromkeys(COMPARISONS, 6)} | {
    "+": 7,
    "-": 7,
    "*": 8,
    "/": 8,
}
NOT_POWER: Final = 5
MINUS_POWER: Final = 9
RIGHT_TO_LEFT: Final = ("->", "<->")
FLAT: Final = ("and", "or")  # a chain of these is one operation

BYTE_ORDER_MARK: Final = "\ufeff"

CONSTRAINT_LINE: Final = re.compile(r"^(?=constraint\b)", re.MULTILINE)
LONGEST_KEPT: Final = 1_000  # characters of a piece that is kept
MOST_KEPT: Final = 1 << 10  # pieces

BRACES: Final = re.compile(r"\{([^{}]*)\}")


def parse_text(text: str, file: str) -> list[Item]:
    """Return the items of a file in order; the first mistake is a GrammarError with its place."""
    items, mistakes = items_and_mistakes(text, file)
    if mistakes:
        raise mistakes[0]
    return items


def items_and_mistakes(text: str, file: str) -> tuple[list[Item], list[GrammarError]]:
    """Return the items of a file, those with mistakes as Broken, and the mistakes, one an item."""
    if len(text.encode(errors="surrogatepass")) > LARGEST_TEXT:
        what = f"the file has more than {LARGEST_TEXT} bytes: divide the grammar or shorten it"
        return [], [problem(what, Place(file, 1, 1))]
    items = items_without_mistakes(text, file)
    if items is not None:
        return items, []
    parser = _Parser(text, file)
    return [*parser.items()], parser.mistakes


def items_without_mistakes(text: str, file: str) -> list[Item] | None:
    """Return the items of a file, piece by piece; None if any piece has a mistake.

    Pieces that stand where they stood before an edit are not parsed again.
    """
    items, section, line = list[Item](), "", 1
    for piece in CONSTRAINT_LINE.split(text):
        parse = _items_of_piece if len(piece) <= LONGEST_KEPT else _items_of_piece.__wrapped__
        found = parse(piece, file, line, section)
        if found is None:
            return None
        more, section = found
        items += more
        line += piece.count("\n")
    return items


@lru_cache(MOST_KEPT)
def _items_of_piece(piece: str, file: str, line: int, section: str) -> tuple[tuple[Item, ...], str] | None:
    """Return the items of a piece that begins at a line of a section, and the section at its end."""
    parser = _Parser(piece, file, line, section)
    items = (*parser.items(),)
    return None if parser.mistakes else (items, parser.section)


class _Parser:
    def __init__(self, text: str, file: str, line: int = 1, section: str = "") -> None:
        self._tokens: Iterator[Token] = tokens(text.removeprefix(BYTE_ORDER_MARK), file, line)
        self._before = self._now = next(self._tokens)
        self._nesting = 0
        self.section, self._named_item = section, ""
        self.mistakes: list[GrammarError] = []

    # --- items ----------------------------------------------------------------------------------------------

    def items(self) -> Iterator[Item]:
        """Yield the items; after a mistake the next item goes on."""
        while self._now.kind != "end":
            token = self._now
            try:
                yield from self._items_from(token)
            except GrammarError as error:
                self.mistakes.append(error)
                self._skip_to_item(token)
                yield Broken(token.text, self._named_item)

    def _items_from(self, token: Token) -> Iterator[Item]:
        """Yield the item that begins here, if it is not a section."""
        self._nesting, self._named_item = 0, ""
        if token.kind != "name" or token.text not in (*ITEMS, *LEXICON_ITEMS):
            raise self._unexpected(f"one of {', '.join((*ITEMS, *LEXICON_ITEMS))}")
        self._advance()
        if token.text == "section":
            self.section = self._title("the name of a section")
            if self._now.kind == "name" and self._now.text in ("weight", "off"):
                yield self._section_weight(token.place)
        else:
            yield self._item(token)

    def _section_weight(self, place: Place) -> SectionWeight:
        if self._advance().text == "off":
            return SectionWeight(self.section, 0, place)
        mistake = f"a weight is more than 0 and at most {HEAVIEST}: or write off"
        return SectionWeight(self.section, self._positive(HEAVIEST, mistake), place)

    def _positive(self, most: float, mistake: str) -> float:
        """Return a number above 0, up to a greatest one; a mistake says why it is not."""
        token = self._now
        if token.kind != "number":
            raise self._unexpected("a number")
        if not 0 < number_of(token) <= most:
            raise problem(mistake, token.place)
        self._advance()
        return number_of(token)

    def _skip_to_item(self, token: Token) -> None:
        """Skip the rest of a broken item; names that are not reserved begin one only where a line begins."""
        if self._now is token:
            self._advance()
        while self._now.kind != "end":
            begins_line = self._now.place.line > self._before.place.line
            is_item = self._now.kind == "name" and self._now.text in (*ITEMS, *LEXICON_ITEMS)
            if is_item and (begins_line or self._now.text not in ("penalty", *LEXICON_ITEMS)):
                return
            self._advance()

    def _item(self, token: Token) -> Item:
        if token.text == "include":
            return Include(self._title("the name of a grammar"), token.place)
        if token.text == "set":
            return self._word_set(token.place)
        if token.text == "define":
            return self._definition(token.place)
        if token.text == "table":
            return TableFile(self._plain_name("the name of a table"), self._title("a file"), token.place)
        if token.text == "tags":
            return self._likely_tags(token.place)
        name = self._named_item = self._title("the name of a constraint")
        if token.text == "penalty":
            return OtherPenalty(name, self._expression(), token.place)
        return self._constraint(name, token.place)

    def _likely_tags(self, place: Place) -> LikelyTags:
        self._expect("at")
        self._expect("least")
        mistake = "how likely a tag is, relative to the likeliest, is more than 0 and at most 1"
        return LikelyTags(self._positive(1, mistake), place)

    def _constraint(self, name: str, place: Place) -> WrittenConstraint:
        penalty = self._expression() if self._skip("penalty") else None
        self._expect(",")
        relation = self._relation()
        self._expect(":")
        formula = self._expression()
        message, examples = self._message(), (*self._examples(),)
        if penalty is None and message is None:
            what = f"the constraint {shown(name)!r} neither weighs nor says anything"
            raise problem(f'{what}: give it a penalty or says "..."', place)
        return WrittenConstraint(name, self.section, penalty, relation, formula, message, examples, place)

    def _message(self) -> WrittenMessage | None:
        """Return the message behind the formula, if any."""
        marks = self._expression() if self._skip("marks") else None
        if marks is None and not (self._now.kind == "name" and self._now.text == "says"):
            return None
        self._expect("says")
        token = self._now
        if token.kind != "text":
            raise self._unexpected("a sentence in quotes")
        self._advance()
        return WrittenMessage((*_message_parts(unquoted(token), token.place),), marks)

    def _examples(self) -> Iterator[tuple[str, bool, Place]]:
        """Yield the examples behind a constraint."""
        while self._now.kind == "name" and self._now.text in ("right", "wrong"):
            is_right, token = self._advance().text == "right", self._now
            if token.kind != "text":
                raise self._unexpected("a sentence in quotes")
            self._advance()
            yield unquoted(token), is_right, token.place

    def _definition(self, place: Place) -> Definition:
        name, parameters = self._plain_name("the name of a formula"), list[str]()
        self._expect("(")
        while not parameters or self._skip_sign(","):
            parameters.append(self._variable())
        self._expect(")")
        self._expect(":")
        if len({*parameters}) < len(parameters):
            raise problem(f"{name:.60} has two variables of one name: give each its own", place)
        return Definition(name, (*parameters,), self._expression(), place)

    def _variable(self) -> str:
        if self._now.kind != "name" or not VARIABLE.fullmatch(self._now.text):
            raise self._unexpected("a variable, a capital letter,")
        return self._advance().text

    def _plain_name(self, what: str) -> str:
        """Return the name of an item, which is not in quotes."""
        if self._now.kind != "name" or self._now.text in RESERVED:
            raise self._unexpected(what)
        self._named_item = self._advance().text
        return self._named_item

    def _word_set(self, place: Place) -> WordSet:
        name = self._plain_name("the name of a set")
        self._expect("=")
        self._expect("{")
        return WordSet(name, self._set_words(), place)

    def _title(self, what: str) -> str:
        token = self._now
        if token.kind not in ("text", "name"):
            raise self._unexpected(what)
        self._advance()
        return unquoted(token) if token.kind == "text" else token.text

    def _relation(self) -> str:
        """Return the relation after the penalty: "" for X, or that of X and Y."""
        self._expect("X")
        if self._now.text != "and":
            return ""
        self._advance()
        self._expect("Y")
        for relation in RELATIONS:
            first, *others = relation.split()
            if self._now.text == first:
                self._advance()
                for word in others:
                    self._expect(word)
                return relation
        raise self._unexpected(f"one of {', '.join(RELATIONS)}")

    # --- expressions ----------------------------------------------------------------------------------------

    def whole_expression(self) -> Expression:
        """Return the expression that is the whole text."""
        written = self._expression()
        if self._now.kind != "end":
            raise self._unexpected("}")
        return written

    def _expression(self, weakest: int = 0) -> Expression:
        self._nesting += 1
        if self._nesting > DEEPEST:
            raise _too_deep(self._now.place)
        left = self._operand()
        while (power := self._power()) >= max(weakest, 1):
            token = self._advance()
            right = self._expression(power + (token.text not in RIGHT_TO_LEFT))
            left = self._operation(token, left, right)
            if power == POWERS["="] == self._power():
                raise problem(
                    "comparisons do not follow each other: join two of them with `and`", self._now.place
                )
        self._nesting -= 1
        return left

    def _power(self) -> int:
        """Return the binding power of the current token; 0 if it is no operator."""
        return POWERS.get(self._now.text, 0) if self._now.kind in ("name", "sign") else 0

    def _operation(self, token: Token, left: Expression, right: Expression) -> Expression:
        operands: tuple[Expression, ...] = (left, right)
        if token.text in FLAT and left.form == "operation" and left.value == token.text:
            operands = (*left.operands, right)
        return self._made("operation", token.text, operands, token.place)

    def _operand(self) -> Expression:
        before, token = self._before, self._advance()
        if token.text == "not" and token.kind == "name":
            return self._made("operation", "not", (self._expression(NOT_POWER),), token.place)
        if token.text == "-" and token.kind == "sign":
            return self._made("operation", "negative", (self._expression(MINUS_POWER),), token.place)
        made = self._atom(token, before)
        while self._now.text == "." and self._now.kind == "sign":
            place, name_place = self._advance().place, self._now.place
            name = self._title("the name of an attribute")
            made = replace(self._made("attribute", name, (made,), place), name_place=name_place)
        return made

    def _atom(self, token: Token, before: Token) -> Expression:
        if token.kind == "number":
            return self._made("number", number_of(token), (), token.place)
        if token.kind == "text":
            return self._made("text", unquoted(token), (), token.place)
        if token.kind == "name" and token.text in QUANTITIES and self._begins_variable(token):
            return self._quantifier(token)
        if token.kind == "name" and token.text not in RESERVED - {"X", "Y", "true", "false"}:
            return self._named(token)
        if token.text == "(":
            inner = self._expression()
            self._expect(")")
            return inner
        if token.text == "{":
            return self._made("set", self._set_words(), (), token.place)
        self._tokens = chain([self._now], self._tokens)
        self._before, self._now = before, token
        raise self._unexpected("a term")

    def _named(self, token: Token) -> Expression:
        if token.text in ("true", "false"):
            return self._made("truth", token.text == "true", (), token.place)
        if self._now.text != "(" or self._now.kind != "sign":
            return self._made("name", token.text, (), token.place)
        self._advance()
        arguments = [self._expression()]
        while self._now.text == ",":
            self._advance()
            arguments.append(self._expression())
        self._expect(")")
        return self._made("call", token.text, tuple(arguments), token.place)

    def _begins_variable(self, quantity: Token) -> bool:
        """Return whether a quantity is followed by a variable, and is no word."""
        if self._now.kind != "name":
            return False
        return (
            self._now.text == "of" if quantity.text == "number" else bool(VARIABLE.fullmatch(self._now.text))
        )

    def _quantifier(self, quantity: Token) -> Expression:
        """Return `some Z below X: (...)`, behind `some`."""
        if quantity.text == "number":
            self._advance()
        variable, extent = self._variable(), self._extent()
        start = () if extent == "anywhere" else (self._operand(),)
        self._expect(":")
        self._expect("(")
        formula = self._expression()
        self._expect(")")
        value = quantity.text, variable, extent
        return self._made("quantifier", value, (*start, formula), quantity.place)

    def _extent(self) -> str:
        for extent in EXTENTS:
            first, *others = extent.split()
            if self._skip(first):
                for word in others:
                    self._expect(word)
                return extent
        raise self._unexpected(f"one of {', '.join(EXTENTS)}")

    def _set_words(self) -> PlacedWords:
        """Return the words up to the closing brace, without their quotes."""
        words = [self._word()]
        while self._now.text == "," and self._now.kind == "sign":
            self._advance()
            words.append(self._word())
        self._expect("}")
        return PlacedWords.of((word.text, word.place) for word in words)

    def _word(self) -> Token:
        if self._now.kind == "name" and self._now.text in RESERVED:
            raise problem(
                f"{self._now.text} has a meaning of its own: put it into quotes in a set", self._now.place
            )
        token = self._now
        return token._replace(text=self._title("a word"))

    def _made(self, form: Form, value: Any, operands: tuple[Expression, ...], place: Place) -> Expression:
        depth = 1 + max((operand.depth for operand in operands), default=0)
        if depth > DEEPEST:
            raise _too_deep(place)
        return Expression(form, value, operands, place, depth)

    # --- tokens ---------------------------------------------------------------------------------------------

    def _advance(self) -> Token:
        self._before = self._now
        self._now = next(self._tokens, self._now)
        return self._before

    def _skip(self, text: str) -> bool:
        """Skip this name if it is the current token; return whether it was."""
        stands = self._now.kind == "name" and self._now.text == text
        if stands:
            self._advance()
        return stands

    def _skip_sign(self, text: str) -> bool:
        """Skip this sign if it is the current token; return whether it was."""
        stands = self._now.kind == "sign" and self._now.text == text
        if stands:
            self._advance()
        return stands

    def _expect(self, text: str) -> None:
        if self._now.text != text or self._now.kind not in ("name", "sign"):
            raise self._unexpected(text)
        self._advance()

    def _unexpected(self, expected: str) -> GrammarError:
        token = self._now
        if token.kind == "odd":
            return no_token(token)
        found = "the file ends" if token.kind == "end" else f"{shown(token.text)} stands here"
        return problem(f"{found}, where {expected} has to stand{self._hint()}", token.place)

    def _hint(self) -> str:
        """Return what the author may have meant by the current token, if that is easily told."""
        before, now = self._before, self._now
        is_joined = before.place._replace(column=before.place.column + len(before.text)) == now.place
        if now.kind == "sign" and now.text == ":" and before.kind == "name" and is_joined:
            return f': put a name with a colon into quotes, "{shown(before.text)}:..."'
        if now.kind == "sign" and now.text == before.text and is_joined and now.text in "=/":
            return ": write = once" if now.text == "=" else ": a comment begins with #"
        if now.kind == "name" and now.text not in POWERS and now.text.lower() in (*POWERS, "not"):
            return f": write {now.text.lower()} in small letters"
        return ""


def _message_parts(sentence: str, place: Place) -> Iterator[str | Expression]:
    """Yield the texts of a sentence and the expressions in braces, in order."""
    if not sentence.strip():
        raise problem("what a constraint says to people is empty: write a sentence", place)
    if len(sentence) > LONGEST_MESSAGE:
        raise problem(f"what a constraint says has more than {LONGEST_MESSAGE} characters: shorten it", place)
    for number, part in enumerate(BRACES.split(sentence)):
        if number % 2:
            yield _in_braces(part, place)
        elif "{" in part or "}" in part:
            raise problem("a brace in a sentence has no counterpart: write {X} for the word", place)
        elif part:
            yield part


def _in_braces(written: str, place: Place) -> Expression:
    try:
        return _Parser(written, place.file).whole_expression()
    except GrammarError as error:
        raise problem(f"in {{{shown(written)}}} {error.what}", place) from None


def _too_deep(place: Place) -> GrammarError:
    return problem(
        f"the formula is nested more than {DEEPEST} levels deep: divide it into constraints", place
    )
