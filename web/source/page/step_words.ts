/** What steps do, by the words of their sentence: which arcs are lost, and a plan as a list. */

import type { AnalysisMessage, Head, PlannedView, ChoiceView, StepsMessage } from "../client/index.ts";
import { withQuotes } from "../extension/index.ts";

/** What there is to know of the words of a sentence. */
export type StepWords = Pick<AnalysisMessage, "words" | "virtual">;

/** A node as people call it. */
export function nameOf(node: Head, { words, virtual }: StepWords): string {
  if (node === 0) return "the root";
  if (node === null || node === "later") return "a word to come";
  if (node > 0) return words[node - 1]?.form ?? String(node);
  return `the ${virtual.find((one) => one.node === -node)?.tag ?? "word"} to come`;
}

/** The arcs that a choice loses. */
export function lossesOf({ loses }: ChoiceView, words: StepWords): string {
  const arcs = loses.map(([head, child]) => `${nameOf(child, words)} under ${nameOf(head, words)}`);
  return arcs.length ? `loses ${arcs.join(", ")}` : "";
}

/** How much a step attains: the correct arcs to be expected, where anything is expected. */
export function gainOf(step: ChoiceView["step"], message: StepsMessage): string {
  const count = message.expected ? message.expected[step] : message[step];
  if (count === null) return "";
  return message.expected ? `${count.toFixed(1)} correct arcs to be expected` : `attains ${count}`;
}

export function fillPlan(list: HTMLElement, plan: readonly PlannedView[], lang: string): void {
  const items = plan.map(({ says }) => {
    const item = document.createElement("li");
    item.append(...withQuotes(says, lang));
    return item;
  });
  list.replaceChildren(...items);
}
