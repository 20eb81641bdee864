/** The next steps for the current sentence: what each does, attains and loses; asked for only while they are shown. */

import {
  stepsMade,
  type PlacedSentence,
  type SentenceRequest,
  type StepName,
  type StepsMessage,
} from "../client/index.ts";
import { withQuotes } from "../extension/index.ts";
import type { DepTree, TreeWord } from "../tree/index.ts";
import { isFinal, obstacleTo, STEP_NAMES, stepTitle } from "./configurations.ts";
import { languageOf } from "./languages.ts";
import { arcsInAll, arcsRight, FileReference } from "./file_reference.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { StepBoard } from "./step_board.ts";
import { fillPlan, stepTold, type StepWords } from "./step_words.ts";
import { stepsText } from "./steps_texts.ts";
import { text } from "./texts.ts";
import { percent } from "../texts/texts.ts";

export class NextSteps {
  private readonly details = part<HTMLDetailsElement>("steps");
  private readonly plan = part<HTMLDetailsElement>("steps-plan");
  private readonly board = new StepBoard(part("steps-board"));
  private readonly known = new Map<number, StepsMessage>();
  private readonly reference: FileReference;
  private asked = -1;
  private loss: Loss | null = null;
  /** Steps are taken back one by one until the first configuration of this sentence is there. */
  private rewound: number | null = null;

  constructor(
    private readonly page: Page,
    private now: CurrentSentence | null,
  ) {
    this.reference = new FileReference(page);
    const { client, document, current, source } = page;
    client.welcomed.listen(() => this.forget());
    document.reopened.listen(() => this.forget());
    current.listen((now) => {
      this.now = now;
      this.refresh();
    });
    source.changed.listen(() => this.refresh());
    document.steps.listen((message) => this.take(message));
    this.listen();
    this.change();
  }

  private listen(): void {
    this.details.ontoggle = () => this.change();
    this.plan.ontoggle = () => this.details.open && this.change();
    this.board.chosen.listen((choice) => this.choose(choice));
    part("give-back").onclick = () => this.drive({ type: "undo", all: true });
    part("steps-rewind").onclick = () => this.rewind();
  }

  private get sentence(): PlacedSentence | null {
    return this.now?.sentence ?? null;
  }

  private get number(): number {
    return this.sentence ? this.page.document.numberOf(this.sentence) : -1;
  }

  private change(): void {
    const { details, plan, page } = this;
    page.streams.wantSteps(details.open ? (plan.open ? "plan" : "steps") : null);
    this.forget();
    this.refresh();
  }

  private forget(): void {
    this.asked = -1;
    this.rewound = null;
    this.known.clear();
    this.reference.forget();
  }

  private refresh(): void {
    const { sentence, number, page } = this;
    if (!this.details.open) return;
    if (!sentence || !this.now) return clear(this.board);
    const message = this.known.get(number);
    const { document } = page;
    if (message?.n !== sentence.analysis.words.length) {
      if (number >= 0 && number !== this.asked && document.isCurrent) this.ask(number);
    } else if (!this.reference.ask(this.now, number, message)) this.show(message, sentence);
  }

  private ask(number: number): void {
    this.asked = number;
    this.page.document.request(number, this.plan.open ? { type: "ask_steps", plan: true } : { type: "ask_steps" });
  }

  private take(message: StepsMessage): void {
    this.loss = lossOf(this.known.get(message.sentence), message) ?? this.loss;
    this.known.set(message.sentence, message);
    this.asked = -1;
    if (this.rewound === message.sentence && stepsMade(message) > 0) return this.drive({ type: "undo" });
    this.rewound = null;
    this.refresh();
  }

  private choose(choice: StepName | "undo"): void {
    const message = this.known.get(this.number);
    if (!message) return;
    const obstacle = choice === "undo" ? "" : obstacleTo(choice, message);
    if (obstacle) part("steps-told").textContent = obstacle;
    else this.drive(choice === "undo" ? { type: "undo" } : { type: "step", step: choice });
  }

  private rewind(): void {
    this.rewound = this.number;
    this.drive({ type: "undo" });
  }

  private drive(request: SentenceRequest): void {
    this.loss = null;
    this.page.document.request(this.rewound ?? this.number, request);
  }

