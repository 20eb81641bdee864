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

/** What a step is called here: a shift without a word to take is waiting. */
export function titleOf(step: StepName, message: StepsMessage): string {
  return step === "shift" && message.wait ? "Wait" : STEP_TITLES[step];
}

/** Why a step cannot be made here; empty if it can. */
export function obstacleTo(step: StepName, message: StepsMessage): string {
  if (step === "shift" && message.wait) return "The next word is not there yet: type it, and the parser goes on.";
  if (message[step] !== null) return "";
  const title = `${STEP_TITLES[step]} is not possible here`;
  if (step === "shift") return `${title}: no word is left.`;
  if (step === "reduce_left" && message.stack.length === 2)
    return `${title}: the root takes its only word last, when all others are attached.`;
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
