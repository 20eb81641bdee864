/** Configurations of the parser: what a message of next steps says about the stack, the input and the steps made. */

import type { StepName, StepsMessage } from "../client/index.ts";
import { text } from "./texts.ts";

export const STEP_NAMES: readonly StepName[] = ["shift", "reduce_left", "reduce_right"];

export function stepTitle(step: StepName): string {
  return text(`step.${step}`);
}

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
  return step === "shift" && message.wait ? text("step.wait") : stepTitle(step);
}

/** Why a step cannot be made here; empty if it can. */
export function obstacleTo(step: StepName, message: StepsMessage): string {
  if (step === "shift" && message.wait) return text("obstacle.wait");
  if (message[step] !== null) return "";
  const about = { step: stepTitle(step) };
  if (step === "shift") return text("obstacle.empty", about);
  if (step === "reduce_left" && message.stack.length === 2) return text("obstacle.root-last", about);
  return text(message.stack.length < 2 ? "obstacle.two" : "obstacle.root", about);
}

/** No step is legal any more. */
export function isFinal(message: StepsMessage): boolean {
  return STEP_NAMES.every((step) => message[step] === null);
}

export function remainingWords({ front, n }: Pick<StepsMessage, "front" | "n">): number[] {
  return Array.from({ length: n + 1 - front }, (_, index) => front + index);
}
