/** A document of a client: its text, what the server knows of that text, and what the server has found in it. */

import type { PlacedSentence } from "./analyses.ts";
import { smallestEdit, type Change } from "./changes.ts";
import { FollowedSteps } from "./followed_steps.ts";
import { GatheredEdits, type Versioned } from "./gathered_edits.ts";
import type {
  AnalysisMessage,
  CompletenessMessage,
  ConstraintsMessage,
  DeltaMessage,
  DocumentEvent,
  DocumentMessage,
  ErrorMessage,
  LanguageMessage,
  MarginsMessage,
  MistakesMessage,
  OptionChanges,
  SentenceRequest,
  SentencesMessage,
  StepsMessage,
} from "./protocol.ts";
import { SentenceList } from "./sentence_list.ts";
import { Signal } from "./signal.ts";
import { sendable, wholeEdit } from "./whole_characters.ts";

/** How long a version took from its edit to the message that answers it. */
export interface Latency {
  readonly version: number;
  readonly milliseconds: number;
}

/** What joins a document to its connection. */
export interface Wire {
  /** Sends if the connection is open; what is not sent is made up for when it opens. */
  send(event: DocumentEvent): void;
  now(): number;
  /** How long a text may be, as far as the server has said. */
  mostCharacters(): number;
  /** The document is closed. */
  forget(): void;
}

interface MadeChange {
  readonly version: number;
  readonly change: Change | null;
}

/** More edits than this are made up for by one text, which a server takes as one message. */
const MOST_SENT_AGAIN = 100;

/** Errors that say that the server has no such document. */
const GONE = new Set(["lost", "unknown_document"]);
/** Errors that say that a change was not made, so that the server's text is another one. */
const REFUSED = new Set(["bad_event", "bad_text", "illegal", "old_version", "out_of_text", "too_much"]);

export class ClientDocument {
  /** Analyses have come, gone or moved; `sentences` has what stands now. */
  readonly changed = new Signal<void>();
  /** An analysis has come, and stands at its place in the present text. */
  readonly analysed = new Signal<PlacedSentence>();
  /** The parser's own configuration and what its next steps can attain. */
  readonly steps = new Signal<StepsMessage>();
  /** How sure the arcs are that a request asked about, and what would stand in their place. */
  readonly margins = new Signal<MarginsMessage>();
  /** How complete the last sentence is, where the options ask for that stream. */
  readonly completeness = new Signal<CompletenessMessage>();
  /** The text looks like another language than the model's, or does so no longer. */
  readonly language = new Signal<LanguageMessage>();
  /** What became of the text of a grammar. */
  readonly mistakes = new Signal<MistakesMessage>();
  /** The constraints that an analysis breaks, where the options ask for that stream. */
  readonly constraints = new Signal<ConstraintsMessage>();
  readonly answered = new Signal<Latency>();
  readonly failed = new Signal<ErrorMessage>();
  /** The server had lost this document, or another model parses it now; gold heads and steps by hand come back once it has the sentences. */
  readonly reopened = new Signal<void>();

  private list = new SentenceList();
  private readonly followed = new FollowedSteps(
    (sentence) => this.list.at(sentence),
    (sentence, request) => this.ask(sentence, request),
  );
  private present = 0;
  private attached = 0;
  private openedAs = 0;
  /** Changes that the newest analyses do not know of. */
  private unanswered: MadeChange[] = [];
  /** What the server is told of them. */
  private edits = new GatheredEdits();
  private since = new Map<number, number>();
  private isAsking = false;
  /** The last sentence has ended, and a server that opens the document anew has to hear of it. */
  private isFinished = false;
  private openedLength = 0;
  /** The server has refused a text of this length. */
  private refusedLength = Infinity;
  /** Options that were changed since the document was opened: they have no answer, so any of them may be lost. */
  private changedOptions: OptionChanges = {};
  /** The text of a grammar that the server is to search under. */
  private grammar: { readonly text: string; readonly number: number } | null = null;
  /** The text is too long: the server has nothing of it until it is shorter. */
  private isGivenUp = false;

  constructor(
    readonly name: string,
    private content: string,
    private options: OptionChanges,
    private readonly wire: Wire,
    /** Words that are given instead of a text; such a document cannot be edited. */
    private readonly words: readonly string[] | null = null,
  ) {}

  get text(): string {
    return this.content;
  }

  get version(): number {
    return this.present;
  }

  /** Whether the analyses are those of the present text. */
  get isCurrent(): boolean {
    return this.attached === this.present && this.openedAs > 0;
  }

  /** Whether all sentences of the present text are analysed. */
  get isAnswered(): boolean {
    return this.isCurrent && this.list.isWhole;
  }

