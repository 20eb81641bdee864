/** A game of practice: a learner makes the steps for a sentence whose tree is known to the server, too. No DOM in it. */

import {
  Signal,
  stepsMade,
  type ClientDocument,
  type ErrorMessage,
  type SentenceRequest,
  type StepName,
  type StepsMessage,
  type Stop,
  type TreewhileClient,
} from "../client/index.ts";
import { edgeOf, isFinal, obstacleTo, STEP_NAMES, stepTitle, type Edge } from "../page/configurations.ts";
import type { GoldSentence } from "./practice_sentences.ts";
import { text as pageText } from "../page/texts.ts";
import { text } from "./texts.ts";
import { listed } from "../texts/texts.ts";

export type Choice = StepName | "undo";

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
  /** The server has taken a step of the learner. */
  readonly stepped = new Signal<Answer>();
  /** Where the learner stands; null until the server has answered. */
  position: StepsMessage | null = null;
  trouble = "";
  /** Why the last choice was not made; empty if it was. */
  obstacle = "";
  private wantsPlan = false;
  private readonly made: Answer[] = [];
  /** What was chosen before the server had answered; it is made as soon as it can be. */
  private ahead: Choice[] = [];
  /** The last step has no answer yet. */
  private isStepUnderWay = false;
  private readonly document: ClientDocument;
  private readonly stopWelcomes: Stop;
  private isBegun = false;

  constructor(
    private readonly client: TreewhileClient,
    readonly sentence: GoldSentence,
  ) {
    const forms = sentence.words.map((word) => word.form);
    this.document = client.openWords(`practice-${++games}`, forms, { levels: ["L0"] });
    this.document.changed.listen(() => this.begin());
    this.document.reopened.listen(() => this.wait());
    this.document.steps.listen((message) => this.take(message));
    this.document.failed.listen((error) => this.fail(error));
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

  /** Makes a step if it is legal, or takes the last one back: at once, or when the server has answered. */
  choose(choice: Choice): void {
    if (this.ahead.length < this.most) this.ahead.push(choice);
    this.goAhead();
  }

  /** Whether the plan is shown, too. */
  showPlan(isShown: boolean): void {
    this.wantsPlan = isShown;
    if (this.position) this.askPlan(this.position);
  }

  close(): void {
    this.stopWelcomes();
    this.document.close();
  }

  /** Steps of the longest game. */
  private get most(): number {
    return 2 * this.sentence.words.length;
  }

  private goAhead(): void {
    const isConnected = this.client.status.state === "open";
    while (isConnected && this.position && this.ahead.length) this.make(this.ahead.shift()!, this.position);
  }

  private make(choice: Choice, before: StepsMessage): void {
    this.obstacle = this.obstacleTo(choice, before);
    if (this.obstacle) return this.changed.emit();
    if (choice !== "undo") this.made.push({ step: choice, before, isOptimal: before.optimal.includes(choice) });
    else this.made.pop();
    this.ask(choice === "undo" ? { type: "undo" } : { type: "step", step: choice });
    this.isStepUnderWay = choice !== "undo";
  }

  private obstacleTo(choice: Choice, before: StepsMessage): string {
    if (choice !== "undo") return obstacleTo(choice, before);
    return this.made.length ? "" : pageText("obstacle.no-step");
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
    this.takeBack();
    this.changed.emit();
  }

  private resume(): void {
    if (!this.isBegun || !this.document.isCurrent) return;
    this.takeBack();
    this.ask({ type: "ask_steps" });
  }

  /** A step that was under way when the connection was lost may have come or not: it is made anew. */
  private takeBack(): void {
    this.position = null;
    if (this.isStepUnderWay) this.ahead.unshift(this.made.pop()!.step);
    this.isStepUnderWay = false;
  }

  /** Takes where the server stands; the parser's own steps are undone one by one until the learner's own ones stand. */
  private take(message: StepsMessage): void {
    const made = stepsMade(message);
    if (message.reference !== "gold" || (this.isStepUnderWay && made < this.made.length)) return;
    if (this.isStepUnderWay) this.stepped.emit(this.made.at(-1)!);
    this.isStepUnderWay = false;
    this.made.length = Math.min(this.made.length, made);
    if (this.made.length < made) return this.ask({ type: "undo" });
    this.position = message;
    this.trouble = "";
    this.askPlan(message);
    this.changed.emit();
    this.goAhead();
  }

  private askPlan({ plan }: StepsMessage): void {
    if (this.wantsPlan && !plan) this.document.request(0, { type: "ask_steps", plan: true });
  }

  private fail({ code, message }: ErrorMessage): void {
    this.trouble = pageText("trouble.server", { message });
    this.ahead = [];
    this.isStepUnderWay = false;
    if (code === "bad_step") this.ask({ type: "ask_steps" });
    this.changed.emit();
  }
}

/** What each step of a configuration could still attain, and which was the best. */
export function judgementOf({ step, before, isOptimal }: Answer): string {
  const counts = STEP_NAMES.filter((name) => before[name] !== null).map((name) =>
    text("practice.count", { step: stepTitle(name), count: before[name]! }),
  );
  const about = { step: stepTitle(step), counts: counts.join(", ") };
  if (isOptimal) return text("practice.optimal", about);
  return text("practice.not-optimal", { ...about, best: listed(before.optimal.map(stepTitle), "disjunction") });
}
