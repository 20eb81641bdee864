// Made by `python -m protocol_types` of tests/support from what goes over the wire: not to be edited.

/** What goes over the wire, as server/PROTOCOL.md explains it: JSON, told apart by `type`. */

export type Head = number | "later" | null;
export type Level = "L0" | "L1" | "L2";
export type Stream = "analyses" | "steps" | "plan" | "constituents" | "completeness" | "constraints";
export type Prediction = "none" | "later" | "virtual";
export type Positions = "code_points" | "utf16";
export type Stage = "initial" | "improved" | "settled" | "final";
export type StepName = "shift" | "reduce_left" | "reduce_right";
export type ErrorCode =
  | "bad_event"
  | "bad_fix"
  | "bad_gold"
  | "bad_step"
  | "bad_text"
  | "bad_word"
  | "failed"
  | "illegal"
  | "lost"
  | "old_version"
  | "other_base"
  | "out_of_text"
  | "too_much"
  | "unknown_document"
  | "unknown_sentence"
  | "unknown_word"
  | "unsupported"
  | "unsupported_script";
export type Constituent = readonly [label: string, first: number, last: number | null];

/** Optional first message of a client; without it, all fields have their defaults. */
export interface Hello {
  type: "hello";
  /** utf16: all documents count in UTF-16 code units, whatever their `open` says */
  positions?: Positions;
  /** longest silence of the client, in seconds; a client with nothing to say sends a ping */
  heartbeat?: number | null;
  /** session to be resumed, from an earlier welcome */
  resume?: string | null;
  /** name of one of the server's models, for documents that choose none */
  model?: string | null;
  /** token of the server, if it is not in the header Authorization */
  token?: string | null;
}

/** Request for a pong with the same number. */
export interface Ping {
  type: "ping";
  number: number;
}

/** Changes of options; an option that is not named stays as it is. */
export interface OptionChanges {
  /** seconds a word for refining its sentence; null for as long as it takes */
  time_limit?: number | null;
  /** what is said of words to come: virtual nodes, later, or none, where their heads are null */
  prediction?: Prediction;
  /** from 0, where analyses are the best parses, to 1, where words are soon declared stable */
  stability?: number;
  /**
   * whether what was declared stable holds for good; if not, it holds until the sentence is analysed as a whole one,
   * which may take it back
   */
  keep_promises?: boolean;
  /** which levels of work are done; L0 always is */
  levels?: readonly Level[];
  /** what is sent unasked */
  streams?: readonly Stream[];
  /** the share of the edges to be expected below which the configuration is rebuilt */
  drift?: number;
  /**
   * how many right edges a step of the parser may be expected to lose against waiting for the next words: with 0 it
   * always waits for three, with 1 for none
   */
  risk?: number;
  /** whether analyses may come as deltas; if not, each comes in full */
  deltas?: boolean;
  /** the name of the model that parses the document, which only `open` can choose; by default that of the session */
  model?: string;
  /** whether words have lemmas and XPOS, from L1 on, if the model has learnt them */
  lemmas?: boolean;
  /** the name of the grammar under which the document is searched; null for that of its model */
  grammar?: string | null;
}

/**
 * New document, of text that is cut into words and sentences, or of given words. Positions in a text count code points,
 * or code units of UTF-16, as a browser does.
 */
export interface OpenEvent {
  type: "open";
  document: string;
  version: number;
  text?: string | null;
  words?: readonly string[] | null;
  positions?: Positions;
  options?: OptionChanges;
}

/** More words at the end of a document of words. */
export interface AppendEvent {
  type: "append";
  document: string;
  version: number;
  words: readonly string[];
  base?: number | null;
}

/** Replacement of the characters from `start` to `end` by `text`, in a document of text. */
export interface EditEvent {
  type: "edit";
  document: string;
  version: number;
  start: number;
  end: number;
  text: string;
  base?: number | null;
}

