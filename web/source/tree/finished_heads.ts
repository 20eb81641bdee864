/** Heads among the words that are there, for formats that know of no words to come, such as CoNLL-U. */

import type { Head, TreeAnalysis, TreeVirtual } from "./analysis.ts";

/** The head of a word by its number, 0 for the one root of the sentence. */
export interface FinishedHead {
  readonly head: number;
  readonly label: string;
  /** Whether the analysis has another head, which is to come or not known. */
  readonly isReplaced: boolean;
}

interface OpenHead {
  readonly head: Head;
  readonly label: string | null;
}

/**
 * The heads of all words. A word to come is treated as Universal Dependencies treat one that is left out: the first
 * word that hangs on it takes its place, and the others hang on that one. A word of whose head nothing more is known
 * hangs on the root, as `dep` where it has no label; where there is no root, the first such word is the root.
 */
export function finishedHeads({ words, virtual = [] }: TreeAnalysis): FinishedHead[] {
  const open = words.map((word, index) => amongWords(word, index + 1, words, virtual));
  const root = firstNumber(open, ({ head }) => head === 0) || firstNumber(open, ({ head }) => head === null);
  return open.map(({ head, label }, index) => {
    const finished = finishedHead({ head, label }, index + 1, root);
    return { ...finished, isReplaced: finished.head !== words[index]!.head };
  });
}

function finishedHead({ head, label }: OpenHead, number: number, root: number): Omit<FinishedHead, "isReplaced"> {
  if (number === root) return { head: 0, label: "root" };
  if (head === 0) return { head: root, label: "parataxis" };
  return { head: typeof head === "number" ? head : root, label: label ?? "dep" };
}

/** The head of a word with a number, past virtual nodes; null where it is not known. */
function amongWords(
  word: OpenHead,
  number: number,
  words: readonly OpenHead[],
  virtual: readonly TreeVirtual[],
): OpenHead {
  let { head, label } = word;
  for (let steps = 0; typeof head === "number" && head < 0 && steps <= virtual.length; steps++) {
    const first = firstUnder(head, words, virtual);
    const node = virtual.find((one) => one.node === -Number(head));
    if (first && first !== number) head = first;
    else ({ head, label } = node ?? { head: null, label: null });
  }
  const isWord = typeof head === "number" && head >= 0 && head <= words.length && head !== number;
  return { head: isWord ? head : null, label };
}

/** The number of the first word that hangs on a virtual node, or on one that hangs there; 0 where there is none. */
function firstUnder(
  head: number,
  words: readonly OpenHead[],
  virtual: readonly TreeVirtual[],
  depth = virtual.length,
): number {
  const own = firstNumber(words, (word) => word.head === head);
  if (own || depth === 0) return own;
  const under = virtual.filter((one) => one.head === head);
  return under.reduce((found, { node }) => found || firstUnder(-node, words, virtual, depth - 1), 0);
}

function firstNumber<T>(list: readonly T[], isMeant: (one: T) => boolean): number {
  return list.findIndex(isMeant) + 1;
}
