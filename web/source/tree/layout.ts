/**
 * Where everything of a tree stands: a pure function of widths, arcs and the room there is.
 *
 * Words are broken into rows, each as wide as it may be, so a word's place depends on the words before it alone.
 * An arc that leaves its row is drawn to the edge and goes on from the edge of the next one; a margin beside the words
 * has room for the names of the words that such arcs go on to. Heights are in
 * levels: 1 + the highest arc nested inside, and more where two labels would meet. Which arc is nested in which is
 * a matter of the words that they join, not of what a row has of them: so arcs of a projective tree never cross.
 * Of two arcs that cross and go on in another row, the longer one is the higher one in both: so they cross once.
 * Each row has its own base line, on which y is 0; y grows downwards.
 */

import type { Source, TreeArc } from "./nodes.ts";

export interface Metrics {
  /** Between the base line of arcs and that of an arc one level higher. */
  readonly level: number;
  /** Room for a word and its tag below the base line. */
  readonly below: number;
  /** Between rows, and above the highest arc. */
  readonly gap: number;
  /** Between the ends of arcs at one word. */
  readonly stagger: number;
  /** How far a line bends. */
  readonly corner: number;
  /** Beyond the last word, for arcs that come from what is still to come. */
  readonly later: number;
  /** What a row has at least, so that the first arcs move nothing. */
  readonly leastLevels: number;
}

/** Between the base lines of a tag and of the lemma under it. */
export const LEMMA_DROP = 15;

export const METRICS: Metrics = { level: 22, below: 40, gap: 22, stagger: 9, corner: 9, later: 34, leastLevels: 3 };

/** With room for lemmas, whether they have come or not. */
export const METRICS_WITH_LEMMAS: Metrics = withLemmas(METRICS);

/** Of trees that take little room. */
export const COMPACT_METRICS: Metrics = { ...METRICS, level: 19, gap: 14, stagger: 7, later: 28, leastLevels: 2 };

export function withLemmas(metrics: Metrics): Metrics {
  return { ...metrics, below: metrics.below + LEMMA_DROP };
}

export interface ToLayOut {
  /** Of each node, the gap to its neighbours included. */
  readonly widths: readonly number[];
  readonly arcs: readonly TreeArc[];
  /** Of each arc's label. */
  readonly labelWidths: readonly number[];
  readonly width: number;
  readonly direction: "ltr" | "rtl";
  /** All words stand in one row, however wide that is. */
  readonly isInOneRow?: boolean;
  /** Beside the words of several rows, for the names of words in other rows; none if it is not said. */
  readonly margin?: number;
  /** Of each row as it was drawn before: it does not become lower, so that words stay where they are. */
  readonly levelsBefore?: readonly number[];
}

export interface PlacedNode {
  readonly row: number;
  /** The middle. */
  readonly x: number;
}

/** The part of an arc that lies in one row. */
export interface ArcPart {
  readonly arc: number;
  readonly row: number;
  readonly from: number;
  readonly to: number;
  /** Whether it stands on a word at its `from` and at its `to`; elsewhere it is open. */
  readonly standsAtFrom: boolean;
  readonly standsAtTo: boolean;
  readonly level: number;
  readonly y: number;
  /** Where the arrow is: at the dependent. */
  readonly arrow: number | null;
  readonly label: number | null;
  /** The label does not fit into the line, or the line is the root's. */
  readonly isLabelAbove: boolean;
}

export interface Row {
  /** Of the base line, from the top of the picture. */
  readonly y: number;
  readonly levels: number;
}

export interface TreeLayout {
  readonly nodes: readonly PlacedNode[];
  readonly parts: readonly ArcPart[];
  readonly rows: readonly Row[];
  readonly width: number;
  readonly height: number;
  /** The room for words below each base line. */
  readonly below: number;
}

/** A part before its height is known: its places in its row, infinite where it goes on beyond, and its arc's. */
interface Draft {
  readonly arc: number;
  readonly row: number;
  readonly first: number;
  readonly last: number;
  readonly left: number;
  readonly right: number;
  readonly hasLabel: boolean;
}

/** Between a label and whatever is beside it. */
const LABEL_GAP = 2;

/** Beyond the last word of any tree. */
const FAR = 1e6;

