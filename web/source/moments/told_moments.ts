/** Moments and what changed between them, in words. */

import type { Stage } from "../client/index.ts";
import { withQuotes } from "../extension/quotes.ts";
import { text as pageText } from "../page/texts.ts";
import { number } from "../texts/texts.ts";
import type { MomentChanges, NamedConstraint, NamedHead, WordChange } from "./moment_changes.ts";
import type { Moment } from "./moments.ts";
import { text, textWith, type MomentKey } from "./texts.ts";

export type Told = readonly (string | HTMLElement)[];

const MOST_TOLD = 50; // words that changed

/** When a moment was, and how far the parser had come. */
export function momentTold(moment: Moment, place: number, all: number): string {
  return text("moments.told", { place: place + 1, all, ...aboutOf(moment) });
}

/** The same, for a picture. */
export function captionOf(moment: Moment): string {
  return text("moments.caption", aboutOf(moment));
}

/** What the slider says. */
export function valueTold(moment: Moment, place: number, all: number): string {
  return `${momentTold(moment, place, all)} ${moment.text}`;
}

function aboutOf({ time, level, stage }: Moment): { seconds: string; level: string; stage: string } {
  const seconds = number(time / 1000, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return { seconds, level, stage: stageTold(stage) };
}

function stageTold(stage: Stage): string {
  return pageText(`stage.${stage}`);
}

/** How much changed, in a sentence. */
export function summaryTold({ words }: MomentChanges, { level }: Moment, isCompared: boolean): string {
  const key: MomentKey = words.length ? "moments.changed" : "moments.unchanged";
  const compared: MomentKey = words.length ? "moments.differ" : "moments.alike";
  return text(isCompared ? compared : key, { count: words.length, level });
}

/** All that changed, one by one; forms are in a language. */
export function changesTold(changes: MomentChanges, lang: string): Told[] {
  const form = (form: string) => formTold(form, lang);
  const forms = (list: readonly string[]) => listTold(list.map(form));
  const { come, gone, words, mended, broken } = changes;
  return [
    ...(come.length ? [textWith("moments.come", { forms: forms(come) })] : []),
    ...(gone.length ? [textWith("moments.gone", { forms: forms(gone) })] : []),
    ...words.slice(0, MOST_TOLD).flatMap((one) => wordTold(one, form)),
    ...mended.map((one) => textWith("moments.mended", { constraint: constraintTold(one, form, lang) })),
    ...broken.map((one) => textWith("moments.broken", { constraint: constraintTold(one, form, lang) })),
  ];
}

function wordTold(change: WordChange, form: (form: string) => HTMLElement): Told[] {
  const { before, after, isMoved, isRelabelled, isRetagged } = change;
  const own = { form: form(change.form) };
  const [head, was] = [headTold(after.head, form), headTold(before.head, form)];
  const labels = { label: after.label, before: before.label };
  return [
    ...(isMoved ? [textWith(movedKey(before.label, after.label), { ...own, head, was, ...labels })] : []),
    ...(isRelabelled && !isMoved ? [textWith(relabelledKey(before.label, after.label), { ...own, ...labels })] : []),
    ...(isRetagged
      ? [textWith("moments.retagged", { form: form(change.form), tag: after.tag, before: before.tag })]
      : []),
  ];
}

/** Words that hang on none, or on one to come, may have no label yet. */
function movedKey(before: string, after: string): MomentKey {
  if (before && after) return "moments.moved";
  return before ? "moments.moved.was-labelled" : after ? "moments.moved.labelled" : "moments.moved.bare";
}

function relabelledKey(before: string, after: string): MomentKey {
  if (before && after) return "moments.relabelled";
  return after ? "moments.relabelled.first" : "moments.relabelled.none";
}

function headTold(head: NamedHead, form: (form: string) => HTMLElement): string | HTMLElement {
  if (head.kind === "word") return form(head.name);
  if (head.kind === "expected") return text("moments.expected", { tag: head.name });
  return text(`moments.head.${head.kind}`);
}

function constraintTold(
  { constraint, message, forms }: NamedConstraint,
  form: (form: string) => HTMLElement,
  lang: string,
): HTMLElement {
  const told = document.createElement("span");
  if (message) {
    told.lang = "en"; // as the server says it
    told.append(...withQuotes(message, lang));
  } else told.append(constraint, ...(forms.length ? [" (", listTold(forms.map(form)), ")"] : []));
  return told;
}

function listTold(items: readonly HTMLElement[]): HTMLElement {
  const list = document.createElement("span");
  list.append(...items.flatMap((item, place) => (place ? [", ", item] : [item])));
  return list;
}

/** In quotes, and in its own direction. */
function formTold(form: string, lang: string): HTMLElement {
  return Object.assign(document.createElement("bdi"), { lang, textContent: pageText("quoted", { form }) });
}