/** Removal of the last words of a document of words; a sentence that loses its end is open again. */
export interface RevokeEvent {
  type: "revoke";
  document: string;
  version: number;
  count: number;
  base?: number | null;
}

/** End of the last sentence. A text that is edited after that is open again. */
export interface FinishEvent {
  type: "finish";
  document: string;
  version: number;
  base?: number | null;
}

/** True heads of a sentence, null where unknown; `heads: null` takes back the heads given before. */
export interface GoldEvent {
  type: "gold";
  document: string;
  version: number;
  sentence: number;
  heads: readonly (number | null)[] | null;
}

/** Step by hand: from now on the configuration of the sentence takes steps by hand alone. */
export interface StepEvent {
  type: "step";
  document: string;
  version: number;
  sentence: number;
  step: StepName;
}

/** Undoing of the last step. Once no step by hand is left, the parser's own steps count again. */
export interface UndoEvent {
  type: "undo";
  document: string;
  version: number;
  sentence: number;
  /** takes back all that was done by hand, what was undone included */
  all?: boolean;
}

/**
 * Decisions about words of a sentence, around which the rest is parsed anew; null frees a word again. They add to those
 * before, and hold until the word or its head is edited.
 */
export interface FixEvent {
  type: "fix";
  document: string;
  version: number;
  sentence: number;
  /** by the word's number; 0 is the root */
  heads?: Readonly<Record<string, number | null>>;
  /** likewise, and so are tags */
  labels?: Readonly<Record<string, string | null>>;
  tags?: Readonly<Record<string, string | null>>;
}

/** Request for the next steps, once, and for a plan if `plan` is true. */
export interface AskStepsEvent {
  type: "ask_steps";
  document: string;
  version: number;
  sentence: number;
  plan?: boolean;
}

/** Request for the margins of arcs of a sentence, once. */
export interface AskMarginsEvent {
  type: "ask_margins";
  document: string;
  version: number;
  sentence: number;
  /** whose arcs are asked about; null for all */
  words?: readonly number[] | null;
}

/** Request for the present analyses of all sentences, in full. */
export interface AskAnalysesEvent {
  type: "ask_analyses";
  document: string;
}

/** Change of options of an open document. */
export interface OptionsEvent {
  type: "options";
  document: string;
  options: OptionChanges;
}

/** Text of a grammar under which this document alone is searched, instead of one with a name. */
export interface EditGrammarEvent {
  type: "edit_grammar";
  document: string;
  /** replaces the one before, which counts until this one is compiled; null takes it back */
  text: string | null;
  /** of the client, which the answer repeats */
  number?: number;
}

/** End of a document; its name can be used again. */
export interface CloseEvent {
  type: "close";
  document: string;
}

/** Document of a resumed session, with all changes up to a version. */
export interface HeldDocument {
  document: string;
  version: number;
  /** number of sentences so far; each is sent in full, and changes of their number are sent, too */
  sentences: number;
  /** name of the model that it was opened with; by default that of the session */
  model?: string | null;
}

/** Limits for clients. */
export interface WireLimits {
  /** in a message; a longer one ends the connection */
  message_bytes: number;
  /** once a `burst` is used up; further messages wait */
  messages_a_second: number;
  /** messages at once, after a quiet time */
  burst: number;
  /** open at a time */
  documents: number;
  /** in all documents together; a given word counts as eight */
  characters: number;
  /** in a document of text */
  text_characters: number;
  /** in a document of words */
  words: number;
  /** in a given word */
  word_characters: number;
  /** in a sentence of given words; in a text, a longer sentence is cut */
  sentence_words: number;
  /** in a document; a text with more is closed */
  sentences: number;
  /** in a sentence */
  gold_heads: number;
  /** waiting requests about a document */
  requests: number;
  /** in the text of a grammar, which counts in `characters`, too */
  grammar_characters: number;
}

