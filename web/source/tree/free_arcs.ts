/** Arcs that are no part of a tree: over the words of any rows, wherever these stand. */

import type { TreeLayout } from "./layout.ts";

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Where arcs stand on a word. */
export function footOf(number: number, { nodes, rows }: TreeLayout): Place {
  const { x, row } = nodes[number - 1]!;
  return { x, y: rows[row]!.y };
}

export function curve(from: Place, to: Place): string {
  if (isUpright(from, to)) return `M ${from.x} ${from.y} L ${to.x} ${to.y - 5}`;
  const top = topOf(from, to);
  return `M ${from.x} ${from.y} C ${from.x} ${top} ${to.x} ${top} ${to.x} ${to.y - 5}`;
}

/** The middle of a curve. */
export function middleOf(from: Place, to: Place): Place {
  const y = isUpright(from, to) ? from.y : 0.75 * topOf(from, to) + 0.125 * (from.y + to.y - 5);
  return { x: (from.x + to.x) / 2, y };
}

function isUpright(from: Place, to: Place): boolean {
  return Math.abs(from.x - to.x) < 1;
}

function topOf(from: Place, to: Place): number {
  return Math.min(from.y, to.y) - 24 - 0.1 * Math.abs(from.x - to.x);
}
