/** What steps do, by the words of their sentence: which arcs are lost, and a plan as a list. */

import type { Head, PlannedView, ChoiceView, StepsMessage } from "../client/index.ts";
import { withQuotes } from "../extension/quotes.ts";
import { text } from "./texts.ts";
import { language, number } from "../texts/texts.ts";

/** What there is to know of the words of a sentence. */
export interface StepWords {
  readonly words: readonly { readonly form: string }[];
  readonly virtual: readonly { readonly node: number; readonly tag: string }[];
}

type Told = Pick<PlannedView, "step" | "head" | "child" | "label" | "says">;

/** What a step does: in English as the server says it, in other languages by the codes of the step. */
export function stepTold(step: Told, taken: Head, words: StepWords): string {
  return language() === "en" ? step.says : toldByCodes(step, taken, words);
}

/** What a step does; the root's arc needs no label. */
export function toldByCodes({ step, head, child, label }: Omit<Told, "says">, taken: Head, words: StepWords): string {
  if (step === "shift")
    return text(isThere(taken) ? "step.told.take" : "step.told.wait", { word: marked(taken, words) });
  const about = { word: marked(child, words), head: marked(head, words) };
  if (head === 0) return text("step.told.root", { word: about.word });
  return label ? text("step.told.attach.as", { ...about, label }) : text("step.told.attach", about);
}

function isThere(node: Head): boolean {
  return typeof node === "number" && node > 0;
}

/** As quotes are marked: words stand between asterisks. */
export function marked(node: Head, words: StepWords): string {
  return isThere(node) ? `*${nameOf(node, words)}*` : nameOf(node, words);
}

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

export function fillPlan(list: HTMLElement, plan: readonly PlannedView[], words: StepWords, lang: string): void {
  const items = plan.map((planned) => {
    const item = document.createElement("li");
    item.append(...withQuotes(stepTold(planned, planned.word, words), lang));
    return item;
  });
  list.replaceChildren(...items);
}