/** Answer to hello. */
export interface Welcome {
  type: "welcome";
  /** token that resumes this session after a lost connection, within `resume_seconds` */
  session: string;
  /** how many connections it has had */
  epoch: number;
  /**
   * true for the requested session; its documents follow, with all analyses in full. If false, that session is gone:
   * open the documents again
   */
  resumed: boolean;
  documents: readonly HeldDocument[];
  /** agreed heartbeat; after two of them without a message the server closes */
  heartbeat: number | null;
  /** the session's own model, of documents that choose none */
  model: string;
  /** models that hello and documents can name, the default first */
  models: readonly string[];
  /** codes of the languages of these models, by their names; empty where unknown */
  languages: Readonly<Record<string, string>>;
  /**
   * what each of them knows, by their names: "constituents", ends of sentences, "completeness", "lemmas" with XPOS, and
   * "mistakes", if its grammar has messages about its language
   */
  abilities: Readonly<Record<string, readonly ("completeness" | "constituents" | "lemmas" | "mistakes")[]>>;
  /**
   * names of the grammars that documents of each of them can choose, by their names; those of files that the server was
   * given come first
   */
  grammars: Readonly<Record<string, readonly string[]>>;
  /** labels of arcs that each of them knows, the most frequent first; empty where unknown */
  labels: Readonly<Record<string, readonly string[]>>;
  /** likewise parts of speech */
  tags: Readonly<Record<string, readonly string[]>>;
  limits: WireLimits;
  resume_seconds: number;
  server: string;
  /** class of trees of the model's best parses; by default projective */
  trees?: string;
  /** true if the model has constituents; by default false */
  constituents?: boolean;
  /** true if the model predicts ends of sentences; by default false */
  completeness?: boolean;
  /** code of the model's language; by default unknown */
  language?: string;
  /** true if documents may bring grammars of their own; by default false */
  edits_grammars?: boolean;
}

/** State of a server that is slow, since its parser is being compiled: sent after welcome, and on changes. */
export interface Readiness {
  type: "readiness";
  /** levels that can be had */
  levels: readonly string[];
  /** 1 once all is ready, less before */
  share: number;
  /** sentence for people about the missing part; empty in the last message, once all is ready */
  waits_for: string;
}

/** Answer to ping. */
export interface Pong {
  type: "pong";
  number: number;
}

/** Last message before the server closes; `retry_after` is in seconds, null means not to retry. */
export interface Goodbye {
  type: "goodbye";
  code: number;
  reason: string;
  temporary: boolean;
  retry_after?: number | null;
}

/** Word and its arc. `start` and `end` count from the start of the sentence. */
export interface WordView {
  form: string;
  start: number;
  end: number;
  tag: string;
  features: string;
  head: Head;
  label: string | null;
  confidence?: number | null;
  lemma?: string | null;
  xpos?: string | null;
  fixed?: readonly ("head" | "label" | "tag")[] | null;
}

/** Virtual node in use: a word that must still come. It is the head of the words with the head -node. */
export interface VirtualView {
  node: number;
  tag: string;
  head: Head;
  label: string;
}

/**
 * Constraint that an analysis violates, with the words concerned and a message for people. The penalty is the factor of
 * a violation in the search; with 1 the constraint is only reported. The message is a sentence, in which quoted words
 * stand between asterisks.
 */
export interface ConflictView {
  constraint: string;
  penalty: number;
  words: readonly number[];
  message: string;
}

