/** What conflicts are about, shown where the pointer rests on one of their words. */

import { hoverTooltip, type Tooltip } from "@codemirror/view";
import { toldConflicts, type PlacedSentence, type PlacedWord, type Span } from "../client/index.ts";
import { sentencesOf } from "./analyses_field.ts";
import { withQuotes } from "./quotes.ts";

/** A conflict in words, with the place of the first word that it is about in the text. */
export interface ExplainedConflict extends Span {
  /** Words that are quoted stand between asterisks. */
  readonly line: string;
}

/** The conflicts of a sentence that are meant for people, of which some word still stands. */
export function conflictsOf(sentence: PlacedSentence): ExplainedConflict[] {
  return toldConflicts(sentence).flatMap(({ message, words }) => {
    const first = sentence.words.find((word) => words.includes(word.number));
    return first ? [{ line: message, ...spanOf(first, sentence) }] : [];
  });
}

/** What is wrong with a word at a position, in words; null if nothing is. */
export function explanationAt(
  sentences: readonly PlacedSentence[],
  position: number,
): (Span & { lines: string[] }) | null {
  const sentence = sentences.find((one) => one.from <= position && position <= one.to);
  const word = sentence?.words.find(
    (one) => sentence.from + one.from <= position && position <= sentence.from + one.to,
  );
  if (!sentence || !word) return null;
  const concerned = toldConflicts(sentence).filter(({ words }) => words.includes(word.number));
  const lines = concerned.map(({ message }) => message);
  return lines.length ? { ...spanOf(word, sentence), lines } : null;
}

function spanOf(word: PlacedWord, { from }: PlacedSentence): Span {
  return { from: from + word.from, to: from + word.to };
}

export const explanations = hoverTooltip((view, position): Tooltip | null => {
  const explained = explanationAt(sentencesOf(view.state), position);
  return (
    explained && { pos: explained.from, end: explained.to, above: true, create: () => ({ dom: list(explained.lines) }) }
  );
});

function list(lines: readonly string[]): HTMLElement {
  const dom = document.createElement("ul");
  dom.className = "tw-explanation";
  for (const line of lines) dom.appendChild(document.createElement("li")).append(...withQuotes(line));
  return dom;
}