  /** Whether the text is longer than the server takes: it can be edited, but nothing of it is analysed. */
  get isTooLong(): boolean {
    return this.content.length >= this.refusedLength || this.content.length > this.wire.mostCharacters();
  }

  /** The analysed sentences at their places in the present text. */
  get sentences(): readonly PlacedSentence[] {
    return this.list.sentences;
  }

  // --- changes ------------------------------------------------------------------------------------------

  /**
   * `inserted` takes the place of the text from `from` to `to`, in units of UTF-16; what stays the same stays.
   * While the last edit is unanswered the server is not told; then it is told of all that was edited since.
   */
  edit(from: number, to: number, inserted: string): void {
    const before = this.content;
    const change = smallestEdit(from, before.slice(from, to), inserted);
    if (!change) return;
    this.content = before.slice(0, change.from) + change.text + before.slice(change.to);
    const edit = wholeEdit(before, this.content, { start: change.from, end: change.to, text: change.text });
    this.isFinished = false;
    this.list.change(change);
    this.send({ type: "edit", document: this.name, version: this.next(), ...edit }, change);
    this.changed.emit();
  }

  /** Makes the text another one, with as small an edit as there is. */
  replaceText(text: string): void {
    this.edit(0, this.content.length, text);
  }

  /** The last sentence has ended, until the text is edited again. */
  finish(): void {
    this.isFinished = true;
    this.send({ type: "finish", document: this.name, version: this.next() }, null);
  }

  private next(): number {
    this.since.set(++this.present, this.wire.now());
    return this.present;
  }

  private send(event: Versioned, change: Change | null): void {
    if (this.isTooLong) return this.giveUp();
    if (this.isGivenUp) return this.openAgain(false);
    this.unanswered.push({ version: event.version, change });
    this.say(this.edits.add(event));
  }

  /** What is known stays; the server forgets its text, which is another one from now on. */
  private giveUp(): void {
    if (this.isGivenUp) return;
    this.isGivenUp = true;
    this.wire.send({ type: "close", document: this.name });
    this.list.restart();
    this.since.clear();
  }

  private say(events: readonly DocumentEvent[]): void {
    for (const event of events) this.wire.send(event);
  }

  // --- requests -----------------------------------------------------------------------------------------

  /** Asks about a sentence, by its number; it is answered for the present version. */
  request(sentence: number, request: SentenceRequest): void {
    this.followed.note(sentence, request);
    this.ask(sentence, request);
  }

  private ask(sentence: number, request: SentenceRequest): void {
    this.say(this.edits.flushed());
    this.wire.send({ ...request, document: this.name, version: this.present, sentence });
  }

  /** The number of a sentence, for requests; -1 if it is one of an older text. */
  numberOf(sentence: PlacedSentence): number {
    return this.list.numberOf(sentence);
  }

  /** The model that parses this document; null for that of the session. */
  get model(): string | null {
    return this.options.model ?? null;
  }

  /** Lets another of the server's models parse the text, from the beginning. */
  useModel(model: string): void {
    if (model === this.model) return;
    this.options = { ...this.options, model };
    this.parseAnew();
  }

  /** Goes on with the session's own model where the server does not have the one that was asked for. */
  private leaveModel(): void {
    const { model: _, ...others } = this.options;
    this.options = others;
    this.parseAnew();
  }

  private parseAnew(): void {
    if (this.isGivenUp) return this.reopened.emit();
    this.openAgain(true);
    this.changed.emit();
  }

  /** Changes options in flight. */
  setOptions(changes: OptionChanges): void {
    this.options = { ...this.options, ...changes };
    this.changedOptions = { ...this.changedOptions, ...changes };
    this.wire.send({ type: "options", document: this.name, options: changes });
  }

  /** Searches this document alone under the text of a grammar, or no longer; `number` comes back in the answer. */
  editGrammar(text: string | null, number: number): void {
    this.grammar = text === null ? null : { text, number };
    this.wire.send({ type: "edit_grammar", document: this.name, text, number });
  }

  private repeatGrammar(): void {
    if (this.grammar) this.wire.send({ type: "edit_grammar", document: this.name, ...this.grammar });
  }

  close(): void {
    this.wire.send({ type: "close", document: this.name });
    this.wire.forget();
  }

  // --- the connection -----------------------------------------------------------------------------------

  /** The connection is open; `held` is the version that the server has, if it has the document. */
  connected(held: number | null): void {
    this.refusedLength = Infinity;
    if (this.isTooLong) this.giveUp();
    else if (held !== null && this.canGoOn(held)) this.goOn(held);
    else this.openAgain(held !== null);
  }

