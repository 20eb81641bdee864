/** How sure arcs are, as the weight of their lines. */

import type { TreeArc } from "./nodes.ts";

/** Of lines of which nothing is known or shown, in px. */
export const LINE_WIDTH = 1.5;
const WEIGHTS = [0.75, 1.25, 2, 3, 4]; // px
/** The probabilities at which the next weight begins. */
const BOUNDS = [0.5, 0.75, 0.9, 0.97];

type Judged = Pick<TreeArc, "confidence">;

/** The class of an arc, with a space before it; empty where nothing is known. */
export function weightOf({ confidence }: Judged): string {
  return confidence === null ? "" : ` sure-${stepOf(confidence)}`;
}

/** The width of its line in pictures. */
export function lineWidthOf({ confidence }: Judged): number {
  return confidence === null ? LINE_WIDTH : WEIGHTS[stepOf(confidence)]!;
}

function stepOf(confidence: number): number {
  return BOUNDS.filter((bound) => confidence >= bound).length;
}

export const SURENESS_STYLE = `
.arc { --weight: ${LINE_WIDTH}px; }
${WEIGHTS.map((width, step) => `.sure-${step} { --weight: ${width}px; }`).join("\n")}
`;
