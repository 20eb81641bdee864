/** Waits until all of a text has its trees, so that none is saved without. */

import type { PlacedSentence } from "../client/index.ts";
import { annotatedSentences, type AnnotatedSentence } from "./annotated_sentences.ts";
import { annotationsOf } from "./annotations_field.ts";
import type { Page } from "./page_parts.ts";
import { isReplaying } from "./replaying.ts";

const PATIENCE = 20_000; // milliseconds without any answer
const PAUSE = 50; // milliseconds between one look and the next
const DONE = new Set(["settled", "final"]);

/**
 * ready      all of the text has its trees
 * too long   the server does not take the text
 * late       no answer has come for long
 * called off by hand, or since the text is another one now
 */
export type Outcome = "ready" | "too long" | "late" | "called off";

type State = "ready" | "getting better" | "unanswered" | "too long" | "called off";

export class AwaitedTrees {
  readonly outcome: Promise<Outcome>;
  private end: (outcome: Outcome) => void = () => {};
  private deadline = 0;
  private timer = 0;

  constructor(private readonly page: Page) {
    const stop = page.document.changed.listen(() => this.takeHope());
    this.outcome = new Promise<Outcome>((resolve) => (this.end = resolve)).finally(() => {
      stop();
      clearTimeout(this.timer);
    });
    this.takeHope();
    this.look();
  }

  callOff(): void {
    this.end("called off");
  }

  private takeHope(): void {
    this.deadline = performance.now() + PATIENCE;
  }

  private look(): void {
    const state = stateOf(this.page);
    const isLate = performance.now() > this.deadline;
    if (state === "getting better" && isLate) this.end("ready");
    else if (state === "unanswered" && isLate) this.end("late");
    else if (state === "getting better" || state === "unanswered")
      this.timer = window.setTimeout(() => this.look(), PAUSE);
    else this.end(state);
  }
}

/** Whether a text has more than sentences of a file that need no parser. */
function isNeededBy(text: string, sentences: readonly AnnotatedSentence[]): boolean {
  let end = 0;
  const between = sentences
    .filter(({ analyses }) => !analyses.size)
    .map(({ from, to }) => {
      const before = text.slice(end, from);
      end = to;
      return before;
    });
  return (between.join("") + text.slice(end)).trim() !== "";
}

function stateOf({ document, editor: { state } }: Page): State {
  if (isReplaying(state)) return "called off";
  const text = state.doc.toString();
  const sentences = annotatedSentences(text, document.sentences, annotationsOf(state));
  if (isNeededBy(text, sentences)) {
    if (document.isTooLong) return "too long";
    if (document.text !== text || !document.isAnswered) return "unanswered";
  }
  const isDone = ({ analysis }: PlacedSentence) => DONE.has(analysis.stage);
  return sentences.every(({ analyses }) => [...analyses].every(isDone)) ? "ready" : "getting better";
}
