"""Events and messages of a session, with bounds on everything that an untrusted client can grow.

Events and messages are sent in JSON or msgpack; `type` names the kind. Sentences are counted from 0 within
their document, words from 1 within their sentence. A head is a word's number, 0 for the root, -k for virtual
node k, "later" if the head is still to come and not predicted, or null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from treewhile.incremental.parsers.corrections import Part
from treewhile.incremental.parsers.words import LONGEST_WORD
from treewhile.oracles.constituents.phrase_trees import Constituent
from treewhile.oracles.errors import InputError

MOST_DOCUMENTS: Final = 64  # in a session
MOST_CHARACTERS: Final = 1 << 20  # in a document
MOST_WORDS: Final = 20_000  # in a document of given words
MOST_SENTENCES: Final = 5000  # in a document
MOST_REQUESTS: Final = 64  # that wait for their sentences, in a document
LONGEST_GOLD: Final = 4000  # number of heads
LONGEST_GRAMMAR: Final = 32_768  # characters
MOST_BROKEN: Final = 200  # constraints that are told of a sentence
MOST_FIXED: Final = 4000  # words of a document about which somebody has decided: every edit moves them
LARGEST_NUMBER: Final = 2**53 - 1  # beyond this, numbers in JSON are not exact everywhere

Count = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
Share = Annotated[float, Meta(ge=0, le=1)]
DocumentName = Annotated[str, Meta(min_length=1, max_length=128)]
ModelName = Annotated[str, Meta(max_length=128)]
GrammarName = Annotated[str, Meta(max_length=128)]
GrammarText = Annotated[str, Meta(max_length=LONGEST_GRAMMAR)]
Text = Annotated[str, Meta(max_length=MOST_CHARACTERS)]
Form = Annotated[str, Meta(min_length=1, max_length=LONGEST_WORD)]
Forms = Annotated[list[Form], Meta(max_length=MOST_WORDS)]
Head: TypeAlias = int | Literal["later"] | None
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Value = TypeVar("Value")
Fixed: TypeAlias = Annotated[dict[Count, Value | None], Meta(max_length=LONGEST_GOLD)]  # by word

Level = Literal["L0", "L1", "L2"]
Stream = Literal["analyses", "steps", "plan", "constituents", "completeness", "constraints"]
Prediction = Literal["none", "later", "virtual"]
Positions = Literal["code_points", "utf16"]
Stage = Literal["initial", "improved", "settled", "final"]
StepName = Literal["shift", "reduce_left", "reduce_right"]


# --- events -----------------------------------------------------------------------------------------------


class OptionChanges(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Changes of options; an option that is not named stays as it is.

    time_limit     seconds a word for refining its sentence; null for as long as it takes
    prediction     what is said of words to come: virtual nodes, later, or none, where their heads are null
    stability      from 0, where analyses are the best parses, to 1, where words are soon declared stable
    keep_promises  whether what was declared stable holds for good; if not, it holds until the sentence is
                   analysed as a whole one, which may take it back
    levels         which levels of work are done; L0 always is
    streams        what is sent unasked
    drift          the share of the edges to be expected below which the configuration is rebuilt
    risk           how many right edges a step of the parser may be expected to lose against waiting for
                   the next words: with 0 it always waits for three, with 1 for none
    deltas         whether analyses may come as deltas; if not, each comes in full
    model          the name of the model that parses the document, which only `open` can choose; by default
                   that of the session
    lemmas         whether words have lemmas and XPOS, from L1 on, if the model has learnt them
    grammar        the name of the grammar under which the document is searched; null for that of its model
    """

    time_limit: Annotated[float, Meta(ge=0, le=3600)] | UnsetType | None = UNSET
    prediction: Prediction | UnsetType = UNSET
    stability: Share | UnsetType = UNSET
    keep_promises: bool | UnsetType = UNSET
    levels: Annotated[list[Level], Meta(max_length=3)] | UnsetType = UNSET
    streams: Annotated[list[Stream], Meta(max_length=6)] | UnsetType = UNSET
    drift: Share | UnsetType = UNSET
    risk: Share | UnsetType = UNSET
    deltas: bool | UnsetType = UNSET
    model: ModelName | UnsetType = UNSET
    lemmas: bool | UnsetType = UNSET
    grammar: GrammarName | UnsetType | None = UNSET