export function layOut(tree: ToLayOut, metrics: Metrics = METRICS): TreeLayout {
  const { margin = 0 } = tree;
  const nodes = placeNodes(tree.widths, tree.isInOneRow ? Infinity : tree.width, margin);
  const drafts = tree.arcs.flatMap((arc, index) => draftsOf(arc, index, nodes));
  const ends = staggered(tree, nodes, metrics);
  const edges = edgesWithLater(nodes, tree, metrics);
  const levels = levelsOf(drafts, tree, nodes);
  const rows = placeRows(nodes, drafts, levels, tree.levelsBefore ?? [], metrics);
  const middling = drafts.map((draft, index) => partOf(draft, levels[index]!, tree, ends, edges[draft.row]!, metrics));
  const parts = withLabelsBesideFeet(middling, tree.labelWidths, metrics);
  const width = Math.max(0, ...edges) + (edges.length > 1 ? margin : 0);
  const height = rows.length ? rows.at(-1)!.y + metrics.below : 0;
  const layout = { nodes, parts, rows, width, height, below: metrics.below };
  return tree.direction === "rtl" ? mirrored(layout, Math.max(width, tree.width)) : layout;
}

// --- words ------------------------------------------------------------------------------------------------

/** The nodes in rows, each row as full as it can be; nothing stands before the first one. */
export function placeNodes(widths: readonly number[], room: number, margin = 0): PlacedNode[] {
  let [row, start, x] = [0, 0, 0];
  return widths.map((width) => {
    if (x > start && x + width > room - margin) [row, start, x] = [row + 1, margin, margin];
    x += width;
    return { row, x: x - width / 2 };
  });
}

/** Where the last word of each row ends. */
function rowEdges(nodes: readonly PlacedNode[], widths: readonly number[]): number[] {
  const edges: number[] = [];
  nodes.forEach(({ row, x }, index) => (edges[row] = x + widths[index]! / 2));
  return edges;
}

/** The same with what comes after the words, where an arc needs that. */
function edgesWithLater(nodes: readonly PlacedNode[], tree: ToLayOut, metrics: Metrics): number[] {
  const withLater = new Set(tree.arcs.flatMap((arc) => (arc.source === "later" ? nodes[arc.dependent]!.row : [])));
  return rowEdges(nodes, tree.widths).map((edge, row) => edge + (withLater.has(row) ? metrics.later : 0));
}

// --- arcs in rows -----------------------------------------------------------------------------------------

function draftsOf(arc: TreeArc, index: number, nodes: readonly PlacedNode[]): Draft[] {
  const { dependent, source } = arc;
  const row = nodes[dependent]!.row;
  if (source === "root" || source === "later") {
    const last = source === "root" ? dependent : Infinity;
    return [{ arc: index, row, first: dependent, last, left: dependent, right: last, hasLabel: true }];
  }
  const [left, right] = [Math.min(dependent, source), Math.max(dependent, source)];
  const [top, bottom] = [nodes[left]!.row, nodes[right]!.row];
  return Array.from({ length: bottom - top + 1 }, (_, below) => ({
    arc: index,
    row: top + below,
    first: below === 0 ? left : -Infinity,
    last: top + below === bottom ? right : Infinity,
    left,
    right,
    hasLabel: top + below === row,
  }));
}

/** The level of each part: above all that is nested in it, and where it meets no other part and no other label. */
function levelsOf(drafts: readonly Draft[], tree: ToLayOut, nodes: readonly PlacedNode[]): number[] {
  const levels: number[] = Array(drafts.length).fill(0);
  const edges = rowEdges(nodes, tree.widths);
  const labels = drafts.map((draft) => labelSpan(draft, tree, nodes, edges));
  const doneInRows: number[][] = [];
  for (const index of inNestingOrder(drafts)) {
    const draft = drafts[index]!;
    const done = (doneInRows[draft.row] ??= []);
    let level = 1;
    for (const other of done) if (isBelow(drafts[other]!, draft)) level = Math.max(level, levels[other]! + 1);
    const meets = (other: number) =>
      levels[other] === level && (doCross(draft, drafts[other]!) || doMeet(labels[index]!, labels[other]!));
    while (done.some(meets)) level++;
    levels[index] = level;
    done.push(index);
  }
  return levels;
}

