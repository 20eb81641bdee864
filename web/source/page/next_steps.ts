/** The next steps for the current sentence: what each can attain; asked for only while they are shown. */

import type { PlacedSentence, StepsMessage } from "../client/index.ts";
import { obstacleTo } from "./configurations.ts";
import { part, type Page } from "./page_parts.ts";
import { StepBoard } from "./step_board.ts";

export function showNextSteps({ client, document, current }: Page): void {
  const details = part<HTMLDetailsElement>("steps");
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
      document.request((asked = number()), { type: "ask_steps" });
  };
  const forget = () => {
    asked = -1;
    known.clear();
  };
  client.welcomed.listen(forget);
  details.ontoggle = () => {
    document.setOptions({ streams: details.open ? ["analyses", "steps"] : ["analyses"] });
    forget();
    refresh();
  };
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

function show(board: StepBoard, message: StepsMessage, sentence: PlacedSentence): void {
  const forms = sentence.analysis.words.map((word) => word.form);
  board.show(message, forms, true);
  part("steps-told").textContent = told(message);
}

function clear(board: StepBoard): void {
  board.show(null, [], true);
  part("steps-told").textContent = "Type a sentence first.";
}

function told(message: StepsMessage): string {
  const { entries_filled: filled, entries_in_all: all, share, reference } = message;
  const whose = reference === "gold" ? "the tree that was given" : "the best parse";
  const work = all === null ? `${filled} entries filled` : `${filled} of ${all} entries filled`;
  const driver = message.by_hand ? " You are driving: undo your steps to give the wheel back." : "";
  const rebuilt = message.rebuilt ? " The parser had drifted and was built again." : "";
  return `${Math.round(100 * share)}% of the arcs of ${whose} that are not yet made can still be; ${work}.${driver}${rebuilt}`;
}
