/** The next steps for the current sentence: what each does, attains and loses; asked for only while they are shown. */

import {
  stepsMade,
  type AnalysisMessage,
  type PlacedSentence,
  type SentenceRequest,
  type StepsMessage,
} from "../client/index.ts";
import type { DepTree, TreeWord } from "../tree/index.ts";
import { isFinal, obstacleTo, STEP_NAMES, stepTitle } from "./configurations.ts";
import { languageOf } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";
import { StepBoard } from "./step_board.ts";
import { fillPlan } from "./step_words.ts";
import { text } from "./texts.ts";
import { percent } from "../texts/texts.ts";

export function showNextSteps({ client, document, current, streams }: Page): void {
  const details = part<HTMLDetailsElement>("steps");
  const plan = part<HTMLDetailsElement>("steps-plan");
  const board = new StepBoard(part("steps-board"));
  const known = new Map<number, StepsMessage>();
  const giveBack = part<HTMLButtonElement>("give-back");
  let sentence: PlacedSentence | null = null;
  let asked = -1;
  let loss: Loss | null = null;
  const number = () => (sentence ? document.numberOf(sentence) : -1);
  const refresh = () => {
    if (!details.open) return;
    const message = known.get(number());
    if (!sentence) clear(board);
    else if (message?.n === sentence.analysis.words.length)
      show(board, message, sentence, loss, languageOf(client, document));
    else if (number() >= 0 && number() !== asked && document.isCurrent)
      document.request((asked = number()), plan.open ? { type: "ask_steps", plan: true } : { type: "ask_steps" });
  };
  const forget = () => {
    asked = -1;
    known.clear();
  };
  const drive = (request: SentenceRequest) => {
    loss = null;
    document.request(number(), request);
  };
  const change = () => {
    streams.wantSteps(details.open ? (plan.open ? "plan" : "steps") : null);
    forget();
    refresh();
  };
  client.welcomed.listen(forget);
  document.reopened.listen(forget);
  details.ontoggle = change;
  plan.ontoggle = () => details.open && change();
  current.listen((now) => {
    sentence = now.sentence;
    refresh();
  });
  document.steps.listen((message) => {
    loss = lossOf(known.get(message.sentence), message) ?? loss;
    known.set(message.sentence, message);
    asked = -1;
    refresh();
  });
  board.chosen.listen((choice) => {
    const message = known.get(number());
    if (!message) return;
    const obstacle = choice === "undo" ? "" : obstacleTo(choice, message);
    if (obstacle) part("steps-told").textContent = obstacle;
    else drive(choice === "undo" ? { type: "undo" } : { type: "step", step: choice });
  });
  giveBack.onclick = () => drive({ type: "undo", all: true });
}

function show(
  board: StepBoard,
  message: StepsMessage,
  { analysis }: PlacedSentence,
  loss: Loss | null,
  lang: string,
): void {
  const forms = analysis.words.map((word) => word.form);
  board.show(message, forms, true, lang);
  board.explain(message, analysis);
  part<DepTree>("steps-tree").analysis = { words: madeOf(message, analysis) };
  part("give-back").hidden = !message.by_hand;
  tell([...told(message), ...(loss && isAbout(loss, message) ? [loss.told] : [])].join(" "), figures(message));
  fillPlan(part("steps-planned"), message.plan ?? [], analysis, lang);
}

function clear(board: StepBoard): void {
  board.show(null, [], true, "");
  part<DepTree>("steps-tree").analysis = { words: [] };
  part("give-back").hidden = true;
  tell(text("steps.none"), "");
  fillPlan(part("steps-planned"), [], { words: [], virtual: [] }, "");
}

/** The words with the arcs that the steps have made; those of the best parse have its labels. */
function madeOf({ edges = [] }: StepsMessage, { words }: AnalysisMessage): TreeWord[] {
  const heads = new Map(edges.map(([head, child]) => [child, head]));
  return words.map(({ form, tag, head, label }, index) => {
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
  if (!now.by_hand) return { sentence, n, told: text("steps.taken-back") };
  if (stepsMade(now) >= stepsMade(before)) return null;
  return { sentence, n, told: text("steps.last-taken-back") };
}

function isAbout(loss: Loss, { sentence, n }: StepsMessage): boolean {
  return loss.sentence === sentence && loss.n === n;
}

function tell(message: string, figures: string): void {
  part("steps-told").textContent = message;
  part("steps-figures").textContent = figures;
}

function told(message: StepsMessage): string[] {
  return [
    ...(isFinal(message) ? [text("steps.end")] : []),
    prospects(message),
    ...(message.by_hand ? [text("steps.by-hand")] : []),
    ...(message.rebuilt ? [text("steps.rebuilt")] : []),
  ];
}

/** How much of the reference is left to make. */
function prospects(message: StepsMessage): string {
  const isGold = message.reference === "gold";
  const isLeft = STEP_NAMES.some((step) => (message[step] ?? 0) > 0);
  if (isLeft) return text(isGold ? "steps.left.gold" : "steps.left.best", { share: percent(message.share) });
  if (message.share < 1) return text(isGold ? "steps.lost.gold" : "steps.lost.best");
  return text(isGold ? "steps.made.gold" : "steps.made.best");
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
