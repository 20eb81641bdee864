/** What differs between two trees of one sentence. No DOM in it. */

import type { TreeAnalysis, TreeWord } from "../tree/index.ts";

/** Numbers of words in the later tree. */
export interface ChangedWords {
  /** Those that were there, and hang elsewhere, or otherwise. */
  readonly arcs: readonly number[];
  readonly tags: readonly number[];
  /** Those that were not there, or were written otherwise. */
  readonly forms: readonly number[];
}

export function changedWords(before: TreeAnalysis, after: TreeAnalysis): ChangedWords {
  const known = new Map(before.words.map((word) => [word.id, word]));
  const numbered = after.words.map((word, index) => ({ word, was: known.get(word.id), number: index + 1 }));
  const numbers = (isMeant: (word: TreeWord, was?: TreeWord) => boolean | undefined) =>
    numbered.filter(({ word, was }) => isMeant(word, was)).map(({ number }) => number);
  const isMoved = (word: TreeWord, was: TreeWord) =>
    word.label !== was.label || headId(word, after) !== headId(was, before);
  return {
    arcs: numbers((word, was) => was && isMoved(word, was)),
    tags: numbers((word, was) => was && word.tag !== was.tag),
    forms: numbers((word, was) => word.form !== was?.form),
  };
}

function headId({ head }: TreeWord, { words }: TreeAnalysis): unknown {
  return typeof head === "number" && head > 0 ? words[head - 1]?.id : head;
}
