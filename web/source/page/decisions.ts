/**
 * What somebody has decided about words of a text: heads, labels and tags, each at its word. As on the server, a
 * decision ends with an edit of its word, and that of a head with an edit of the head. No DOM in it.
 */

import type { Change, PlacedSentence, Span, WordView } from "../client/index.ts";

/** A word in the text: its span, and its place among the words that share the span. */
export interface Anchor {
  readonly from: number;
  readonly to: number;
  readonly place: number;
}

export interface Decision extends Anchor {
  /** Null where it is open. */
  readonly head: Anchor | "root" | null;
  readonly label: string | null;
  readonly tag: string | null;
}

/** In the order of the text. */
export type Decisions = readonly Decision[];

/** Of one word, by numbers of words; what is null is open. */
export interface WordDecision {
  readonly head: number | null;
  readonly label: string | null;
  readonly tag: string | null;
}

export type ByNumber = ReadonlyMap<number, WordDecision>;

/** What is changed of the decision about a word; null frees, and what is left out stays. */
export type WordChange = Partial<WordDecision>;

/** As the protocol has it. */
export interface Fix {
  readonly heads: Record<string, number | null>;
  readonly labels: Record<string, string | null>;
  readonly tags: Record<string, string | null>;
}

export const OPEN: WordDecision = { head: null, label: null, tag: null };

/** The words of a sentence. */
export function anchorsOf({ from: start, words }: { from: number; words: readonly Span[] }): Anchor[] {
  let place = 0;
  return words.map(({ from, to }, index) => {
    const before = words[index - 1];
    place = before?.from === from && before.to === to ? place + 1 : 0;
    return { from: start + from, to: start + to, place };
  });
}

/** The decisions about the words of a sentence, by their places in it from 1 on. */
export function decisionsIn(decisions: Decisions, sentence: Pick<PlacedSentence, "from" | "to" | "words">): ByNumber {
  const near = decisions.filter(({ from, to }) => from < sentence.to && to > sentence.from);
  if (!near.length) return new Map();
  const anchors = anchorsOf(sentence);
  const numbers = new Map(anchors.map((anchor, index) => [keyOf(anchor), index + 1]));
  const found = near.flatMap((one): [number, WordDecision][] => {
    const number = numbers.get(keyOf(one));
    const head = one.head === "root" ? 0 : one.head && (numbers.get(keyOf(one.head)) ?? null);
    return number === undefined ? [] : [[number, { head, label: one.label, tag: one.tag }]];
  });
  return new Map(found.filter(([, one]) => !isOpen(one)));
}

/** The decisions with others about some words of a sentence. */
export function withChanges(
  decisions: Decisions,
  sentence: Pick<PlacedSentence, "from" | "words">,
  changes: ReadonlyMap<number, WordChange>,
): Decisions {
  const anchors = anchorsOf(sentence);
  const others = new Map(decisions.map((one) => [keyOf(one), one]));
  for (const [number, change] of changes) {
    const anchor = anchors[number - 1];
    if (!anchor) continue;
    const before = others.get(keyOf(anchor)) ?? { ...anchor, ...OPEN, head: null };
    const head = change.head === undefined ? before.head : headOf(change.head, anchors);
    const { label = before.label, tag = before.tag } = change;
    others.set(keyOf(anchor), { ...anchor, head, label, tag });
  }
  return sorted([...others.values()].filter((one) => !isOpen(one)));
}

/** The decisions after a change of the text. */
export function mapDecisions(decisions: Decisions, change: Change): Decisions {
  const mapped = decisions.flatMap((one) => {
    const word = mapAnchor(one, change);
    const head = one.head === null || one.head === "root" ? one.head : mapAnchor(one.head, change);
    if (word === one && head === one.head) return one;
    const moved = word && { ...one, ...placeOf(word), head };
    return moved && !isOpen(moved) ? moved : [];
  });
  return mapped.length === decisions.length && mapped.every((one, index) => one === decisions[index])
    ? decisions
    : mapped;
}

function mapAnchor<Kind extends Anchor>(anchor: Kind, { from, to, inserted }: Change): Kind | null {
  if (anchor.to <= from) return anchor;
  const by = inserted - (to - from);
  return to <= anchor.from ? { ...anchor, from: anchor.from + by, to: anchor.to + by } : null;
}

// --- the server -------------------------------------------------------------------------------------------

/** What an analysis says that is fixed. */
export function heldBy(words: readonly WordView[]): ByNumber {
  const held = words.flatMap(({ fixed, head, label, tag }, index): [number, WordDecision][] => {
    if (!fixed?.length) return [];
    const number = typeof head === "number" ? head : null;
    return [
      [
        index + 1,
        {
          head: fixed.includes("head") ? number : null,
          label: fixed.includes("label") ? label : null,
          tag: fixed.includes("tag") ? tag : null,
        },
      ],
    ];
  });
  return new Map(held);
}

/** What leads from one to the other; null where they are the same. */
export function fixBetween(held: ByNumber, wanted: ByNumber): Fix | null {
  const fix: Fix = { heads: {}, labels: {}, tags: {} };
  let isSame = true;
  for (const number of new Set([...held.keys(), ...wanted.keys()])) {
    const [before, after] = [held.get(number) ?? OPEN, wanted.get(number) ?? OPEN];
    if (before.head !== after.head) fix.heads[number] = after.head;
    if (before.label !== after.label) fix.labels[number] = after.label;
    if (before.tag !== after.tag) fix.tags[number] = after.tag;
    isSame &&= before.head === after.head && before.label === after.label && before.tag === after.tag;
  }
  return isSame ? null : fix;
}

// --- keeping ----------------------------------------------------------------------------------------------

/** As numbers and names, to be kept: the word, its head with -1 for none and -2 for the root, label and tag. */
export type KeptDecision = readonly [number, number, number, number, number, number, string | null, string | null];

export function keptDecisions(decisions: Decisions): KeptDecision[] {
  return decisions.map(({ from, to, place, head, label, tag }) => {
    const [start, end, among] = head === null ? [-1, -1, 0] : head === "root" ? [-2, -2, 0] : keptAnchor(head);
    return [from, to, place, start, end, among, label, tag];
  });
}

/** Those of a text of some length. */
export function restoredDecisions(kept: readonly KeptDecision[] | undefined, length: number): Decisions {
  const restored = (kept ?? []).map(([from, to, place, start, end, among, label, tag]): Decision => {
    const head = start === -1 ? null : start === -2 ? "root" : { from: start, to: end, place: among };
    return { from, to, place, head, label, tag };
  });
  return sorted(restored.filter(({ to, head }) => to <= length && !(head && head !== "root" && head.to > length)));
}

function keptAnchor({ from, to, place }: Anchor): [number, number, number] {
  return [from, to, place];
}

function placeOf({ from, to, place }: Anchor): Anchor {
  return { from, to, place };
}

function headOf(number: number | null, anchors: readonly Anchor[]): Decision["head"] {
  if (number === null) return null;
  return number === 0 ? "root" : (anchors[number - 1] ?? null);
}

function isOpen({ head, label, tag }: { head: unknown; label: unknown; tag: unknown }): boolean {
  return head === null && label === null && tag === null;
}

function keyOf({ from, to, place }: Anchor): string {
  return `${from} ${to} ${place}`;
}

function sorted(decisions: readonly Decision[]): Decisions {
  return [...decisions].sort((one, other) => one.from - other.from || one.place - other.place);
}