/** Parts of short arcs first; the root's arrow, which stands between the arcs of its word, after all others. */
function inNestingOrder(drafts: readonly Draft[]): number[] {
  const size = ({ left, right }: Draft) => (left === right ? Infinity : Math.min(right, FAR) - left);
  const order = (one: Draft, other: Draft) => (size(one) === size(other) ? 0 : size(one) - size(other));
  return drafts.map((_, index) => index).sort((one, other) => order(drafts[one]!, drafts[other]!));
}

/** Whether a part that comes first in the order of nesting is lower: nested, or crossed in more than one row. */
function isBelow(one: Draft, later: Draft): boolean {
  return isNested(one, later) || (goesOnWith(one, later) && doCrossAsEdges(one, later));
}

/** Whether both go on beyond one end of their row. */
function goesOnWith(one: Draft, other: Draft): boolean {
  return (one.first === -Infinity && other.first === -Infinity) || (one.last === Infinity && other.last === Infinity);
}

function doCrossAsEdges(one: Draft, other: Draft): boolean {
  const [left, right] = one.left < other.left ? [one, other] : [other, one];
  return left.left < right.left && right.left < left.right && left.right < right.right;
}

function isNested(inner: Draft, outer: Draft): boolean {
  if (outer.left === outer.right) return inner.left <= outer.left && outer.right <= inner.right;
  return outer.left <= inner.left && inner.right <= outer.right;
}

function doCross(one: Draft, other: Draft): boolean {
  return one.first < other.last && other.first < one.last;
}

