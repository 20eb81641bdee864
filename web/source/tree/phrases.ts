/** The constituents of an analysis as phrases that hold phrases and words, by places from left to right. */

import type { TreeAnalysis } from "./analysis.ts";

export interface Phrase {
  readonly label: string;
  /** The places of its first and last words so far. */
  readonly first: number;
  readonly last: number;
  /** Its end is still to come. */
  readonly isOpen: boolean;
  /** Does not change any more. */
  readonly isStable: boolean;
  /** 1 where it holds words alone, and more than all that it holds. */
  readonly height: number;
  /** From left to right; words by their places. */
  readonly children: readonly (Phrase | number)[];
}

interface Growing extends Phrase {
  readonly children: (Growing | number)[];
  height: number;
}

/** The outermost phrases, and the words that are in none. */
export function phrasesOf({ words, constituents, stable_upto = words.length }: TreeAnalysis): (Phrase | number)[] {
  const tops: (Growing | number)[] = [];
  const around: Growing[] = [];
  let next = 0;
  const childrenNow = () => around.at(-1)?.children ?? tops;
  const takeWords = (end: number) => {
    while (next < end) childrenNow().push(next++);
  };
  const close = () => {
    takeWords(around.at(-1)!.last + 1);
    const done = around.pop()!;
    const holder = around.at(-1);
    if (holder) holder.height = Math.max(holder.height, done.height + 1);
  };
  for (const [label, start, end] of constituents ?? []) {
    const [first, last] = [start - 1, (end ?? words.length) - 1];
    while (around.length && around.at(-1)!.last < first) close();
    takeWords(first);
    const isStable = end !== null && end <= stable_upto;
    const phrase: Growing = { label, first, last, isOpen: end === null, isStable, height: 1, children: [] };
    childrenNow().push(phrase);
    around.push(phrase);
  }
  while (around.length) close();
  takeWords(words.length);
  return tops;
}

/** All phrases of a list, outer ones first. */
export function allPhrases(children: readonly (Phrase | number)[]): Phrase[] {
  return children.flatMap((child) => (typeof child === "number" ? [] : [child, ...allPhrases(child.children)]));
}

/** The sentence in brackets, as treebanks of phrases have it; phrases that are open end with the last word. */
export function bracketsOf(analysis: TreeAnalysis): string {
  const leaf = (place: number) => {
    const { form, tag } = analysis.words[place]!;
    return `(${inBrackets(tag || "_")} ${inBrackets(form)})`;
  };
  const written = (child: Phrase | number): string =>
    typeof child === "number" ? leaf(child) : `(${child.label} ${child.children.map(written).join(" ")})`;
  return `(ROOT ${phrasesOf(analysis).map(written).join(" ")})\n`;
}

const SPELT: Record<string, string> = { "(": "-LRB-", ")": "-RRB-" };

function inBrackets(text: string): string {
  return text.replace(/[()]/g, (bracket) => SPELT[bracket]!).replace(/\s/g, "_");
}