/** Analysis of a sentence. */
export interface AnalysisMessage {
  type: "analysis";
  document: string;
  version: number;
  /** counts the analyses of the document, so that a delta can name its base */
  number: number;
  /** the versions that this is the answer to: the present one, and those it has overtaken */
  answers: readonly number[];
  /** which one, with its first word, counted from 0 in the document, and where it starts there */
  sentence: number;
  first_word: number;
  start: number;
  /**
   * initial: the committed steps joined to what stood before; improved: a better one; settled: nothing improves it any
   * more; final: the sentence has ended, and nothing more will come
   */
  stage: Stage;
  /** the levels that it went through; L1 is left out in sentences too long for it */
  levels: readonly Level[];
  words: readonly WordView[];
  virtual: readonly VirtualView[];
  conflicts: readonly ConflictView[];
  /**
   * how many of the first words keep their heads and labels until they, or words that hang together with them, are
   * edited, and until the sentence is whole, unless promises are kept
   */
  stable_upto: number;
  /** the higher the better, comparable within a level; null if nothing has judged it */
  score: number | null;
  /** from the coming of its version to now */
  seconds: number;
  /** whether time ran out before it was settled */
  cut_short?: boolean;
  /**
   * whether it is that of a whole sentence, with one root and nothing to come: the sentence has ended, or has its full
   * stop and nobody is typing; then the next word may open it again
   */
  whole?: boolean;
  /**
   * whether it is shown that no tree has a higher score, of those that hold what is decided; the search does not try
   * all trees, so it may settle on the best one and not know
   */
  proven?: boolean;
  /**
   * phrases with their first and last words, outer ones first; the last word is null as long as it is still to come.
   * Null if they were not asked for or nothing is known of them
   */
  constituents?: readonly Constituent[] | null;
}

/** Change of a list of constituents: from `first` on, `removed` ones are replaced by `added`. */
export interface ConstituentsView {
  /** the place of the change, counted from 0 */
  first: number;
  /** how many constituents are gone from there on */
  removed: number;
  /** the constituents in their place */
  added: readonly Constituent[];
}

/** Analysis as a list of changes of the analysis with the number `base`: see `apply_delta`. */
export interface DeltaMessage {
  type: "delta";
  document: string;
  version: number;
  number: number;
  answers: readonly number[];
  sentence: number;
  first_word: number;
  start: number;
  stage: Stage;
  levels: readonly Level[];
  base: number;
  length: number;
  words: Readonly<Record<string, WordView>>;
  stable_upto: number;
  score: number | null;
  seconds: number;
  virtual?: readonly VirtualView[];
  conflicts?: readonly ConflictView[];
  cut_short?: boolean;
  whole?: boolean;
  proven?: boolean;
  constituents?: ConstituentsView | null;
}

/**
 * Change of the number of sentences: from sentence `first` on, `removed` are gone and `added` are new. There are now
 * `count` sentences. The analyses of the other sentences remain valid, under new numbers. If no analysis follows, this
 * message answers the versions.
 */
export interface SentencesMessage {
  type: "sentences";
  document: string;
  version: number;
  answers: readonly number[];
  first: number;
  removed: number;
  added: number;
  count: number;
}

/**
 * Move of sentence `sentence` and all sentences behind it, by numbers of words and of units of text. Nothing else has
 * changed in these sentences; their analyses remain valid, with another `first_word` and `start`.
 */
export interface MovedMessage {
  type: "moved";
  document: string;
  version: number;
  sentence: number;
  words: number;
  units: number;
}

/** Greatest number of edges among the present words and the root that each step can still attain. */
export interface KnownView {
  shift: number | null;
  reduce_left: number | null;
  reduce_right: number | null;
}

/** Greatest expected number of right edges after each step; null for an illegal step. */
export interface ExpectedView {
  shift: number | null;
  reduce_left: number | null;
  reduce_right: number | null;
}

/** Legal step, in words. */
export interface ChoiceView {
  /** its name */
  step: StepName;
  /** that of the arc it would make; null for a shift */
  head: number | null;
  /** the word that it would attach; null for a shift */
  child: number | null;
  /** that of the arc in the analysis that is shown; null where it has no such arc */
  label: string | null;
  /** the arcs of the reference that could be made and then no longer can: [head, child] of each */
  loses: readonly (readonly [Head, Head])[];
  /** what it does, for people; quoted words stand between asterisks */
  says: string;
}

