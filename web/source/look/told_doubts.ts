/** Doubts in words, for people who annotate. */

import { number } from "../texts/texts.ts";
import type { Arc, Doubt } from "./doubts.ts";
import { text, textWith } from "./texts.ts";

/** Pieces of a sentence; forms of words are elements, since their language may be another one. */
export type Told = readonly (string | HTMLElement)[];

/** Writes the form of a word, by its number. */
export type Quote = (number: number) => HTMLElement;

const MOST = 1000; // times: more is told as more than that
const EVEN = 1.05; // times, less is told as even

/** Which arc it is about. */
export function arcTold({ number, arc }: Doubt, quote: Quote): Told {
  return textWith("look.arc", { form: quote(number), place: inOne(placeTold(arc, quote)) });
}

/** What stands against it, and by how much; each in a sentence. */
export function reasonsTold(doubt: Doubt, quote: Quote): Told[] {
  const { rival, margin, constraint } = doubt;
  if (rival === null || margin === null) return [[text("look.alone")]];
  const place = inOne(placeTold(rival, quote));
  const times = Math.exp(Math.abs(margin));
  const against =
    times < EVEN
      ? textWith("look.even", { place })
      : textWith(margin > 0 ? "look.less" : "look.more", { place, times: timesTold(times) });
  return [against, ...(constraint === null ? [] : [[text("look.rule", { rule: constraint })]])];
}

function placeTold({ head, label }: Arc, quote: Quote): Told {
  if (head === 0) return [text("look.root")];
  if (typeof head === "number" && head > 0) return textWith("look.under", { head: quote(head), label: label ?? "_" });
  return [text("look.later", { label: label ?? "_" })];
}

function timesTold(times: number): string {
  if (times > MOST) return text("look.over", { most: MOST });
  return number(times, { maximumFractionDigits: times < 10 ? 1 : 0 });
}

function inOne(told: Told): HTMLElement {
  const place = document.createElement("span");
  place.append(...told);
  return place;
}
