/** The next steps for the current sentence: what each does, attains and loses; asked for only while they are shown. */

import type { PlacedSentence, StepsMessage } from "../client/index.ts";
import { obstacleTo, STEP_NAMES } from "./configurations.ts";
import { part, type Page } from "./page_parts.ts";
import { StepBoard } from "./step_board.ts";
import { fillPlan } from "./step_words.ts";

export function showNextSteps({ client, document, current, streams }: Page): void {
  const details = part<HTMLDetailsElement>("steps");
  const plan = part<HTMLDetailsElement>("steps-plan");
  const board = new StepBoard(part("steps-board"));
  const known = new Map<number, StepsMessage>();
  let sentence: PlacedSentence | null = null;
  let asked = -1;
  const number = () => (sentence ? document.numberOf(sentence) : -1);
  const refresh = () => {
    if (!details.open) return;
    const message = known.get(number());
    if (!sentence) clear(board);
    else if (message?.n === sentence.analysis.words.length) show(board, message, sentence);
    else if (number() >= 0 && number() !== asked && document.isCurrent)
      document.request((asked = number()), plan.open ? { type: "ask_steps", plan: true } : { type: "ask_steps" });
  };
  const forget = () => {
    asked = -1;
    known.clear();
  };
  const change = () => {
    streams.wantSteps(details.open ? (plan.open ? "plan" : "steps") : null);
    forget();
    refresh();
  };
  client.welcomed.listen(forget);
  details.ontoggle = change;
  plan.ontoggle = () => details.open && change();
  current.listen((now) => {
    sentence = now.sentence;
    refresh();
  });
  document.steps.listen((message) => {
    known.set(message.sentence, message);
    asked = -1;
    refresh();
  });
  board.chosen.listen((choice) => {
    const message = known.get(number());
    if (!message) return;
    const obstacle = choice === "undo" ? "" : obstacleTo(choice, message);
    if (obstacle) part("steps-told").textContent = obstacle;
    else document.request(number(), choice === "undo" ? { type: "undo" } : { type: "step", step: choice });
  });
}

function show(board: StepBoard, message: StepsMessage, { analysis }: PlacedSentence): void {
  const forms = analysis.words.map((word) => word.form);
  board.show(message, forms, true);
  board.explain(message, analysis);
  tell(told(message), figures(message));
  fillPlan(part("steps-planned"), message.plan ?? []);
}

function clear(board: StepBoard): void {
  board.show(null, [], true);
  tell("Type a sentence first.", "");
  fillPlan(part("steps-planned"), []);
}

function tell(message: string, figures: string): void {
  part("steps-told").textContent = message;
  part("steps-figures").textContent = figures;
}

function told(message: StepsMessage): string {
  const { share, reference } = message;
  const whose = reference === "gold" ? "the tree that was given" : "the best parse";
  const driver = message.by_hand ? " You are driving: undo your steps to give the wheel back." : "";
  const rebuilt = message.rebuilt ? " The parser had drifted and was built again." : "";
  return `${Math.round(100 * share)}% of the arcs of ${whose} that are not yet made can still be.${driver}${rebuilt}`;
}

/** Arcs by the reference, words to come included, and the work that it took. */
function figures(message: StepsMessage): string {
  const { entries_filled: filled, entries_in_all: all, known } = message;
  const counts = STEP_NAMES.filter((step) => message[step] !== null).map(
    (step) => `${step.replace("_", " ")} ${message[step]}, ${known[step]} of them among words that are there`,
  );
  const work = all === null ? `${filled} entries filled` : `${filled} of ${all} entries filled`;
  return `Arcs of the tree that each step can still attain: ${counts.join("; ")}. ${work}.`;
}
