/** What conflicts are about, shown where the pointer rests on one of their words. */

import { hoverTooltip, type Tooltip } from "@codemirror/view";
import { graveConflicts, type ConflictView, type PlacedSentence, type PlacedWord, type Span } from "../client/index.ts";
import { sentencesOf } from "./analyses_field.ts";

/** A conflict in words, with the place of the first word that it is about in the text. */
export interface ExplainedConflict extends Span {
  readonly line: string;
}

/** The conflicts of a sentence that a writer should see, of which some word still stands. */
export function conflictsOf(sentence: PlacedSentence): ExplainedConflict[] {
  return graveConflicts(sentence).flatMap((conflict) => {
    const first = sentence.words.find((word) => conflict.words.includes(word.number));
    return first ? [{ line: lineOf(conflict, sentence), ...spanOf(first, sentence) }] : [];
  });
}

/** The constraints that a word at a position does not meet, in words; null if there are none. */
export function explanationAt(
  sentences: readonly PlacedSentence[],
  position: number,
): (Span & { lines: string[] }) | null {
  const sentence = sentences.find((one) => one.from <= position && position <= one.to);
  const word = sentence?.words.find(
    (one) => sentence.from + one.from <= position && position <= sentence.from + one.to,
  );
  if (!sentence || !word) return null;
  const concerned = graveConflicts(sentence).filter(({ words }) => words.includes(word.number));
  const lines = concerned.map((conflict) => lineOf(conflict, sentence));
  return lines.length ? { ...spanOf(word, sentence), lines } : null;
}

function lineOf({ constraint, penalty, words }: ConflictView, { analysis }: PlacedSentence): string {
  const forms = words.map((number) => analysis.words[number - 1]?.form).filter(Boolean);
  return `${constraint} (${penalty === 0 ? "hard" : `penalty ${penalty}`}): ${forms.join(", ")}`;
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
  dom.append(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  return dom;
}
