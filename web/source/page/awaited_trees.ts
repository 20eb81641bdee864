/** Waits until all of a text has its trees, so that none is saved without. */

import type { Span } from "../client/index.ts";
import { annotatedSentences } from "./annotated_sentences.ts";
import { annotationsOf } from "./annotations_field.ts";
import type { Page } from "./page_parts.ts";
import { isDone } from "./parsed_words.ts";
import { isReplaying } from "./replaying.ts";

// All in milliseconds.
const PATIENCE = 20_000; // without any answer
const BEST = 5_000; // for trees that are there, but may become better
const PAUSE = 50; // between one look and the next

/**
 * ready      all of the text has its trees
 * too long   the server does not take the text
 * late       no answer has come for long
 * called off by hand, or since the text is another one now
 */
export type Outcome = "ready" | "too long" | "late" | "called off";

type Awaiting = Pick<Page, "document" | "editor" | "fixing">;

type State = "ready" | "getting better" | "unanswered" | "too long" | "called off";

export class AwaitedTrees {
  readonly outcome: Promise<Outcome>;
  private end: (outcome: Outcome) => void = () => {};
  private deadline = 0;
  private timer = 0;
  private readonly begun = performance.now();

  constructor(private readonly page: Awaiting) {
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
    const now = performance.now();
    if (state === "getting better" && now > this.begun + BEST) this.end("ready");
    else if (state === "unanswered" && now > this.deadline) this.end("late");
    else if (state === "getting better" || state === "unanswered")
      this.timer = window.setTimeout(() => this.look(), PAUSE);
    else this.end(state);
  }
}

function stateOf({ document, fixing, editor: { state } }: Awaiting): State {
  if (isReplaying(state)) return "called off";
  const text = state.doc.toString();
  const sentences = annotatedSentences(text, document.sentences, annotationsOf(state));
  const ofParser = sentences.filter(({ analyses }) => analyses.size);
  const ofFile = sentences.filter(({ analyses }) => !analyses.size);
  if (!isBlankOutside(ofFile, text)) {
    if (document.isTooLong) return "too long";
    const isTouched = ofParser.some(({ analyses }) => [...analyses].some((one) => one.isTouched));
    const isAll =
      document.isAnswered ||
      isBlankOutside(
        sentences.flatMap(({ spans }) => spans),
        text,
      );
    if (document.text !== text || !document.isCurrent || isTouched || !isAll) return "unanswered";
    if (fixing.isBehind) return "unanswered";
  }
  return ofParser.every(({ analyses }) => [...analyses].every(isDone)) ? "ready" : "getting better";
}

/** Whether a text has nothing but white space outside some spans, which stand in its order. */
function isBlankOutside(spans: readonly Span[], text: string): boolean {
  let end = 0;
  for (const { from, to } of spans) {
    if (text.slice(end, from).trim()) return false;
    end = Math.max(end, to);
  }
  return !text.slice(end).trim();
}
