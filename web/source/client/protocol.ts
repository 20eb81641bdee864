/** What goes over the wire, as server/PROTOCOL.md explains it: JSON, told apart by `type`. */

export type Head = number | "later" | null;
export type Level = "L0" | "L1" | "L2";
export type Stage = "initial" | "improved" | "settled" | "final";
export type StepName = "shift" | "reduce_left" | "reduce_right";

// --- events: what a client says -------------------------------------------------------------------------

export interface OptionChanges {
  time_limit?: number | null;
  prediction?: "none" | "later" | "virtual";
  stability?: number;
  levels?: readonly Level[];
  streams?: readonly ("analyses" | "steps" | "plan")[];
  drift?: number;
  risk?: number;
  /** Whether words that are promised stay as they are for good, or until the final analysis of their sentence. */
  keep_promises?: boolean;
}

export interface Hello {
  type: "hello";
  positions: "utf16" | "code_points";
  heartbeat?: number;
  resume?: string;
  model?: string;
  token?: string;
}

export interface OpenEvent {
  type: "open";
  document: string;
  version: number;
  text?: string;
  words?: readonly string[];
  positions: "utf16";
  options?: OptionChanges;
}

export interface EditEvent {
  type: "edit";
  document: string;
  version: number;
  start: number;
  end: number;
  text: string;
}

export interface FinishEvent {
  type: "finish";
  document: string;
  version: number;
}

/** About a sentence of the present version. */
export type SentenceRequest =
  | { type: "undo" }
  | { type: "ask_steps"; plan?: boolean }
  | { type: "step"; step: StepName }
  | { type: "gold"; heads: readonly (number | null)[] | null };

export type DocumentEvent =
  | OpenEvent
  | EditEvent
  | FinishEvent
  | (SentenceRequest & { document: string; version: number; sentence: number })
  | { type: "ask_analyses" | "close"; document: string }
  | { type: "options"; document: string; options: OptionChanges };

export type ClientFrame = Hello | { type: "ping"; number: number } | DocumentEvent;

// --- messages: what a server says -----------------------------------------------------------------------

export interface WordView {
  form: string;
  /** Where the word begins and ends, from the start of its sentence on. */
  start: number;
  end: number;
  tag: string;
  features: string;
  head: Head;
  label: string | null;
  confidence?: number | null;
}

/** A word that must still come; words with the head -node hang on it. */
export interface VirtualView {
  node: number;
  tag: string;
  head: Head;
  label: string;
}

export interface ConflictView {
  constraint: string;
  penalty: number;
  words: readonly number[];
  /** For people; words that are quoted stand between asterisks. Without it, the conflict is not to be shown. */
  message?: string;
}

interface AnalysisParts {
  document: string;
  version: number;
  number: number;
  answers: readonly number[];
  sentence: number;
  first_word: number;
  start: number;
  stage: Stage;
  levels: readonly Level[];
  stable_upto: number;
  score: number | null;
  seconds: number;
  cut_short?: boolean;
  /** The sentence was analysed as a whole one: it has a root, and nothing is to come. */
  whole?: boolean;
}

export interface AnalysisMessage extends AnalysisParts {
  type: "analysis";
  words: readonly WordView[];
  virtual: readonly VirtualView[];
  conflicts: readonly ConflictView[];
}

export interface DeltaMessage extends AnalysisParts {
  type: "delta";
  base: number;
  length: number;
  words: Readonly<Record<string, WordView>>;
  virtual?: readonly VirtualView[];
  conflicts?: readonly ConflictView[];
}

/** From sentence `first` on, `removed` sentences are gone and `added` ones have come, `count` in all. */
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

/** An edit has moved sentence `sentence` and all behind it by so many words and units, and left them as they are. */
export interface MovedMessage {
  type: "moved";
  document: string;
  version: number;
  sentence: number;
  words: number;
  units: number;
}

/** For each step a number of edges; null where it is not legal. */
export type StepCounts = Readonly<Record<StepName, number | null>>;

/** A legal step in words, with the arc that it would make and those that it would lose. */
export interface StepChoice {
  step: StepName;
  head: number | null;
  child: number | null;
  label: string | null;
  loses: readonly (readonly [Head, Head])[];
  says: string;
}

/** A step of a plan. */
export interface PlannedStep {
  step: StepName;
  head: Head;
  child: Head;
  label: string | null;
  word: Head;
  tag: string | null;
  says: string;
}

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
  optimal: readonly StepName[];
  share: number;
  entries_filled: number;
  entries_in_all: number | null;
  reference: "gold" | "best";
  wait: boolean;
  best: readonly StepName[];
  known: StepCounts;
  expected: StepCounts | null;
  choices: readonly StepChoice[];
  plan?: readonly PlannedStep[] | null;
  by_hand?: boolean;
  rebuilt?: boolean;
}

export interface ErrorMessage {
  type: "error";
  code: string;
  message: string;
  document?: string | null;
  version?: number | null;
  temporary?: boolean;
}

export interface ClosedMessage {
  type: "closed";
  document: string;
  answers: readonly number[];
}

/** A document that a resumed session holds: all its versions up to this one have come. */
export interface HeldDocument {
  document: string;
  version: number;
}

export interface Welcome {
  type: "welcome";
  session: string;
  epoch: number;
  resumed: boolean;
  documents: readonly HeldDocument[];
  heartbeat?: number | null;
  model: string;
  models: readonly string[];
  limits: { message_bytes: number; messages_a_second: number; documents: number; characters: number };
  resume_seconds: number;
  server: string;
}

/** What a server that is still getting ready can do already, and what it waits for. */
export interface Readiness {
  type: "readiness";
  levels: readonly Level[];
  /** From 0 to 1. */
  share: number;
  /** For people; empty when all is ready. */
  waits_for: string;
}

export interface Goodbye {
  type: "goodbye";
  code: number;
  reason: string;
  temporary: boolean;
  retry_after?: number | null;
}

export type DocumentMessage =
  AnalysisMessage | DeltaMessage | SentencesMessage | MovedMessage | StepsMessage | ClosedMessage;
export type ServerFrame =
  Welcome | Readiness | Goodbye | { type: "pong"; number: number } | ErrorMessage | DocumentMessage;