/** Step of a plan. Words to come are named as in analyses: -k for virtual node k, or "later". */
export interface PlannedView {
  /** its name */
  step: StepName;
  /** that of the arc it makes; null for a shift */
  head: Head;
  /** the word that it attaches; null for a shift */
  child: Head;
  /** of the arc; null where nothing is known of it */
  label: string | null;
  /**
   * what a shift takes: a word, or one to come that it waits for; null for other steps, and for a word of which nothing
   * is known
   */
  word: Head;
  /** of that word; null where it is not known */
  tag: string | null;
  /** what it does, for people; quoted words stand between asterisks */
  says: string;
}

/** Configuration of a sentence, and the number of edges of the reference that each step can still attain. */
export interface StepsMessage {
  type: "next_steps";
  document: string;
  version: number;
  sentence: number;
  stack: readonly number[];
  front: number;
  n: number;
  shift: number | null;
  reduce_left: number | null;
  reduce_right: number | null;
  /**
   * the steps that are advised: the best ones by what is expected, waiting before others that are as good; where
   * nothing is expected, the best ones by the reference
   */
  optimal: readonly StepName[];
  /** of the edges of the reference that are not yet made, how many can be; 1 if there are none */
  share: number;
  /**
   * facts found for this answer; `entries_in_all` as many as it takes where nothing is known yet, counted in sentences
   * of up to 60 words
   */
  entries_filled: number;
  entries_in_all: number | null;
  /** the gold heads, or the best analysis with the words to come that it speaks of */
  reference: "best" | "gold";
  /** whether a shift stands for waiting, since the next word is not there yet */
  wait: boolean;
  /** the best of the legal steps by the reference */
  best: readonly StepName[];
  /** the same three, of the edges among the words that are there, and from the root */
  known: KnownView;
  /**
   * the same three, as expected numbers of right edges, with words to come; null where gold heads were given, where the
   * sentence has ended, and before L1 has judged it
   */
  expected: ExpectedView | null;
  /** the legal steps, with the arc that each would make and those that it would lose */
  choices: readonly ChoiceView[];
  /** up to 20 steps from here to the reference, if they were asked for */
  plan?: readonly PlannedView[] | null;
  /** whether the configuration takes steps by hand alone */
  by_hand?: boolean;
  /** whether it was just built again from the best analysis, from which it had drifted */
  rebuilt?: boolean;
  /** that the steps have made: [head, child] of each */
  edges?: readonly (readonly [number, number])[];
}

/** Arc that a word has in the best tree without its arc in the analysis. */
export interface RivalView {
  head: Head;
  label: string;
}

/** Head and label that a word might have instead, with their probability, rounded. */
export interface AlternativeView {
  head: Head;
  label: string;
  probability: number;
}

/** Margin of the arc to a word in the analysis, and the best rival of this arc. */
export interface MarginView {
  /** its number */
  word: number;
  /** that of its arc */
  head: Head;
  /** that of its arc */
  label: string;
  /**
   * the score of the best tree with the arc, less that of the best tree without it, by L1: below 0 if L1 prefers the
   * rival; null if one of the two trees does not exist
   */
  margin: number | null;
  /**
   * the arc of the word in the best tree without this one; null if there is no such tree, as where the head was fixed
   */
  rival: RivalView | null;
  /**
   * of those that count in L2, the one that speaks most for the analysis and against the best tree without the arc;
   * null if none does, and where L2 has found nothing
   */
  constraint?: string | null;
  /** the factor of its violations in the search; null without a constraint */
  penalty?: number | null;
  /** the likeliest other heads and labels of the word, at most three, the likeliest first; null if none is likely */
  alternatives?: readonly AlternativeView[] | null;
}

