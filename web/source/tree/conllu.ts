/** Analyses as CoNLL-U. */

import type { TreeAnalysis, TreeWord } from "./analysis.ts";
import { finishedHeads, type FinishedHead } from "./finished_heads.ts";

/** The sentence; heads that are still to come are replaced as `finishedHeads` does it, so that it is always a tree. */
export function conlluOf(analysis: TreeAnalysis): string {
  const { words } = analysis;
  const heads = finishedHeads(analysis);
  const text = words.map((word, index) => word.form + (hasSpaceAfter(words, index) ? " " : "")).join("");
  const rows = words.map((word, index) => {
    const misc = hasSpaceAfter(words, index) || index + 1 === words.length ? "_" : "SpaceAfter=No";
    return [index + 1, ...columnsOf(word, heads[index]!), "_", misc].join("\t");
  });
  return [`# text = ${text.trimEnd()}`, ...rows, "", ""].join("\n");
}

/** FORM to DEPREL of a word that was parsed. */
export function columnsOf(word: TreeWord, { head, label }: Pick<FinishedHead, "head" | "label">): string[] {
  const { form, lemma, tag, xpos, features } = word;
  return [form, lemma || "_", tag || "_", xpos || "_", features || "_", String(head), label];
}

function hasSpaceAfter(words: readonly TreeWord[], index: number): boolean {
  const [end, next] = [words[index]?.end, words[index + 1]?.start];
  return end === undefined || next === undefined || next > end;
}
