/**
 * Holds the server to what is decided: the newest analysis of each sentence is compared with the decisions, and what
 * it lacks is sent, one request at a time. So undoing, lost sessions and edits need nothing of their own.
 *
 * A new decision is a trial: it counts once an analysis holds it, and what the server refuses changes nothing. Without
 * a server it counts at once.
 */

import { Signal, type ErrorMessage, type PlacedSentence } from "../client/index.ts";
import { decide, decisionsOf } from "./decisions_field.ts";
import {
  decisionsIn,
  fixBetween,
  heldBy,
  withChanges,
  type ByNumber,
  type Decisions,
  type Fix,
  type WordChange,
} from "./decisions.ts";
import type { Page } from "./page_parts.ts";
import { isReplaying } from "./replaying.ts";
import { text } from "./texts.ts";

/** What is changed about words, by their ids; heads are ids, too, and 0 is the root. */
type ChangesById = ReadonlyMap<number, WordChange>;

interface Trial {
  readonly changes: ChangesById;
  /** Tells that it holds, by null, or why it cannot. */
  readonly end: (reason: string | null) => void;
}

interface Asked {
  readonly version: number;
  readonly sentence: number;
  /** What the sentence holds once it is answered. */
  readonly wanted: ByNumber;
  /** Says whether the same would be asked again. */
  readonly key: string;
}

const REFUSALS = new Set(["bad_fix", "too_much", "failed", "illegal"]);

type Parts = Pick<Page, "client" | "document" | "editor">;

export class Fixing {
  /** The server cannot hold what was decided before. */
  readonly refused = new Signal<string>();
  private asked: Asked | null = null;
  private trial: Trial | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private readonly refusals = new Set<string>();
  /** Sentences as they were placed, with what they have to hold. */
  private checked = new WeakMap<PlacedSentence, Decisions>();

  constructor(private readonly page: Parts) {
    const { client, document } = page;
    document.changed.listen(() => this.look());
    document.failed.listen((error) => this.fail(error));
    const anew = () => {
      this.asked = null;
      this.refusals.clear();
    };
    document.reopened.listen(anew);
    client.welcomed.listen(anew);
    client.statusChanged.listen(() => queueMicrotask(() => this.look())); // once documents have taken it in
  }

  /** Decides about words of a sentence that the parser has found: null once that holds, or why it cannot. */
  try(sentence: PlacedSentence, changes: ReadonlyMap<number, WordChange>): Promise<string | null> {
    const byId = changesById(sentence, changes);
    const tried = this.last.then(() => new Promise<string | null>((end) => this.begin({ changes: byId, end })));
    this.last = tried;
    return tried;
  }

  /** Whether the server is still to hold something that is decided, or to free it. */
  get isBehind(): boolean {
    this.look();
    return this.asked !== null || this.trial !== null;
  }

  /** Looks again, as after a decision that was undone. */
  look(): void {
    const { document, client, editor } = this.page;
    if (isReplaying(editor.state)) return;
    const wanted = this.trial ? this.tried(this.trial) : this.decisions;
    if (!client.status.isAlive) return wanted ? this.endTrial(null, wanted) : this.endTrial(text("correct.gone"));
    if (!document.isCurrent || (this.asked && !this.isAnswered(this.asked))) return;
    this.asked = null;
    if (!wanted) return this.endTrial(text("correct.gone"));
    if (document.sentences.some((sentence) => this.isAsking(sentence, wanted)) || !this.trial) return;
    if (!document.isAnswered) return;
    this.endTrial(null, wanted);
  }

  private get decisions(): Decisions {
    return decisionsOf(this.page.editor.state);
  }

  private begin(trial: Trial): void {
    this.trial = trial;
    this.look();
  }

  private endTrial(reason: string | null, decided?: Decisions): void {
    const { trial } = this;
    this.trial = null;
    if (trial && decided) decide(this.page.editor, decided);
    trial?.end(reason);
  }

  /** The decisions with those of a trial; null if its words are gone. */
  private tried({ changes }: Trial): Decisions | null {
    const [id] = changes.keys();
    const sentence = this.page.document.sentences.find(({ words }) => words.some((word) => word.id === id));
    const byNumber = sentence && changesByNumber(sentence, changes);
    return byNumber ? withChanges(this.decisions, sentence, byNumber) : null;
  }

  /** Whether a sentence lacks something that the server is asked for now. */
  private isAsking(sentence: PlacedSentence, wanted: Decisions): boolean {
    if (sentence.isTouched || this.checked.get(sentence) === wanted) return false;
    const number = this.page.document.numberOf(sentence);
    const held = heldBy(sentence.analysis.words);
    const all = decisionsIn(wanted, sentence);
    const fix = number < 0 ? null : fixBetween(held, all);
    const key = fix && keyOf(sentence, fix);
    if (fix && key && !this.refusals.has(key)) {
      const { version } = this.page.document;
      this.asked = { version, sentence: number, wanted: all, key };
      this.page.document.request(number, { type: "fix", ...fix });
      return true;
    }
    this.checked.set(sentence, wanted);
    return false;
  }

  /** Whether an analysis holds what was asked for; what is about another text is asked again. */
  private isAnswered({ version, sentence, wanted }: Asked): boolean {
    const { document } = this.page;
    if (document.version !== version) return true;
    const now = document.sentences.find((one) => document.numberOf(one) === sentence);
    return now !== undefined && fixBetween(heldBy(now.analysis.words), wanted) === null;
  }

  /** An error is about what was asked for if it refuses that, or tells that its sentence could not be parsed. */
  private fail({ code, message, version, sentence }: ErrorMessage): void {
    const { asked } = this;
    if (!asked || version !== asked.version) return;
    if (code !== "bad_fix" && sentence !== asked.sentence) return;
    this.asked = null;
    if (!REFUSALS.has(code)) return;
    if (this.trial) return this.endTrial(message);
    this.refusals.add(asked.key);
    this.refused.emit(message);
    this.look();
  }
}

function changesById({ words }: PlacedSentence, changes: ReadonlyMap<number, WordChange>): ChangesById {
  const idOf = (number: number) => words[number - 1]?.id ?? 0;
  const named = [...changes].map(([number, { head, ...others }]): [number, WordChange] => [
    idOf(number),
    head ? { ...others, head: idOf(head) } : head === undefined ? others : { ...others, head },
  ]);
  return new Map(named);
}

/** Null if a word is not there. */
function changesByNumber({ words }: PlacedSentence, changes: ChangesById): Map<number, WordChange> | null {
  const numbers = new Map(words.map(({ id }, index) => [id, index + 1]));
  const named = new Map<number, WordChange>();
  for (const [id, change] of changes) {
    const number = numbers.get(id);
    const head = change.head ? numbers.get(change.head) : change.head;
    if (number === undefined || (change.head && head === undefined)) return null;
    named.set(number, head === undefined ? change : { ...change, head });
  }
  return named;
}

function keyOf({ analysis }: PlacedSentence, fix: Fix): string {
  return JSON.stringify([analysis.words.map(({ form }) => form), fix]);
}
