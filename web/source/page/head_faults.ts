/** Heads of a file that make no tree, in words. */

import { text } from "./texts.ts";
import { listed } from "../texts/texts.ts";

export interface NumberedWord {
  readonly line: number;
  readonly id: number;
  readonly form: string;
  /** Null where it is not known. */
  readonly head: number | null;
}

export interface Fault {
  readonly told: string;
  /** Whether no parser could make these arcs. */
  readonly isForbidding: boolean;
}

const MOST_NAMED = 5;

/** The first thing that is wrong; null if nothing is. */
export function faultOf(words: readonly NumberedWord[]): Fault | null {
  const told = misnumbered(words) ?? outside(words) ?? circle(words);
  return told ? { told, isForbidding: true } : severalRoots(words);
}

function misnumbered(words: readonly NumberedWord[]): string | null {
  const word = words.find(({ id }, index) => id !== index + 1);
  if (!word) return null;
  const [number, expected] = [String(word.id), String(words.indexOf(word) + 1)];
  return text("fault.number", { line: String(word.line), number, expected });
}

function outside(words: readonly NumberedWord[]): string | null {
  const word = words.find(({ head }) => head !== null && head > words.length);
  if (!word) return null;
  const head = String(word.head);
  return text("fault.outside", { line: String(word.line), form: quoted(word), head, count: words.length });
}

function circle(words: readonly NumberedWord[]): string | null {
  const found = circleIn(words.map(({ head }) => head));
  return found && circleTold(found.map((number) => words[number - 1]!));
}

/** Words whose heads go round in a circle, by their numbers; null if there are none. */
export function circleIn(heads: readonly (number | null)[]): number[] | null {
  const isDone = new Set<number>();
  for (let start = 1; start <= heads.length; start++) {
    const way: number[] = [];
    for (let at = start; at && at <= heads.length && !isDone.has(at); at = heads[at - 1] ?? 0) {
      if (way.includes(at)) return way.slice(way.indexOf(at));
      way.push(at);
    }
    for (const number of way) isDone.add(number);
  }
  return null;
}

function circleTold([first, ...others]: readonly NumberedWord[]): string {
  const line = String(first!.line);
  if (!others.length) return text("fault.own", { line, form: quoted(first!) });
  return text("fault.circle", { line, forms: named([first!, ...others]) });
}

function severalRoots(words: readonly NumberedWord[]): Fault | null {
  const roots = words.filter(({ head }) => head === 0);
  if (roots.length < 2) return null;
  const told = text("fault.roots", { line: String(roots[1]!.line), forms: named(roots), count: roots.length });
  return { told, isForbidding: false };
}

function named(words: readonly NumberedWord[]): string {
  return namedFirst(words.map(quoted), MOST_NAMED);
}

/** The first of some names, and how many more there are. */
export function namedFirst(names: readonly string[], most: number): string {
  if (names.length <= most) return listed(names);
  return text("list.more", { forms: names.slice(0, most).join(", "), count: names.length - most });
}

function quoted({ form }: NumberedWord): string {
  return text("quoted.plain", { form });
}
