/** Analyses of sentences and where their words stand in a text that goes on changing. */

import { growth, mapPosition, mapSpan, type Change, type Span } from "./changes.ts";
import type {
  AnalysisMessage,
  ConflictView,
  Constituent,
  ConstituentsView,
  DeltaMessage,
  WordView,
} from "./protocol.ts";

/** A word of an analysis that still stands; its span counts from the start of the sentence. */
export interface PlacedWord extends Span {
  /** Stays the same from one analysis to the next. */
  readonly id: number;
  /** Counts from 1 in the analysis. */
  readonly number: number;
}

/** An analysis at its place in the present text. */
export interface PlacedSentence extends Span {
  readonly analysis: AnalysisMessage;
  readonly words: readonly PlacedWord[];
  /** Those of the analysis; while its own are still to come, what is kept of earlier ones, in its numbers. */
  readonly conflicts: readonly ConflictView[];
  /** Whether the text of the sentence has changed since it was analysed. */
  readonly isTouched: boolean;
}

/** A conflict with a sentence for people. */
export type ToldConflict = ConflictView & { readonly message: string };

/** The conflicts of a sentence, or of an analysis alone, that are meant for people. */
export function toldConflicts({ conflicts }: Pick<AnalysisMessage, "conflicts">): ToldConflict[] {
  return conflicts.filter((conflict): conflict is ToldConflict => !!conflict.message);
}

/** Whether nothing is to come of a sentence as it was analysed: it has ended, or looks as if it had. */
export function isWhole({ stage, whole }: Pick<AnalysisMessage, "stage" | "whole">): boolean {
  return whole === true || stage === "final";
}

/** Whether it is the best analysis of a whole sentence: it changes no more unless its text does. */
export function isComplete(analysis: Pick<AnalysisMessage, "stage" | "whole" | "cut_short">): boolean {
  return isWhole(analysis) && (analysis.cut_short === true || ["settled", "final"].includes(analysis.stage));
}

/** The analysis in full; the delta must be one of `base`. */
export function applyDelta(base: AnalysisMessage, delta: DeltaMessage): AnalysisMessage {
  const { base: _, length, words: changed, constituents: changes, ...parts } = delta;
  const words = Array.from({ length }, (__, index) => changed[index + 1] ?? (base.words[index] as WordView));
  const { virtual, conflicts } = base;
  const constituents = changes === undefined ? base.constituents : changes && withChanges(base, changes);
  return { virtual, conflicts, ...parts, type: "analysis", words, ...(constituents && { constituents }) };
}

/** Constituents in full. */
function withChanges(base: AnalysisMessage, { first, removed, added }: ConstituentsView): Constituent[] {
  const before = base.constituents ?? [];
  return [...before.slice(0, first), ...added, ...before.slice(first + removed)];
}

/** An analysis in the text that it was made of, with an id for each word. */
export function placeAnalysis(analysis: AnalysisMessage): PlacedSentence {
  const words = analysis.words.map((word, index) => {
    return { id: index + 1, number: index + 1, from: word.start, to: word.end };
  });
  const { start: from, conflicts } = analysis;
  const to = from + Math.max(0, ...words.map((word) => word.to));
  return { analysis, from, to, words, conflicts, isTouched: false };
}

/** A stretch of a text with words, whose spans count from its start. */
export interface PlacedWords extends Span {
  readonly words: readonly Span[];
  /** Whether its text has changed. */
  readonly isTouched: boolean;
}

/** The sentence after a change of the text. Words of which nothing is left are dropped. */
export function mapSentence<Sentence extends PlacedWords>(sentence: Sentence, change: Change): Sentence {
  if (change.from >= sentence.to) return sentence;
  if (change.to <= sentence.from) return moved(sentence, growth(change));
  const from = mapPosition(sentence.from, 1, change);
  const to = Math.max(from, mapPosition(sentence.to, -1, change));
  const inside = { ...change, from: change.from - sentence.from, to: change.to - sentence.from };
  const shift = sentence.from - from;
  const words = sentence.words.flatMap((word) => {
    const span = mapSpan(word, inside);
    return span ? [{ ...word, from: span.from + shift, to: span.to + shift }] : [];
  });
  return { ...sentence, from, to, words, isTouched: true };
}

/** The last sentence that begins at or before a position, or else the first one, of those that have words. */
export function sentenceAt(sentences: readonly PlacedSentence[], position: number): PlacedSentence | null {
  const standing = sentences.filter((sentence) => sentence.words.length > 0);
  return standing.findLast((sentence) => sentence.from <= position) ?? standing[0] ?? null;
}

function moved<Sentence extends PlacedWords>(sentence: Sentence, by: number): Sentence {
  return by ? { ...sentence, from: sentence.from + by, to: sentence.to + by } : sentence;
}
