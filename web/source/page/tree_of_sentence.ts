/** A sentence of the client as the tree element draws it. */

import { isComplete, isWhole, toldConflicts, type Head, type PlacedSentence } from "../client/index.ts";
import type { TreeAnalysis, TreeConstituent } from "../tree/index.ts";

/** The words that still stand, under new numbers; arcs from words that are gone are gone. */
export function treeOf(sentence: PlacedSentence): TreeAnalysis {
  const { analysis, words, isTouched } = sentence;
  const numbers = new Map(words.map((word, index) => [word.number, index + 1]));
  const standing = (head: Head): Head => (typeof head === "number" && head > 0 ? (numbers.get(head) ?? null) : head);
  return {
    words: words.map(({ id, number }) => {
      const word = analysis.words[number - 1]!;
      return { ...word, id, head: standing(word.head) };
    }),
    virtual:
      isWhole(analysis) && !isTouched ? [] : analysis.virtual.map((one) => ({ ...one, head: standing(one.head) })),
    conflicts: toldConflicts(sentence).map((conflict) => {
      return { words: conflict.words.flatMap((number) => numbers.get(number) ?? []) };
    }),
    stable_upto: firmWords(sentence),
    constituents: (analysis.constituents ?? []).flatMap((one) => standingPart(one, words)),
  };
}

/** A constituent over those of its words that still stand, if there are any. */
function standingPart([label, first, last]: TreeConstituent, words: PlacedSentence["words"]): TreeConstituent[] {
  const start = words.findIndex((word) => word.number >= first);
  const end = last === null ? words.length : words.findLastIndex((word) => word.number <= last) + 1;
  return start >= 0 && start < end ? [[label, start + 1, last === null ? null : end]] : [];
}

/**
 * How many first words do not change any more: what is promised of them holds until they are edited themselves.
 * What is final is so as a whole: an edit anywhere in it opens all of it again.
 */
function firmWords(sentence: PlacedSentence): number {
  const { analysis, words, isTouched } = sentence;
  if (!isTouched) return isComplete(analysis) ? words.length : analysis.stable_upto;
  if (analysis.stage === "final") return 0;
  const edited = words.findIndex(({ number, from, to }, index) => {
    const { start, end } = analysis.words[number - 1]!;
    return number !== index + 1 || to - from !== end - start;
  });
  return Math.min(analysis.stable_upto, edited < 0 ? words.length : edited);
}
