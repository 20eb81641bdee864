/** The shapes of arcs as SVG paths, in the coordinates of their row. */

import { METRICS, type ArcPart } from "./layout.ts";

export const ARROW = "M 0 0 L -3.6 -7 L 3.6 -7 Z";
/** Lines end inside the arrow. */
const ARROW_HEIGHT = 5;

export function arcPath(part: ArcPart): string {
  if (part.from === part.to) return `M ${part.from} ${part.y} V ${-ARROW_HEIGHT}`;
  const corner = Math.min(METRICS.corner, (part.to - part.from) / 2, -part.y);
  const [left, right] = [part.from + corner, part.to - corner];
  const low = part.y + corner;
  const start = part.standsAtFrom
    ? `M ${part.from} ${foot(part, part.from)} V ${low} Q ${part.from} ${part.y} ${left} ${part.y}`
    : `M ${part.from} ${part.y}`;
  const end = part.standsAtTo
    ? `H ${right} Q ${part.to} ${part.y} ${part.to} ${low} V ${foot(part, part.to)}`
    : `H ${part.to}`;
  return `${start} ${end}`;
}

function foot(part: ArcPart, x: number): number {
  return part.arrow === x ? -ARROW_HEIGHT : 0;
}
