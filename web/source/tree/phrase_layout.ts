/**
 * Where phrases are drawn, as brackets over the words or as a tree above them: pure functions from widths to places.
 *
 * A phrase stands above all that it holds. What is open goes on to the right of the last word: a bracket has no end
 * there, and in a tree the innermost open phrase has a line to what is still to come. Brackets break with the rows of
 * words; a tree is one row, however wide.
 */

import { LEMMA_DROP, placeNodes, type PlacedNode } from "./layout.ts";
import { allPhrases, type Phrase } from "./phrases.ts";

export type PhraseShape = "brackets" | "tree";

export const PHRASE_METRICS = {
  /** Between a bracket and the one around it, and between the labels of a tree. */
  level: { brackets: 22, tree: 34 },
  /** Room for a word and its tag below the base line. */
  below: 40,
  /** Above the highest phrase, and between rows. */
  gap: 20,
  /** Beyond the last word, for what is open. */
  later: 34,
  /** Between brackets of neighbours, on either side. */
  inset: 5,
  foot: 6,
  /** From the base line of a tree's label to the lines above and below it. */
  labelTop: 11,
  labelBottom: 5,
} as const;

export interface ToLayOutPhrases {
  readonly shape: PhraseShape;
  readonly phrases: readonly (Phrase | number)[];
  /** Of each word, the gap to its neighbours included. */
  readonly widths: readonly number[];
  readonly width: number;
  readonly direction: "ltr" | "rtl";
  /** Whether there is room for lemmas. */
  readonly showsLemmas?: boolean;
}

/** A line with its path in the coordinates of the picture. */
export interface PhraseLine {
  readonly path: string;
  readonly isStable: boolean;
}

export interface PhraseLabel {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly isStable: boolean;
}

export interface PhraseLayout {
  readonly lines: readonly PhraseLine[];
  readonly labels: readonly PhraseLabel[];
  /** Of each word, the middle and the base line above it. */
  readonly words: readonly { readonly x: number; readonly y: number }[];
  /** Where what is still to come stands, in a tree that is open. */
  readonly later: { readonly x: number; readonly y: number } | null;
  readonly width: number;
  readonly height: number;
}

export const OPEN_MARK = "…";

export function layOutPhrases(given: ToLayOutPhrases): PhraseLayout {
  return given.shape === "brackets" ? layOutBrackets(given) : layOutTree(given);
}

/** Of the words, below their base line. */
export function roomBelow({ showsLemmas = false }: Pick<ToLayOutPhrases, "showsLemmas">): number {
  return PHRASE_METRICS.below + (showsLemmas ? LEMMA_DROP : 0);
}

/** Turns what is drawn from left to right, where the picture is to be read from right to left. */
function turned({ direction }: ToLayOutPhrases, width: number): (x: number) => number {
  return direction === "rtl" ? (x) => width - x : (x) => x;
}

// --- brackets ---------------------------------------------------------------------------------------------

/** The part of a phrase's bracket that lies in one row. */
interface Part {
  readonly phrase: Phrase;
  readonly row: number;
  readonly from: number;
  readonly to: number;
  readonly beginsHere: boolean;
  readonly endsHere: boolean;
}

function layOutBrackets(given: ToLayOutPhrases): PhraseLayout {
  const { widths, phrases } = given;
  const { level, gap, later } = PHRASE_METRICS;
  const below = roomBelow(given);
  const all = allPhrases(phrases);
  const isOpen = all.some((phrase) => phrase.isOpen);
  const nodes = placeNodes(widths, given.width - (isOpen ? later : 0));
  const parts = all.flatMap((phrase) => partsOf(phrase, nodes, widths));
  const rowCount = (nodes.at(-1)?.row ?? -1) + 1;
  const bases: number[] = [];
  for (let row = 0, y = 0; row < rowCount; row++) {
    const highest = Math.max(0, ...parts.filter((part) => part.row === row).map((part) => part.phrase.height));
    bases.push((y += gap + highest * level.brackets));
    y += below;
  }
  const edge = Math.max(0, ...nodes.map(({ x }, place) => x + widths[place]! / 2)) + (isOpen ? later : 0);
  const width = given.direction === "rtl" ? Math.max(edge, given.width) : edge;
  const flip = turned(given, width);
  const heightAt = (part: Part) => bases[part.row]! - part.phrase.height * level.brackets;
  return {
    lines: parts.map((part) => ({ path: bracketPath(part, heightAt(part), flip), isStable: part.phrase.isStable })),
    labels: parts.flatMap((part) => (part.beginsHere ? [bracketLabel(part, heightAt(part), flip)] : [])),
    words: nodes.map(({ row, x }) => ({ x: flip(x), y: bases[row]! })),
    later: null,
    width,
    height: rowCount ? bases.at(-1)! + below : 0,
  };
}

