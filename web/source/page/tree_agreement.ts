/** How far two trees over the same words agree. No DOM in it. */

import { text } from "./texts.ts";
import { percent } from "../texts/texts.ts";

export interface Attached {
  readonly head?: unknown;
  readonly label?: string | null;
}

export interface Agreement {
  /** Words whose heads are known. */
  readonly words: number;
  /** Of those, how many have the same head, and how many the same label, too. */
  readonly heads: number;
  readonly arcs: number;
  /** The numbers of the others, from 1 on. */
  readonly differing: readonly number[];
}

/** Below this confidence an arc is doubtful, where nothing else is asked for. */
export const UNSURE = 0.5;

export const NONE: Agreement = { words: 0, heads: 0, arcs: 0, differing: [] };

/** Words whose heads are not known in the first tree do not count. */
export function agreementOf(right: readonly Attached[], other: readonly Attached[]): Agreement {
  const known = right.flatMap((word, index) => (typeof word.head === "number" ? [{ word, index }] : []));
  const heads = known.filter(({ word, index }) => word.head === other[index]?.head);
  const arcs = heads.filter(({ word, index }) => word.label === other[index]?.label);
  const same = new Set(arcs.map(({ index }) => index));
  const differing = known.filter(({ index }) => !same.has(index)).map(({ index }) => index + 1);
  return { words: known.length, heads: heads.length, arcs: arcs.length, differing };
}

/** Whether one of the arcs of some words is less sure than a bound. */
export function isUnsure(words: readonly { readonly confidence?: number | null }[], bound = UNSURE): boolean {
  return words.some(({ confidence }) => typeof confidence === "number" && confidence < bound);
}

export function sumOf(one: Agreement, other: Agreement): Agreement {
  const { words, heads, arcs } = one;
  return { words: words + other.words, heads: heads + other.heads, arcs: arcs + other.arcs, differing: [] };
}

/** Shares of words with the right head, and with head and label. */
export function scoresTold({ words, heads, arcs }: Agreement): string {
  const told = (count: number) =>
    text("agreement.share", { percent: percent(count / Math.max(1, words), 1), count, words });
  return text("agreement.scores", { uas: told(heads), las: told(arcs) });
}
