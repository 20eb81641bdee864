/** Hints for the next step, in three steps: the first one nudges, the second one names words, the third one tells. No DOM. */

import type { StepsMessage } from "../client/index.ts";
import { edgeOf } from "../page/configurations.ts";
import type { GoldWord } from "./practice_sentences.ts";

export const MOST_STEP_HINTS = 3;

/** Whether an arc of the tree can be made, it is too early for one, or a word goes that cannot have its arc. */
export type Nudge = "ready" | "early" | "aside";

type Place = Pick<StepsMessage, "stack" | "front" | "optimal" | "choices">;

export function nudgeOf(place: Place, words: readonly GoldWord[]): Nudge {
  const edges = place.optimal.flatMap((step) => edgeOf(step, place) ?? []);
  if (edges.some(({ head, child }) => words[child - 1]?.head === head)) return "ready";
  return place.optimal.includes("shift") ? "early" : "aside";
}

/** The numbers of the words that decide: those of an arc that is to be made, or else of one that must not be lost. */
export function wordsConcerned(place: Place, words: readonly GoldWord[]): number[] {
  if (nudgeOf(place, words) !== "early") return place.stack.slice(-2);
  const lost = place.choices.flatMap(({ loses }) => loses)[0] ?? [];
  const numbers = lost.filter((node) => typeof node === "number").sort((one, other) => one - other);
  return numbers.length ? numbers : [place.front];
}
