/** Hints in three steps: the first one leaves fewer answers, the second one two or three, the third one tells. */

import { familyOf, type Family } from "./families.ts";

export type Narrowing = "before" | "after" | "near" | "far" | Family;

export interface Narrowed {
  /** How the right answer is told from those that are left out; for heads by place, for roles by what they do. */
  readonly by: Narrowing;
  readonly left: readonly number[];
}

const MOST_SHOWN = 3;

/** Leaves out one side of a word, or where that has no other words, the nearer or the further half; the root stays. */
export function narrowedHeads(word: number, right: number, heads: readonly number[]): Narrowed {
  const isAfter = right ? right > word : heads.filter((head) => head > word).length * 2 >= heads.length;
  const sided = heads.filter((head) => head === 0 || head > word === isAfter);
  if (sided.length < heads.length) return { by: isAfter ? "after" : "before", left: sided };
  const distances = heads.filter(Boolean).map((head) => Math.abs(head - word));
  const middle = distances.sort((one, other) => one - other)[Math.floor((distances.length - 1) / 2)] ?? 0;
  const isNear = !right || Math.abs(right - word) <= middle;
  const left = heads.filter((head) => head === 0 || Math.abs(head - word) <= middle === isNear);
  return { by: isNear ? "near" : "far", left };
}

/** Leaves the labels that do the same in a sentence, by their places in a list. */
export function narrowedRoles(right: number, labels: readonly string[]): Narrowed {
  const by = familyOf(labels[right]!);
  return { by, left: [...labels.keys()].filter((place) => familyOf(labels[place]!) === by) };
}

/** The right answer with the nearest of those that are left: three in all, or two where no more than that were left. */
export function fewest(right: number, left: readonly number[]): number[] {
  const others = left.filter((one) => one !== right);
  const most = Math.min(MOST_SHOWN, Math.max(2, left.length - 1)) - 1;
  const nearest = others.sort((one, other) => Math.abs(one - right) - Math.abs(other - right));
  return [right, ...nearest.slice(0, most)].sort((one, other) => one - other);
}
