/** What steps do, by the words of their sentence: which arcs are lost, and a plan as a list. */

import type { AnalysisMessage, Head, PlannedView, ChoiceView, StepsMessage } from "../client/index.ts";
import { withQuotes } from "../extension/index.ts";
import { text } from "./texts.ts";
import { number } from "../texts/texts.ts";

/** What there is to know of the words of a sentence. */
export type StepWords = Pick<AnalysisMessage, "words" | "virtual">;

/** A node as people call it. */
export function nameOf(node: Head, { words, virtual }: StepWords): string {
  if (node === 0) return text("node.root");
  if (node === null || node === "later") return text("node.later");
  if (node > 0) return words[node - 1]?.form ?? String(node);
  const tag = virtual.find((one) => one.node === -node)?.tag;
  return tag === undefined ? text("node.word-to-come") : text("node.tag-to-come", { tag });
}

/** The arcs that a choice loses. */
export function lossesOf({ loses }: ChoiceView, words: StepWords): string {
  const arcs = loses.map(([head, child]) =>
    text("step.under", { child: nameOf(child, words), head: nameOf(head, words) }),
  );
  return arcs.length ? text("step.loses", { arcs: arcs.join(", ") }) : "";
}

/** How much a step attains: the correct arcs to be expected, where anything is expected. */
export function gainOf(step: ChoiceView["step"], message: StepsMessage): string {
  const count = message.expected ? message.expected[step] : message[step];
  if (count === null) return "";
  if (!message.expected) return text("step.attains", { count });
  return text("step.expected", { count: number(count, { minimumFractionDigits: 1, maximumFractionDigits: 1 }) });
}

export function fillPlan(list: HTMLElement, plan: readonly PlannedView[], lang: string): void {
  const items = plan.map(({ says }) => {
    const item = Object.assign(document.createElement("li"), { lang: "en" }); // as the server says it
    item.append(...withQuotes(says, lang));
    return item;
  });
  list.replaceChildren(...items);
}
