/**
 * Names for arcs that go on beyond the end of their row, or out of the view: pure functions from a layout to the
 * words that are named, and the places of their names. So no arc ends in the air.
 */

import type { TreeLayout } from "./layout.ts";
import type { TreeArc } from "./nodes.ts";

/** An end of an arc's part at which its word is not to be seen. */
export interface OpenEnd {
  readonly arc: number;
  /** The place of the word that the arc goes on to; null for one that is still to come. */
  readonly node: number | null;
  readonly row: number;
  readonly level: number;
  /** Where the name begins, or where it ends. */
  readonly x: number;
  readonly begins: boolean;
  /** Of its middle, from the top of the picture. */
  readonly y: number;
  /** Where the label of the arc is, if its line may be too short to be read without it. */
  readonly label: number | null;
}

/** What of a picture is in view, from left to right. */
export interface View {
  readonly from: number;
  readonly to: number;
}

type Side = "left" | "right";

/** Between a line and a name, and between a name and the edge of the view. */
const GAP = 4;

/** Where arcs leave their rows; names stand in the margins, beyond the ends of lines. */
export function endsOfRows(layout: TreeLayout, arcs: readonly TreeArc[], isTurned: boolean): OpenEnd[] {
  return layout.parts.flatMap(({ arc, row, level, y, from, to, standsAtFrom, standsAtTo }) => {
    const about = { arc, row, level, y: layout.rows[row]!.y + y, label: null };
    const isLater = arcs[arc]!.source === "later";
    const end = (side: Side, x: number): OpenEnd => {
      const node = nodeBeyond(arcs[arc]!, side, isTurned);
      const isLeft = side === "left";
      if (isLater) return { ...about, node, x, begins: isLeft };
      return { ...about, node, x: isLeft ? x - GAP : x + GAP, begins: !isLeft };
    };
    return [...(standsAtFrom ? [] : [end("left", from)]), ...(standsAtTo ? [] : [end("right", to)])];
  });
}

/** Where arcs of a single row leave the view; names stand inside of it. */
export function endsOfView(layout: TreeLayout, arcs: readonly TreeArc[], isTurned: boolean, view: View): OpenEnd[] {
  return layout.parts.flatMap((part) => {
    const { arc, row, level, from, to, label } = part;
    const about = { arc, row, level, y: layout.rows[row]!.y + part.y };
    const end = (side: Side): OpenEnd => {
      const isLeft = side === "left";
      const x = isLeft ? view.from + GAP : view.to - GAP;
      return { ...about, node: nodeBeyond(arcs[arc]!, side, isTurned), x, begins: isLeft, label };
    };
    const leavesLeft = from < view.from && view.from + GAP < to;
    const leavesRight = from < view.to - GAP && view.to < to;
    return [...(leavesLeft ? [end("left")] : []), ...(leavesRight ? [end("right")] : [])];
  });
}

/** The place of an arc's word at its end on one side. */
function nodeBeyond({ dependent, source }: TreeArc, side: Side, isTurned: boolean): number | null {
  if (typeof source !== "number") return null;
  return (side === "right") === isTurned ? Math.min(dependent, source) : Math.max(dependent, source);
}