  private show(message: StepsMessage, { analysis }: PlacedSentence): void {
    const { board, loss } = this;
    const { client, document } = this.page;
    const lang = languageOf(client, document);
    const ofFile = message.reference === "gold" ? this.reference.wordsOf(this.now!) : null;
    const words = ofFile ?? analysis.words;
    const forms = words.map((word) => word.form);
    board.show(message, forms, true, lang);
    board.explain(message, analysis);
    part<DepTree>("steps-tree").analysis = { words: madeOf(message, words) };
    part("give-back").hidden = !message.by_hand;
    part("steps-rewind").hidden = message.reference !== "gold" || stepsMade(message) === 0;
    const lost = loss && isAbout(loss, message) ? [loss.told] : [];
    tell(
      [...told(message), ...(ofFile ? bestTold(message, analysis, ofFile) : []), ...lost].join(" "),
      figures(message),
      lang,
    );
    fillPlan(part("steps-planned"), message.plan ?? [], analysis, lang);
  }
}

function clear(board: StepBoard): void {
  board.show(null, [], true, "");
  part<DepTree>("steps-tree").analysis = { words: [] };
  part("give-back").hidden = part("steps-rewind").hidden = true;
  tell(stepsText("steps.none"), "", "");
  fillPlan(part("steps-planned"), [], { words: [], virtual: [] }, "");
}

/** The words with the arcs that the steps have made; those of the reference have its labels. */
function madeOf({ edges = [] }: StepsMessage, words: readonly TreeWord[]): TreeWord[] {
  const heads = new Map(edges.map(([head, child]) => [child, head]));
  return words.map(({ form, tag = "", head, label }, index) => {
    const made = heads.get(index + 1) ?? null;
    return { form, tag, head: made, label: made === head ? label : null };
  });
}

/** Steps by hand that have been taken back since the words that they were about are others. */
interface Loss {
  readonly sentence: number;
  /** So many words the sentence had then: with the next one it is no news any more. */
  readonly n: number;
  readonly told: string;
}

function lossOf(before: StepsMessage | undefined, { sentence, version, n, ...now }: StepsMessage): Loss | null {
  if (!before?.by_hand || before.version === version) return null;
  if (!now.by_hand) return { sentence, n, told: stepsText("steps.taken-back") };
  if (stepsMade(now) >= stepsMade(before)) return null;
  return { sentence, n, told: stepsText("steps.last-taken-back") };
}

function isAbout(loss: Loss, { sentence, n }: StepsMessage): boolean {
  return loss.sentence === sentence && loss.n === n;
}

/** Words stand between asterisks. */
function tell(message: string, figures: string, lang: string): void {
  part("steps-told").replaceChildren(...withQuotes(message, lang));
  part("steps-figures").textContent = figures;
}

function told(message: StepsMessage): string[] {
  return [
    ...(isFinal(message) ? [stepsText("steps.end")] : []),
    prospects(message),
    ...(message.by_hand ? [stepsText("steps.by-hand")] : []),
    ...(message.rebuilt ? [stepsText("steps.rebuilt")] : []),
  ];
}

/** How much of the reference is left to make. */
function prospects(message: StepsMessage): string {
  const isGold = message.reference === "gold";
  const isLeft = STEP_NAMES.some((step) => (message[step] ?? 0) > 0);
  if (isLeft) return stepsText(isGold ? "steps.left.gold" : "steps.left.best", { share: percent(message.share) });
  if (message.share < 1) return stepsText(isGold ? "steps.lost.gold" : "steps.lost.best");
  return stepsText(isGold ? "steps.made.gold" : "steps.made.best");
}

/** Beside a file: the best step, and how many arcs of the file's tree can then still be right. */
function bestTold(message: StepsMessage, words: StepWords, ofFile: readonly TreeWord[]): string[] {
  const choice = message.choices.find(({ step }) => message.optimal.includes(step));
  if (!choice) return [];
  const step = stepTold(choice, message.front <= message.n ? message.front : "later", words);
  const [count, all] = [arcsRight(message, message[choice.step] ?? 0, ofFile), arcsInAll(ofFile)];
  return [stepsText(count === all ? "steps.next.all" : "steps.next", { step, count, all })];
}

/** Arcs by the reference, words to come included, and the work that it took. */
function figures(message: StepsMessage): string {
  if (isFinal(message)) return text("figures.none");
  const { entries_filled: filled, entries_in_all: all, known } = message;
  const counts = STEP_NAMES.filter((step) => message[step] !== null).map((step) =>
    text("figures.step", { step: stepTitle(step), count: message[step]!, known: known[step] ?? 0 }),
  );
  const work = all === null ? text("figures.entries", { filled }) : text("figures.entries.of", { filled, all });
  return `${text("figures.told", { counts: counts.join("; ") })} ${work}`;
}
