/** What differs between two trees of one sentence. No DOM in it. */

import type { TreeAnalysis, TreeWord } from "../tree/index.ts";

/** Numbers of words in the later tree. */
export interface ChangedWords {
  /** Those that hang elsewhere, or otherwise. */
  readonly arcs: readonly number[];
  readonly tags: readonly number[];
}

export function changedWords(before: TreeAnalysis, after: TreeAnalysis): ChangedWords {
  const known = new Map(before.words.map((word) => [word.id, word]));
  const numbered = after.words.map((word, index) => ({ word, was: known.get(word.id), number: index + 1 }));
  const standing = numbered.flatMap(({ was, ...one }) => (was ? [{ ...one, was }] : []));
  const isMoved = (word: TreeWord, was: TreeWord) =>
    word.label !== was.label || headId(word, after) !== headId(was, before);
  return {
    arcs: standing.filter(({ word, was }) => isMoved(word, was)).map(({ number }) => number),
    tags: standing.filter(({ word, was }) => word.tag !== was.tag).map(({ number }) => number),
  };
}

function headId({ head }: TreeWord, { words }: TreeAnalysis): unknown {
  return typeof head === "number" && head > 0 ? words[head - 1]?.id : head;
}
