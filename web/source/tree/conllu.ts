/** Analyses as CoNLL-U. */

import type { TreeAnalysis, TreeWord } from "./analysis.ts";

/** The sentence; heads that are not words, since they are still to come or unknown, are left out as `_`. */
export function conlluOf({ words }: TreeAnalysis): string {
  const text = words.map((word, index) => word.form + (hasSpaceAfter(words, index) ? " " : "")).join("");
  const rows = words.map((word, index) => rowOf(word, index + 1, words.length, hasSpaceAfter(words, index)));
  return [`# text = ${text.trimEnd()}`, ...rows, "", ""].join("\n");
}

function rowOf(word: TreeWord, number: number, length: number, hasSpace: boolean): string {
  const isKnown = typeof word.head === "number" && word.head >= 0 && word.head <= length;
  const [head, label] = isKnown ? [String(word.head), word.label ?? "_"] : ["_", "_"];
  const misc = hasSpace || number === length ? "_" : "SpaceAfter=No";
  return [number, word.form, "_", word.tag || "_", "_", word.features || "_", head, label, "_", misc].join("\t");
}

function hasSpaceAfter(words: readonly TreeWord[], index: number): boolean {
  const [end, next] = [words[index]?.end, words[index + 1]?.start];
  return end === undefined || next === undefined || next > end;
}
