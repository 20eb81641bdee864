/** Moments of one sentence: what the parser made of it, when, and how far it had come. No DOM in it. */

import {
  isComplete,
  isWhole,
  toldConflicts,
  type AnalysisMessage,
  type Level,
  type PlacedSentence,
  type Stage,
  type WordView,
} from "../client/index.ts";
import type { RecordedAnalysis } from "../page/recorded_analyses.ts";
import type { TreeConflict, TreeVirtual } from "../tree/index.ts";

type Head = WordView["head"];

export interface MomentWord {
  /** Stays with the word from one moment to the next. */
  readonly id: number;
  readonly form: string;
  readonly tag: string;
  readonly head: Head;
  readonly label: string | null;
}

/** A constraint that a tree breaks, with the numbers of words. */
export interface BrokenConstraint {
  readonly constraint: string;
  /** For people; empty where there is none. */
  readonly message: string;
  readonly words: readonly number[];
}

/** What is drawn of a moment. */
export interface MomentTree {
  readonly words: readonly MomentWord[];
  readonly virtual: readonly TreeVirtual[];
  readonly conflicts: readonly TreeConflict[];
  readonly stable_upto: number;
}

export interface Moment {
  /** Milliseconds since the first one. */
  readonly time: number;
  /** The highest that the analysis went through. */
  readonly level: Level;
  readonly stage: Stage;
  /** Of the sentence, as it was then. */
  readonly text: string;
  readonly tree: MomentTree;
  readonly broken: readonly BrokenConstraint[];
}

/** The moments of a sentence; until a search has judged a tree anew, it breaks what it has broken before. */
export function momentsOf(recorded: readonly RecordedAnalysis[]): Moment[] {
  const moments: Moment[] = [];
  const start = recorded[0]?.time ?? 0;
  for (const one of recorded) {
    const { analysis } = one.sentence;
    const words = wordsOf(one.sentence);
    moments.push({
      time: Math.round(one.time - start),
      level: analysis.levels.at(-1) ?? "L0",
      stage: analysis.stage,
      text: one.text ?? textOf(analysis),
      tree: treeOf(one.sentence, words),
      broken: [
        ...toldConflicts(one.sentence).map(({ constraint, message, words }) => ({ constraint, message, words })),
        ...brokenIn(one, words, moments.at(-1)),
      ],
    });
  }
  return moments;
}

function wordsOf({ analysis, words }: PlacedSentence): MomentWord[] {
  const ids = new Map(words.map(({ id, number }) => [number, id]));
  return analysis.words.map(({ form, tag, head, label }, index) => {
    const id = ids.get(index + 1) ?? -1 - index; // the word was gone when its analysis came
    return { id, form, tag, head, label };
  });
}

function treeOf(sentence: PlacedSentence, words: readonly MomentWord[]): MomentTree {
  const { analysis } = sentence;
  const virtual = analysis.virtual.map(({ node, tag, head, label }) => ({ node, tag, head, label }));
  return {
    words,
    virtual: isWhole(analysis) ? [] : virtual,
    conflicts: toldConflicts(sentence).map(({ words }) => ({ words })),
    stable_upto: isComplete(analysis) ? words.length : analysis.stable_upto,
  };
}

/** The words at their places; those that share a place are written one after the other. */
function textOf({ words }: AnalysisMessage): string {
  return words.reduce((text, { form, start }) => text.padEnd(start) + form, "");
}

/** What the stream of constraints has told, beyond the conflicts. */
function brokenIn(
  { broken, sentence }: RecordedAnalysis,
  words: readonly MomentWord[],
  before: Moment | undefined,
): BrokenConstraint[] {
  const told = new Set(toldConflicts(sentence).map(({ constraint }) => constraint));
  const own = broken?.map(({ constraint, words }) => ({ constraint, message: "", words }));
  return (own ?? standing(before, words)).filter(({ constraint }) => !told.has(constraint));
}

/** What was broken before by words that still stand. */
function standing(before: Moment | undefined, words: readonly MomentWord[]): BrokenConstraint[] {
  const numbers = new Map(words.map(({ id }, index) => [id, index + 1]));
  const numberNow = (number: number) => numbers.get(before!.tree.words[number - 1]!.id) ?? [];
  const silent = before?.broken.filter(({ message }) => !message) ?? [];
  const renumbered = silent.map((one) => ({ ...one, words: one.words.flatMap(numberNow) }));
  return renumbered.filter(({ words }, place) => words.length === silent[place]!.words.length);
}