  /** Takes what the server says of this document. */
  receive(message: DocumentMessage | ErrorMessage): void {
    if (this.isGivenUp) return;
    if (message.type === "error") this.fail(message);
    else if (message.type === "mistakes") this.mistakes.emit(message);
    else if (message.type !== "closed" && message.version >= Math.max(this.openedAs, this.attached)) {
      if (message.type === "completeness") this.completeness.emit(message);
      else if (message.type === "language") this.language.emit(message);
      else if (message.type === "constraints") this.constraints.emit(message);
      else this.take(message);
    }
  }

  private canGoOn(held: number): boolean {
    const isKnown = held >= Math.max(this.attached, this.openedAs) && held <= this.present;
    return isKnown && this.edits.unanswered.length <= MOST_SENT_AGAIN;
  }

  private goOn(held: number): void {
    this.list.restart();
    for (const version of this.since.keys()) if (version <= held) this.since.delete(version);
    this.say(this.edits.again(held));
    const { changedOptions: options } = this;
    if (Object.keys(options).length) this.wire.send({ type: "options", document: this.name, options });
    this.repeatGrammar();
    this.followed.resume();
  }

  private openAgain(isHeld: boolean): void {
    if (isHeld) this.wire.send({ type: "close", document: this.name });
    this.list.restart();
    this.unanswered = [];
    this.edits = new GatheredEdits();
    this.refusedLength = Infinity;
    this.isGivenUp = false;
    this.since.clear();
    this.changedOptions = {};
    this.openedAs = this.next();
    this.openedLength = this.content.length;
    this.wire.send({
      type: "open",
      document: this.name,
      version: this.openedAs,
      ...(this.words ? { words: this.words } : { text: sendable(this.content) }),
      positions: "utf16",
      options: this.options,
    });
    this.repeatGrammar();
    if (this.isFinished) this.finish();
    this.followed.lose();
    this.reopened.emit();
  }

  private take(
    message: Exclude<DocumentMessage, { type: "closed" | "completeness" | "language" | "mistakes" | "constraints" }>,
  ): void {
    this.attached = message.version;
    this.unanswered = this.unanswered.filter(({ version }) => version > message.version);
    this.edits.answer(message.version);
    this.say(this.edits.released());
    if (message.type === "next_steps") this.takeSteps(message);
    else if (message.type === "margins") this.margins.emit(message);
    else {
      if (message.type === "moved") this.list.move(message);
      else if (message.type === "sentences") this.takeSentences(message);
      else this.takeAnalysis(message);
      if (this.isCurrent) this.followed.restore();
      this.changed.emit();
      if (message.type !== "moved") this.answer(Math.max(...message.answers));
    }
  }

  private takeSteps(message: StepsMessage): void {
    if (this.followed.take(message)) this.steps.emit(message);
  }

  private takeSentences(message: SentencesMessage): void {
    this.list.splice(message);
    this.followed.splice(message);
  }

  private takeAnalysis(message: AnalysisMessage | DeltaMessage): void {
    const since = this.unanswered.flatMap(({ change }) => change ?? []);
    const before = this.list.at(message.sentence);
    if (this.list.take(message, since)) {
      this.isAsking &&= message.type === "delta";
      this.followed.changeWords(message.sentence);
      const now = this.list.at(message.sentence);
      if (now && now !== before) this.analysed.emit(now);
    } else if (!this.isAsking) {
      this.isAsking = true;
      this.wire.send({ type: "ask_analyses", document: this.name });
    }
  }

  /** A version is answered, and so are those before it that went along with it. */
  private answer(answered: number): void {
    for (const [version, start] of this.since) {
      if (version > answered) break;
      this.since.delete(version);
      this.answered.emit({ version, milliseconds: this.wire.now() - start });
    }
  }

  private fail(error: ErrorMessage): void {
    const version = error.version ?? null;
    if (version === this.openedAs && error.code === "too_much") this.refuseOpen();
    else if (version === this.openedAs && error.code === "unsupported" && this.model !== null) this.leaveModel();
    else if (this.isOutOfStep(error, version)) this.openAgain(!GONE.has(error.code));
    this.edits.refuse(version ?? -1);
    this.say(this.edits.released());
    this.followed.refuse(error.code);
    this.failed.emit(error);
  }

  private refuseOpen(): void {
    this.refusedLength = this.openedLength;
    this.isGivenUp = this.isTooLong;
    if (!this.isGivenUp) this.openAgain(false);
  }

  private isOutOfStep({ code }: ErrorMessage, version: number | null): boolean {
    if (version !== null && version < this.openedAs) return false;
    return GONE.has(code) || (REFUSED.has(code) && this.unanswered.some((change) => change.version === version));
  }
}
