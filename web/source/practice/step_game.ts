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
import { edgeOf, isFinal, obstacleTo, type Edge } from "../page/configurations.ts";
import type { GoldSentence } from "./practice_sentences.ts";
import { MOST_STEP_HINTS } from "./step_hints.ts";
import { text as pageText } from "../page/texts.ts";
import { text as stepsText } from "../steps/texts.ts";

export type Choice = StepName | "undo";

/** A step of the learner, with the configuration that it was made in. */
export interface Answer {
  readonly step: StepName;
  readonly before: StepsMessage;
  readonly isOptimal: boolean;
}

export interface Score {
  /** Of the first choice in each configuration, without a hint: what is taken back counts, too. */
  readonly optimal: number;
  readonly steps: number;
  readonly arcs: number;
  readonly arcsInAll: number;
  readonly hints: number;
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
  /** What the learner did last. */
  last: "step" | "undo" | "hint" | null = null;
  private wantsPlan = false;
  private readonly made: Answer[] = [];
  /** Whether the first choice was right, by configurations. */
  private readonly firstChoices = new Map<string, boolean>();
  /** How many hints were taken, by configurations. */
  private readonly hinted = new Map<string, number>();
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
      optimal: [...this.firstChoices.values()].filter(Boolean).length,
      steps: this.firstChoices.size,
      arcs: this.edges.filter((edge) => this.isRight(edge)).length,
      arcsInAll: words.filter((word) => word.head !== null).length,
      hints: [...this.hinted.values()].reduce((sum, hints) => sum + hints, 0),
    };
  }

  /** The arcs that the steps have made. */
  get edges(): Edge[] {
    return this.made.flatMap(({ step, before }) => edgeOf(step, before) ?? []);
  }

  isRight({ head, child }: Edge): boolean {
    return this.sentence.words[child - 1]?.head === head;
  }

  /** The hints that were taken where the learner stands. */
  get hints(): number {
    return this.position ? (this.hinted.get(nameOf(this.position)) ?? 0) : 0;
  }

  /** Whether there is one more where the learner stands. */
  get hasHint(): boolean {
    return this.position !== null && !this.isFinished && this.hints < MOST_STEP_HINTS;
  }

  hint(): void {
    this.hinted.set(nameOf(this.position!), this.hints + 1);
    [this.last, this.obstacle] = ["hint", ""];
    this.changed.emit();
  }

  /** Makes a step if it is legal, or takes the last one back: at once, or when the server has answered. */
  choose(choice: Choice): void {
    if (!this.client.status.isAlive) return this.meet(stepsText("steps.away"));
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
    this.meet(this.obstacleTo(choice, before));
    if (this.obstacle) return;
    this.last = choice === "undo" ? "undo" : "step";
    if (choice !== "undo") this.made.push({ step: choice, before, isOptimal: before.optimal.includes(choice) });
    else this.made.pop();
    this.ask(choice === "undo" ? { type: "undo" } : { type: "step", step: choice });
    this.isStepUnderWay = choice !== "undo";
  }

  /** Says why a choice is not made; an empty reason is that it is. */
  private meet(obstacle: string): void {
    this.obstacle = obstacle;
    if (obstacle) this.changed.emit();
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
    this.obstacle = "";
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
    if (this.isStepUnderWay) this.count(this.made.at(-1)!);
    this.isStepUnderWay = false;
    this.made.length = Math.min(this.made.length, made);
    if (this.made.length < made) return this.ask({ type: "undo" });
    this.position = message;
    this.trouble = "";
    this.askPlan(message);
    this.changed.emit();
    this.goAhead();
  }

  private count(answer: Answer): void {
    const name = nameOf(answer.before);
    const isRight = answer.isOptimal && !this.hinted.has(name);
    if (!this.firstChoices.has(name)) this.firstChoices.set(name, isRight);
    this.stepped.emit(answer);
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

/** A configuration as a key: what was made before does not matter for what is best. */
function nameOf({ stack, front }: StepsMessage): string {
  return [...stack, front].join(" ");
}