function partsOf(phrase: Phrase, nodes: readonly PlacedNode[], widths: readonly number[]): Part[] {
  const { inset, later } = PHRASE_METRICS;
  const [top, bottom] = [nodes[phrase.first]!.row, nodes[phrase.last]!.row];
  return Array.from({ length: bottom - top + 1 }, (_, index) => {
    const row = top + index;
    const places = nodes.flatMap((node, place) => (node.row === row ? [place] : []));
    const first = Math.max(phrase.first, places[0]!);
    const last = Math.min(phrase.last, places.at(-1)!);
    const [beginsHere, endsHere] = [row === top, row === bottom && !phrase.isOpen];
    const from = nodes[first]!.x - widths[first]! / 2 + (beginsHere ? inset : 0);
    const beyond = row === bottom && phrase.isOpen ? later : 0;
    const to = nodes[last]!.x + widths[last]! / 2 - (endsHere ? inset : 0) + beyond;
    return { phrase, row, from, to, beginsHere, endsHere };
  });
}

function bracketPath({ from, to, beginsHere, endsHere }: Part, y: number, flip: (x: number) => number): string {
  const foot = y + PHRASE_METRICS.foot;
  const start = beginsHere ? `M ${flip(from)} ${foot} V ${y}` : `M ${flip(from)} ${y}`;
  return `${start} H ${flip(to)}${endsHere ? ` V ${foot}` : ""}`;
}

function bracketLabel({ phrase, from, to }: Part, y: number, flip: (x: number) => number): PhraseLabel {
  return { text: textOf(phrase), x: flip((from + to) / 2), y: y + 3.5, isStable: phrase.isStable };
}

function textOf({ label, isOpen }: Phrase): string {
  return isOpen ? label + OPEN_MARK : label;
}

// --- trees ------------------------------------------------------------------------------------------------

function layOutTree(given: ToLayOutPhrases): PhraseLayout {
  const { widths, phrases } = given;
  const { level, gap, later } = PHRASE_METRICS;
  const below = roomBelow(given);
  const all = allPhrases(phrases);
  const nodes = placeNodes(widths, Infinity);
  const isOpen = all.some((phrase) => phrase.isOpen);
  const edge = widths.reduce((sum, width) => sum + width, 0);
  const width = edge + (isOpen ? later : 0);
  const base = gap + Math.max(0, ...all.map((phrase) => phrase.height)) * level.tree;
  const flip = turned(given, width);
  const [lines, labels]: [PhraseLine[], PhraseLabel[]] = [[], []];
  const yOf = (phrase: Phrase) => base - phrase.height * level.tree + PHRASE_METRICS.labelTop;
  const innermostOpen = all.findLast((phrase) => phrase.isOpen);
  /** Draws a phrase and all that it holds; returns the middle of its label. */
  const draw = (phrase: Phrase): number => {
    const ends = phrase.children.map((child) => {
      return typeof child === "number"
        ? { x: nodes[child]!.x, y: base, isStable: phrase.isStable }
        : { x: draw(child), y: yOf(child) - PHRASE_METRICS.labelTop, isStable: phrase.isStable };
    });
    if (phrase === innermostOpen) ends.push({ x: edge + later / 2, y: base, isStable: false });
    const x = (ends[0]!.x + ends.at(-1)!.x) / 2;
    const y = yOf(phrase);
    for (const end of ends) lines.push({ path: branchPath(x, y, end.x, end.y, flip), isStable: end.isStable });
    labels.push({ text: textOf(phrase), x: flip(x), y, isStable: phrase.isStable });
    return x;
  };
  for (const phrase of phrases) if (typeof phrase !== "number") draw(phrase);
  return {
    lines,
    labels,
    words: nodes.map(({ x }) => ({ x: flip(x), y: base })),
    later: isOpen ? { x: flip(edge + later / 2), y: base } : null,
    width,
    height: nodes.length ? base + below : 0,
  };
}

/** Aslant as far as the next level, then straight down: so no line meets the label of a neighbour. */
function branchPath(x: number, y: number, toX: number, toY: number, flip: (x: number) => number): string {
  const { level, labelTop, labelBottom } = PHRASE_METRICS;
  const knee = Math.min(toY, y + level.tree - labelTop);
  return `M ${flip(x)} ${y + labelBottom} L ${flip(toX)} ${knee}${toY > knee ? ` V ${toY}` : ""}`;
}