class Event(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", omit_defaults=True):
    """Event that a client sends about one document."""

    document: DocumentName


class Change(Event, frozen=True):
    """Event that makes the next version of a document; version numbers rise."""

    version: Count


class Revision(Change, frozen=True, kw_only=True):
    """Change of a document that is open.

    base  the version that this changes, which a client may name to be sure that it and the server have the
          same content: where the server has another one, the change is refused
    """

    base: Count | None = None


class Request(Event, frozen=True):
    """Event about one sentence of the present version of a document."""

    version: Count
    sentence: Count


class Open(Change, frozen=True, tag="open"):
    """New document, of text that is cut into words and sentences, or of given words.

    Positions in a text count code points, or code units of UTF-16, as a browser does.
    """

    text: Text | None = None
    words: Forms | None = None
    positions: Positions = "code_points"
    options: OptionChanges = OptionChanges()


class Append(Revision, frozen=True, tag="append"):
    """More words at the end of a document of words."""

    words: Forms


class Edit(Revision, frozen=True, tag="edit"):
    """Replacement of the characters from `start` to `end` by `text`, in a document of text."""

    start: Count
    end: Count
    text: Text


class Revoke(Revision, frozen=True, tag="revoke"):
    """Removal of the last words of a document of words; a sentence that loses its end is open again."""

    count: Count


class Finish(Revision, frozen=True, tag="finish"):
    """End of the last sentence. A text that is edited after that is open again."""


class Gold(Request, frozen=True, tag="gold"):
    """True heads of a sentence, null where unknown; `heads: null` takes back the heads given before."""

    heads: Annotated[list[Count | None], Meta(max_length=LONGEST_GOLD)] | None


class Step(Request, frozen=True, tag="step"):
    """Step by hand: from now on the configuration of the sentence takes steps by hand alone."""

    step: StepName


class Undo(Request, frozen=True, tag="undo"):
    """Undoing of the last step. Once no step by hand is left, the parser's own steps count again.

    all  takes back all that was done by hand, what was undone included
    """

    all: bool = False


class Fix(Request, frozen=True, tag="fix"):
    """Decisions about words of a sentence, around which the rest is parsed anew; null frees a word again.

    They add to those before, and hold until the word or its head is edited.

    heads   by the word's number; 0 is the root
    labels  likewise, and so are tags
    """

    heads: Fixed[Count] = {}
    labels: Fixed[Name] = {}
    tags: Fixed[Name] = {}


class AskSteps(Request, frozen=True, tag="ask_steps"):
    """Request for the next steps, once, and for a plan if `plan` is true."""

    plan: bool = False


class AskMargins(Request, frozen=True, tag="ask_margins"):
    """Request for the margins of arcs of a sentence, once.

    words  whose arcs are asked about; null for all
    """

    words: Annotated[list[Count], Meta(max_length=LONGEST_GOLD)] | None = None


class AskAnalyses(Event, frozen=True, tag="ask_analyses"):
    """Request for the present analyses of all sentences, in full."""


class Options(Event, frozen=True, tag="options"):
    """Change of options of an open document."""

    options: OptionChanges


class EditGrammar(Event, frozen=True, tag="edit_grammar"):
    """Text of a grammar under which this document alone is searched, instead of one with a name.

    text    replaces the one before, which counts until this one is compiled; null takes it back
    number  of the client, which the answer repeats
    """

    text: GrammarText | None
    number: Count = 0


class Close(Event, frozen=True, tag="close"):
    """End of a document; its name can be used again."""


AnyEvent: TypeAlias = (
    Open
    | Append
    | Edit
    | Revoke
    | Finish
    | Gold
    | Step
    | Undo
    | Fix
    | AskSteps
    | AskMargins
    | AskAnalyses
    | Options
    | EditGrammar
    | Close
)


EVENTS: Final = frozenset(get_args(AnyEvent))


def checked_event(event: object) -> AnyEvent:
    """Return the event, or the event in a mapping, checked; raise InputError with the fault."""
    kind: Any = type(event) if type(event) in EVENTS else AnyEvent
    try:
        checked: AnyEvent = msgspec.convert(
            event if isinstance(event, dict) else msgspec.to_builtins(event), kind, str_keys=True
        )
    except (msgspec.ValidationError, TypeError, RecursionError) as error:
        raise InputError(f"this is no event ({error}): send one that the protocol names") from None
    return checked


def named_in(event: object) -> tuple[str | None, int | None]:
    """Return the valid document name and version in an invalid event."""
    if isinstance(event, Mapping):
        document, version = event.get("document"), event.get("version")
    else:
        document, version = getattr(event, "document", None), getattr(event, "version", None)
    return _fitting(document, DocumentName), _fitting(version, Count)


def _fitting(value: object, kind: Any) -> Any:
    """Return the value if it is of a kind, or None."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


# --- messages ---------------------------------------------------------------------------------------------


# Messages hold no cycles, so the garbage collector need not visit the words of all sentences.


class WordView(Struct, frozen=True, omit_defaults=True, gc=False):
    """Word and its arc. `start` and `end` count from the start of the sentence."""

    form: str
    start: int
    end: int
    tag: str
    features: str
    head: Head
    label: str | None
    confidence: float | None = None  # probability of head and label, rounded; null if not judged
    lemma: str | None = None  # null if it is not asked for, or not known yet, like XPOS
    xpos: str | None = None
    fixed: list[Part] | None = None  # what was decided by "fix"; null if nothing


class VirtualView(Struct, frozen=True, gc=False):
    """Virtual node in use: a word that must still come. It is the head of the words with the head -node."""

    node: int
    tag: str
    head: Head
    label: str


class ConflictView(Struct, frozen=True, gc=False):
    """Constraint that an analysis violates, with the words concerned and a message for people.

    The penalty is the factor of a violation in the search; with 1 the constraint is only reported. The
    message is a sentence, in which quoted words stand between asterisks.
    """

    constraint: str
    penalty: float
    words: list[int]
    message: str


class ConstituentsView(Struct, frozen=True, gc=False):
    """Change of a list of constituents: from `first` on, `removed` ones are replaced by `added`.

    first    the place of the change, counted from 0
    removed  how many constituents are gone from there on
    added    the constituents in their place
    """

    first: int
    removed: int
    added: list[Constituent]


class Message(Struct, frozen=True, tag_field="type", omit_defaults=True, gc=False):
    """Message that a session sends."""


class OfSentence(Message, frozen=True):
    """Message about the analysis of one sentence: its fields are explained in `AnalysisMessage`."""

    document: str
    version: int
    number: int
    answers: list[int]
    sentence: int
    first_word: int
    start: int
    stage: Stage
    levels: list[Level]


class AnalysisMessage(OfSentence, frozen=True, tag="analysis"):
    """Analysis of a sentence.

    number       counts the analyses of the document, so that a delta can name its base
    answers      the versions that this is the answer to: the present one, and those it has overtaken
    sentence     which one, with its first word, counted from 0 in the document, and where it starts there
    stage        initial: the committed steps joined to what stood before; improved: a better one; settled:
                 nothing improves it any more; final: the sentence has ended, and nothing more will come
    levels       the levels that it went through; L1 is left out in sentences too long for it
    stable_upto  how many of the first words keep their heads and labels until they, or words that hang
                 together with them, are edited, and until the sentence is whole, unless promises are kept
    score        the higher the better, comparable within a level; null if nothing has judged it
    seconds      from the coming of its version to now
    cut_short    whether time ran out before it was settled
    proven       whether it is shown that no tree has a higher score, of those that hold what is decided; the
                 search does not try all trees, so it may settle on the best one and not know
    whole        whether it is that of a whole sentence, with one root and nothing to come: the sentence has
                 ended, or has its full stop and nobody is typing; then the next word may open it again
    constituents  phrases with their first and last words, outer ones first; the last word is null as long as
                  it is still to come. Null if they were not asked for or nothing is known of them
    """

    words: list[WordView]
    virtual: list[VirtualView]
    conflicts: list[ConflictView]
    stable_upto: int
    score: float | None
    seconds: float
    cut_short: bool = False
    whole: bool = False
    proven: bool = False
    constituents: list[Constituent] | None = None


class DeltaMessage(OfSentence, frozen=True, tag="delta"):
    """Analysis as a list of changes of the analysis with the number `base`: see `apply_delta`."""

    base: int
    length: int  # number of words now
    words: dict[int, WordView]  # new or changed words, by number
    stable_upto: int
    score: float | None
    seconds: float
    virtual: list[VirtualView] | UnsetType = UNSET
    conflicts: list[ConflictView] | UnsetType = UNSET
    cut_short: bool = False
    whole: bool = False
    proven: bool = False
    constituents: ConstituentsView | UnsetType | None = UNSET  # null: constituents are no longer known


class SentencesMessage(Message, frozen=True, tag="sentences"):
    """Change of the number of sentences: from sentence `first` on, `removed` are gone and `added` are new.

    There are now `count` sentences. The analyses of the other sentences remain valid, under new numbers. If
    no analysis follows, this message answers the versions.
    """

    document: str
    version: int
    answers: list[int]
    first: int
    removed: int
    added: int
    count: int


class MovedMessage(Message, frozen=True, tag="moved"):
    """Move of sentence `sentence` and all sentences behind it, by numbers of words and of units of text.

    Nothing else has changed in these sentences; their analyses remain valid, with another `first_word` and
    `start`.
    """

    document: str
    version: int
    sentence: int
    words: int
    units: int


class KnownView(Struct, frozen=True, gc=False):
    """Greatest number of edges among the present words and the root that each step can still attain."""

    shift: int | None
    reduce_left: int | None
    reduce_right: int | None


class ExpectedView(Struct, frozen=True, gc=False):
    """Greatest expected number of right edges after each step; null for an illegal step."""

    shift: float | None
    reduce_left: float | None
    reduce_right: float | None


class ChoiceView(Struct, frozen=True, gc=False):
    """Legal step, in words.

    step   its name
    head   that of the arc it would make; null for a shift
    child  the word that it would attach; null for a shift
    label  that of the arc in the analysis that is shown; null where it has no such arc
    loses  the arcs of the reference that could be made and then no longer can: [head, child] of each
    says   what it does, for people; quoted words stand between asterisks
    """

    step: StepName
    head: int | None
    child: int | None
    label: str | None
    loses: list[tuple[Head, Head]]
    says: str


class PlannedView(Struct, frozen=True, gc=False):
    """Step of a plan. Words to come are named as in analyses: -k for virtual node k, or "later".

    step   its name
    head   that of the arc it makes; null for a shift
    child  the word that it attaches; null for a shift
    label  of the arc; null where nothing is known of it
    word   what a shift takes: a word, or one to come that it waits for; null for other steps, and for a word
           of which nothing is known
    tag    of that word; null where it is not known
    says   what it does, for people; quoted words stand between asterisks
    """

    step: StepName
    head: Head
    child: Head
    label: str | None
    word: Head
    tag: str | None
    says: str


class StepsMessage(Message, frozen=True, tag="next_steps"):
    """Configuration of a sentence, and the number of edges of the reference that each step can still attain.

    optimal         the steps that are advised: the best ones by what is expected, waiting before others that
                    are as good; where nothing is expected, the best ones by the reference
    share           of the edges of the reference that are not yet made, how many can be; 1 if there are none
    entries_filled  facts found for this answer; `entries_in_all` as many as it takes where nothing is known
                    yet, counted in sentences of up to 60 words
    reference       the gold heads, or the best analysis with the words to come that it speaks of
    wait            whether a shift stands for waiting, since the next word is not there yet
    best            the best of the legal steps by the reference
    known           the same three, of the edges among the words that are there, and from the root
    expected        the same three, as expected numbers of right edges, with words to come; null where gold
                    heads were given, where the sentence has ended, and before L1 has judged it
    choices         the legal steps, with the arc that each would make and those that it would lose
    plan            up to 20 steps from here to the reference, if they were asked for
    by_hand         whether the configuration takes steps by hand alone
    rebuilt         whether it was just built again from the best analysis, from which it had drifted
    edges           that the steps have made: [head, child] of each
    """

    document: str
    version: int
    sentence: int
    stack: list[int]
    front: int
    n: int
    shift: int | None
    reduce_left: int | None
    reduce_right: int | None
    optimal: list[StepName]
    share: float
    entries_filled: int
    entries_in_all: int | None
    reference: Literal["gold", "best"]
    wait: bool
    best: list[StepName]
    known: KnownView
    expected: ExpectedView | None
    choices: list[ChoiceView]
    plan: list[PlannedView] | None = None
    by_hand: bool = False
    rebuilt: bool = False
    edges: list[tuple[int, int]] = []


class RivalView(Struct, frozen=True, gc=False):
    """Arc that a word has in the best tree without its arc in the analysis."""

    head: Head
    label: str


class AlternativeView(Struct, frozen=True, gc=False):
    """Head and label that a word might have instead, with their probability, rounded."""

    head: Head
    label: str
    probability: float


class MarginView(Struct, frozen=True, omit_defaults=True, gc=False):
    """Margin of the arc to a word in the analysis, and the best rival of this arc.

    word        its number
    head        that of its arc
    label       that of its arc
    margin      the score of the best tree with the arc, less that of the best tree without it, by L1: below 0
                if L1 prefers the rival; null if one of the two trees does not exist
    rival       the arc of the word in the best tree without this one; null if there is no such tree, as where
                the head was fixed
    constraint  of those that count in L2, the one that speaks most for the analysis and against the best tree
                without the arc; null if none does, and where L2 has found nothing
    penalty     the factor of its violations in the search; null without a constraint
    alternatives  the likeliest other heads and labels of the word, at most three, the likeliest first;
                  null if none is likely
    """

    word: int
    head: Head
    label: str
    margin: float | None
    rival: RivalView | None
    constraint: str | None = None
    penalty: float | None = None
    alternatives: list[AlternativeView] | None = None


class MarginsMessage(Message, frozen=True, tag="margins"):
    """Margins of the arcs that were asked about, in the last analysis that was sent, the least sure first."""

    document: str
    version: int
    sentence: int
    arcs: list[MarginView]


class MistakeView(Struct, frozen=True, gc=False):
    """Mistake in the text of a grammar, in one sentence; line and column count from 1."""

    line: int
    column: int
    message: str


class MistakesMessage(Message, frozen=True, tag="mistakes"):
    """Answer to the text of a grammar.

    number       of the text
    mistakes     those that were found, up to 100 in the order of the text; a text that only divides by what
                 may be zero is used all the same
    constraints  number of constraints, those of included grammars with them; 0 if the text cannot be used
    is_used      whether the document is searched under this text now; if not, the last good one still counts
    """

    document: str
    number: int
    mistakes: list[MistakeView]
    constraints: int
    is_used: bool


class BrokenView(Struct, frozen=True, omit_defaults=True, gc=False):
    """Constraint of the grammar that an analysis breaks, with the words concerned.

    words    the one that it marks, or those at the ends of its edges
    penalty  the factor by which this counts in the search, less than 1
    x        the word that the formula calls X; null where it is one to come
    """

    constraint: str
    section: str
    penalty: float
    words: list[int]
    x: int | None = None


class ConstraintsMessage(Message, frozen=True, tag="constraints"):
    """Constraints with penalties that the last analysis of a sentence by a search breaks, the hardest first.

    Constraints that weigh every edge, as the probabilities of the model do, are left out.
    """

    document: str
    version: int
    sentence: int
    score: float | None
    broken: list[BrokenView]


ErrorCode = Literal[
    "bad_event",
    "bad_fix",
    "bad_gold",
    "bad_step",
    "bad_text",
    "bad_word",
    "failed",
    "illegal",
    "lost",
    "old_version",
    "other_base",
    "out_of_text",
    "too_much",
    "unknown_document",
    "unknown_sentence",
    "unknown_word",
    "unsupported",
    "unsupported_script",
]


class ErrorMessage(Message, frozen=True, tag="error"):
    """Error in one event, or in work; all else goes on. If it is temporary, the event may work another time.

    `sentence` is the one that a correction or work was about.
    """

    code: ErrorCode
    message: str
    document: str | None = None
    version: int | None = None
    temporary: bool = False
    sentence: int | None = None


class RefusedError(InputError):
    """Error for an event that cannot be carried out and has changed nothing; the code is sent to the client.

    It is an InputError about the client's data: a `Session` answers with a message, and a check before
    sending raises it. If it is temporary, the same event may be accepted later.
    """

    def __init__(self, code: ErrorCode, message: str, temporary: bool = False) -> None:
        super().__init__(message)
        self.code, self.temporary = code, temporary


def refusal_of(code: ErrorCode, why: str, event: Event, temporary: bool = False) -> ErrorMessage:
    """Return the error about an event, which names the sentence of a correction."""
    sentence = event.sentence if isinstance(event, Fix) else None
    return ErrorMessage(code, why, event.document, getattr(event, "version", None), temporary, sentence)


class CompletenessMessage(Message, frozen=True, tag="completeness"):
    """Probabilities that the last sentence of a document has ended, judged by its words alone, not by sound.

    words    how many words the sentence has
    may_end  the probability that the words could be a whole sentence
    ends     the probability that the words are a whole sentence: that nothing comes but the next sentence
    """

    document: str
    version: int
    sentence: int
    words: int
    may_end: float
    ends: float


class LanguageMessage(Message, frozen=True, tag="language"):
    """Language that the end of a document looks like, sent when that changes.

    looks_like  the code of the language; null if the text looks like the model's own, or if nothing is known
    """

    document: str
    version: int
    looks_like: str | None


class ClosedMessage(Message, frozen=True, tag="closed"):
    """Confirmation that a document is closed; no more messages about the document come."""

    document: str
    answers: list[int]


AnyMessage: TypeAlias = (
    AnalysisMessage
    | DeltaMessage
    | SentencesMessage
    | MovedMessage
    | StepsMessage
    | MarginsMessage
    | CompletenessMessage
    | LanguageMessage
    | MistakesMessage
    | ConstraintsMessage
    | ErrorMessage
    | ClosedMessage
)


# --- deltas -----------------------------------------------------------------------------------------------

CHANGED: Final = ("words", "constituents")  # fields that are sent as changes
SHARED: Final = tuple(
    name
    for name in DeltaMessage.__struct_fields__
    if name in AnalysisMessage.__struct_fields__ and name not in CHANGED
)
LISTED: Final = ("virtual", "conflicts")


def _with_constituents(
    before: list[Constituent] | None, changes: ConstituentsView | UnsetType | None
) -> list[Constituent] | None:
    """Return the constituents of a base with changes applied."""
    if not isinstance(changes, ConstituentsView):
        return None if changes is None else before
    kept, first = before or [], changes.first
    return kept[:first] + changes.added + kept[first + changes.removed :]


def apply_delta(base: AnalysisMessage, delta: DeltaMessage) -> AnalysisMessage:
    """Return the full analysis that a delta describes."""
    if base.number != delta.base or base.document != delta.document:
        what = f"the delta is for analysis {delta.base} of {delta.document!r:.40}"
        raise InputError(f"{what}: apply it to that one, not to {base.number} of {base.document!r:.40}")
    words = base.words[: delta.length]
    words += [delta.words[number] for number in range(len(words) + 1, delta.length + 1)]
    for number, word in delta.words.items():
        words[number - 1] = word
    single = {name: getattr(delta, name) for name in SHARED}
    kept = {name: getattr(base, name) for name in LISTED if single[name] is UNSET}
    constituents = _with_constituents(base.constituents, delta.constituents)
    return AnalysisMessage(words=words, constituents=constituents, **{**single, **kept})
