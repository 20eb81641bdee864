/** A game of practice: a learner makes the steps for a sentence whose tree is known to the server, too. No DOM in it. */

import {
  Signal,
  stepsMade,
  type ClientDocument,
  type SentenceRequest,
  type StepName,
  type StepsMessage,
  type Stop,
  type TreewhileClient,
} from "../client/index.ts";
import { edgeOf, isFinal, STEP_NAMES, type Edge } from "./configurations.ts";
import type { GoldSentence } from "./practice_sentences.ts";

/** A step of the learner, with the configuration that it was made in. */
export interface Answer {
  readonly step: StepName;
  readonly before: StepsMessage;
  readonly isOptimal: boolean;
}

export interface Score {
  readonly optimal: number;
  readonly steps: number;
  readonly arcs: number;
  readonly arcsInAll: number;
}

let games = 0;

export class PracticeGame {
  /** Another configuration, or a trouble. */
  readonly changed = new Signal<void>();
  /** Where the learner stands; null until the server has answered. */
  position: StepsMessage | null = null;
  trouble = "";
  private readonly made: Answer[] = [];
  private readonly document: ClientDocument;
  private readonly stopWelcomes: Stop;
  private isBegun = false;

  constructor(
    client: TreewhileClient,
    readonly sentence: GoldSentence,
  ) {
    const forms = sentence.words.map((word) => word.form);
    this.document = client.openWords(`practice-${++games}`, forms, { levels: ["L0"] });
    this.document.changed.listen(() => this.begin());
    this.document.reopened.listen(() => this.wait());
    this.document.steps.listen((message) => this.take(message));
    this.document.failed.listen(({ message }) => this.fail(message));
    this.stopWelcomes = client.welcomed.listen(() => this.resume());
  }

  get answers(): readonly Answer[] {
    return this.made;
  }

  get isFinished(): boolean {
    return this.position !== null && isFinal(this.position);
  }

  get score(): Score {
    const { words } = this.sentence;
    return {
      optimal: this.made.filter((answer) => answer.isOptimal).length,
      steps: this.made.length,
      arcs: this.edges.filter((edge) => this.isRight(edge)).length,
      arcsInAll: words.filter((word) => word.head !== null).length,
    };
  }

  /** The arcs that the steps have made. */
  get edges(): Edge[] {
    return this.made.flatMap(({ step, before }) => edgeOf(step, before) ?? []);
  }

  isRight({ head, child }: Edge): boolean {
    return this.sentence.words[child - 1]?.head === head;
  }

  /** Makes a legal step; nothing happens while the last one is not answered yet. */
  choose(step: StepName): void {
    const before = this.position;
    if (!before || before[step] === null) return;
    this.made.push({ step, before, isOptimal: before.optimal.includes(step) });
    this.ask({ type: "step", step });
  }

  undo(): void {
    if (this.position && this.made.pop()) this.ask({ type: "undo" });
  }

  close(): void {
    this.stopWelcomes();
    this.document.close();
  }

  private ask(request: SentenceRequest): void {
    this.position = null;
    this.document.request(0, request);
  }

  /** Gives the server the tree, once it knows the sentence. */
  private begin(): void {
    if (this.isBegun || !this.document.isCurrent || !this.document.sentences.length) return;
    this.isBegun = true;
    this.ask({ type: "gold", heads: this.sentence.words.map((word) => word.head) });
  }

  /** The server had forgotten the tree and all steps; the document tells it again. */
  private wait(): void {
    this.position = null;
    this.changed.emit();
  }

  /** A step that was under way when the connection was lost may have come or not. */
  private resume(): void {
    if (this.isBegun && this.document.isCurrent) this.ask({ type: "ask_steps" });
  }

  /** The parser has steps of its own; they are undone one by one until the learner's own ones stand. */
  private take(message: StepsMessage): void {
    if (message.reference !== "gold") return;
    this.made.length = Math.min(this.made.length, stepsMade(message));
    if (this.made.length < stepsMade(message)) return this.ask({ type: "undo" });
    this.position = message;
    this.trouble = "";
    this.changed.emit();
  }

  private fail(message: string): void {
    this.trouble = `The server says: ${message}`;
    this.changed.emit();
  }
}

/** What each step of a configuration could still attain, and which was the best. */
export function judgementOf({ step, before, isOptimal }: Answer, titles: Readonly<Record<StepName, string>>): string {
  const attainable = STEP_NAMES.filter((name) => before[name] !== null).map(
    (name) => `${titles[name]} ${before[name]}`,
  );
  const best = before.optimal.map((name) => titles[name]).join(" or ");
  const verdict = isOptimal ? `${titles[step]} was optimal.` : `${titles[step]} was not optimal: ${best} was.`;
  return `${verdict} Arcs still attainable by each step: ${attainable.join(", ")}.`;
}