/** Margins of the arcs that were asked about, in the last analysis that was sent, the least sure first. */
export interface MarginsMessage {
  type: "margins";
  document: string;
  version: number;
  sentence: number;
  arcs: readonly MarginView[];
}

/** Probabilities that the last sentence of a document has ended, judged by its words alone, not by sound. */
export interface CompletenessMessage {
  type: "completeness";
  document: string;
  version: number;
  sentence: number;
  /** how many words the sentence has */
  words: number;
  /** the probability that the words could be a whole sentence */
  may_end: number;
  /** the probability that the words are a whole sentence: that nothing comes but the next sentence */
  ends: number;
}

/** Language that the end of a document looks like, sent when that changes. */
export interface LanguageMessage {
  type: "language";
  document: string;
  version: number;
  /** the code of the language; null if the text looks like the model's own, or if nothing is known */
  looks_like: string | null;
}

/** Mistake in the text of a grammar, in one sentence; line and column count from 1. */
export interface MistakeView {
  line: number;
  column: number;
  message: string;
}

/** Answer to the text of a grammar. */
export interface MistakesMessage {
  type: "mistakes";
  document: string;
  /** of the text */
  number: number;
  /**
   * those that were found, up to 100 in the order of the text; a text that only divides by what may be zero is used all
   * the same
   */
  mistakes: readonly MistakeView[];
  /** number of constraints, those of included grammars with them; 0 if the text cannot be used */
  constraints: number;
  /** whether the document is searched under this text now; if not, the last good one still counts */
  is_used: boolean;
}

/** Constraint of the grammar that an analysis breaks, with the words concerned. */
export interface BrokenView {
  constraint: string;
  section: string;
  /** the factor by which this counts in the search, less than 1 */
  penalty: number;
  /** the one that it marks, or those at the ends of its edges */
  words: readonly number[];
  /** the word that the formula calls X; null where it is one to come */
  x?: number | null;
}

/**
 * Constraints with penalties that the last analysis of a sentence by a search breaks, the hardest first. Constraints
 * that weigh every edge, as the probabilities of the model do, are left out.
 */
export interface ConstraintsMessage {
  type: "constraints";
  document: string;
  version: number;
  sentence: number;
  score: number | null;
  broken: readonly BrokenView[];
}

/**
 * Error in one event, or in work; all else goes on. If it is temporary, the event may work another time. `sentence` is
 * the one that a correction or work was about.
 */
export interface ErrorMessage {
  type: "error";
  code: ErrorCode;
  message: string;
  document?: string | null;
  version?: number | null;
  temporary?: boolean;
  sentence?: number | null;
}

/** Confirmation that a document is closed; no more messages about the document come. */
export interface ClosedMessage {
  type: "closed";
  document: string;
  answers: readonly number[];
}

export type DocumentEvent =
  | OpenEvent
  | AppendEvent
  | EditEvent
  | RevokeEvent
  | FinishEvent
  | GoldEvent
  | StepEvent
  | UndoEvent
  | FixEvent
  | AskStepsEvent
  | AskMarginsEvent
  | AskAnalysesEvent
  | OptionsEvent
  | EditGrammarEvent
  | CloseEvent;
export type ClientFrame = Hello | Ping | DocumentEvent;
export type DocumentMessage =
  | AnalysisMessage
  | DeltaMessage
  | SentencesMessage
  | MovedMessage
  | StepsMessage
  | MarginsMessage
  | CompletenessMessage
  | LanguageMessage
  | MistakesMessage
  | ConstraintsMessage
  | ClosedMessage;
export type ServerFrame = Welcome | Readiness | Pong | Goodbye | DocumentMessage | ErrorMessage;

type AboutSentence<T> = T extends unknown ? Omit<T, "document" | "version" | "sentence"> : never;

/** About a sentence of the present version. */
export type SentenceRequest = AboutSentence<
  GoldEvent | StepEvent | UndoEvent | FixEvent | AskStepsEvent | AskMarginsEvent
>;