function doMeet(one: Span | null, other: Span | null): boolean {
  return one !== null && other !== null && one.from < other.to && other.from < one.to;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function labelSpan(draft: Draft, tree: ToLayOut, nodes: readonly PlacedNode[], edges: readonly number[]): Span | null {
  if (!draft.hasLabel) return null;
  const [first, last] = [nodes[draft.first]?.x ?? tree.margin ?? 0, nodes[draft.last]?.x ?? edges[draft.row]!];
  const middle = labelPlace(draft, first, last, tree);
  const half = tree.labelWidths[draft.arc]! / 2 + LABEL_GAP;
  return { from: middle - half, to: middle + half };
}

/** The middle of a line, but not in the margin where the line is short and goes on beyond. */
function labelPlace({ arc, first, last }: Draft, from: number, to: number, tree: ToLayOut): number {
  const [middle, half] = [(from + to) / 2, tree.labelWidths[arc]! / 2];
  if (!tree.margin) return middle;
  if (!Number.isFinite(first)) return Math.max(middle, from + half);
  return Number.isFinite(last) ? middle : Math.min(middle, to - half);
}

// --- places on the words ----------------------------------------------------------------------------------

/** Where each arc stands on its dependent, and on its source if that is a word. */
interface Ends {
  readonly atDependent: number[];
  readonly atSource: number[];
}

/** A foot of an arc, which goes to the left or to the right as `order` says. */
interface Foot {
  readonly arc: number;
  readonly ends: number[];
  readonly order: number;
}

/** Arcs at one word stand beside each other, so that none crosses another one's foot. */
function staggered(tree: ToLayOut, nodes: readonly PlacedNode[], metrics: Metrics): Ends {
  const ends: Ends = { atDependent: [], atSource: [] };
  const feet: Foot[][] = nodes.map(() => []);
  tree.arcs.forEach(({ dependent, source }, arc) => {
    feet[dependent]!.push({ arc, ends: ends.atDependent, order: orderAt(dependent, placeOf(source, dependent)) });
    if (typeof source === "number") feet[source]!.push({ arc, ends: ends.atSource, order: orderAt(source, dependent) });
  });
  feet.forEach((atNode, node) => {
    atNode.sort((one, other) => one.order - other.order);
    const step = Math.min(metrics.stagger, (tree.widths[node]! - 12) / atNode.length);
    const start = nodes[node]!.x - ((atNode.length - 1) * step) / 2;
    atNode.forEach(({ arc, ends }, index) => (ends[arc] = start + index * step));
  });
  return ends;
}

function placeOf(source: Source, dependent: number): number {
  if (source === "root") return dependent;
  return source === "later" ? Infinity : source;
}

/** From left to right: arcs to the left, the near ones first; the root; arcs to the right, the far ones first. */
function orderAt(node: number, other: number): number {
  if (other === node) return 0;
  return other < node ? -1 / (node - other) : 1 / (other - node);
}

function partOf(draft: Draft, level: number, tree: ToLayOut, ends: Ends, edge: number, metrics: Metrics): ArcPart {
  const { arc, row, first, last, hasLabel } = draft;
  const { dependent } = tree.arcs[arc]!;
  const endAt = (node: number) => (node === dependent ? ends.atDependent : ends.atSource)[arc]!;
  const [standsAtFrom, standsAtTo] = [Number.isFinite(first), Number.isFinite(last)];
  const [from, to] = [standsAtFrom ? endAt(first) : (tree.margin ?? 0), standsAtTo ? endAt(last) : edge];
  const arrow = hasLabel ? endAt(dependent) : null;
  const label = hasLabel ? labelPlace(draft, from, to, tree) : null;
  const isLabelAbove = to - from < tree.labelWidths[arc]! + 2 * metrics.corner;
  return { arc, row, from, to, standsAtFrom, standsAtTo, level, y: -level * metrics.level, arrow, label, isLabelAbove };
}

// --- labels -----------------------------------------------------------------------------------------------

/** Labels off the middle of their arcs, where feet of arcs that cross them would go through; if there is room. */
function withLabelsBesideFeet(
  parts: readonly ArcPart[],
  labelWidths: readonly number[],
  metrics: Metrics,
): readonly ArcPart[] {
  return parts.map((part) => {
    const feet = part.label === null || part.isLabelAbove ? [] : feetThrough(part, parts);
    if (!feet.length) return part;
    const half = labelWidths[part.arc]! / 2 + LABEL_GAP;
    const bounds = [part.from + metrics.corner - LABEL_GAP, ...feet, part.to - metrics.corner + LABEL_GAP];
    return { ...part, label: freePlace(part.label!, bounds, half) ?? part.label };
  });
}

/** Where other arcs come down through a part, from left to right. */
function feetThrough(part: ArcPart, parts: readonly ArcPart[]): number[] {
  const higher = parts.filter(({ row, level }) => row === part.row && level > part.level);
  const feet = higher.flatMap(({ from, to, standsAtFrom, standsAtTo }) => [
    ...(standsAtFrom ? [from] : []),
    ...(standsAtTo ? [to] : []),
  ]);
  return feet.filter((x) => part.from < x && x < part.to).sort((one, other) => one - other);
}

/** The place nearest to the one wanted that is so far from all bounds, between the first and the last of them. */
function freePlace(wanted: number, bounds: readonly number[], away: number): number | null {
  let best: number | null = null;
  for (let index = 1; index < bounds.length; index++) {
    const [first, last] = [bounds[index - 1]! + away, bounds[index]! - away];
    if (first > last) continue;
    const place = Math.min(Math.max(wanted, first), last);
    if (best === null || Math.abs(place - wanted) < Math.abs(best - wanted)) best = place;
  }
  return best;
}

function placeRows(
  nodes: readonly PlacedNode[],
  drafts: readonly Draft[],
  levels: readonly number[],
  before: readonly number[],
  metrics: Metrics,
): Row[] {
  let y = 0;
  return Array.from({ length: (nodes.at(-1)?.row ?? -1) + 1 }, (_, row) => {
    const inRow = levels.filter((__, index) => drafts[index]!.row === row);
    const most = Math.max(metrics.leastLevels, before[row] ?? 0, ...inRow);
    y += metrics.gap + most * metrics.level + (row ? metrics.below : 0);
    return { y, levels: most };
  });
}

// --- right to left ----------------------------------------------------------------------------------------

function mirrored(layout: TreeLayout, width: number): TreeLayout {
  const flip = (x: number) => width - x;
  const flipped = (x: number | null) => (x === null ? null : flip(x));
  const nodes = layout.nodes.map((node) => ({ ...node, x: flip(node.x) }));
  const parts = layout.parts.map((part) => ({
    ...part,
    from: flip(part.to),
    to: flip(part.from),
    standsAtFrom: part.standsAtTo,
    standsAtTo: part.standsAtFrom,
    arrow: flipped(part.arrow),
    label: flipped(part.label),
  }));
  return { ...layout, nodes, parts, width };
}
