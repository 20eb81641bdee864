/** Configurations of the parser: what a message of next steps says about the stack, the input and the steps made. */

import type { StepName, StepsMessage } from "../client/index.ts";

export const STEP_NAMES: readonly StepName[] = ["shift", "reduce_left", "reduce_right"];

export const STEP_TITLES: Readonly<Record<StepName, string>> = {
  shift: "Shift",
  reduce_left: "Reduce left",
  reduce_right: "Reduce right",
};

export interface Edge {
  readonly head: number;
  readonly child: number;
}

/** The edge that a step makes; null for a shift. */
export function edgeOf(step: StepName, { stack }: Pick<StepsMessage, "stack">): Edge | null {
  const [below, top] = stack.slice(-2) as [number, number];
  if (step === "shift") return null;
  return step === "reduce_left" ? { head: below, child: top } : { head: top, child: below };
}

/** Why a step cannot be made here; empty if it can. */
export function obstacleTo(step: StepName, message: StepsMessage): string {
  if (message[step] !== null) return "";
  const title = `${STEP_TITLES[step]} is not possible here`;
  if (step === "shift") return `${title}: no word is left.`;
  if (message.stack.length < 2) return `${title}: it takes two words on the stack.`;
  return `${title}: the root cannot hang on a word.`;
}

/** No step is legal any more. */
export function isFinal(message: StepsMessage): boolean {
  return STEP_NAMES.every((step) => message[step] === null);
}

export function remainingWords({ front, n }: Pick<StepsMessage, "front" | "n">): number[] {
  return Array.from({ length: n + 1 - front }, (_, index) => front + index);
}
