/** Changes of the text of a grammar: examples of a constraint, and exceptions to it. No DOM in it. */

/** A token of the language: spaces and comments, a quoted text, or anything else. */
const TOKEN = /\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|[^\W\d]\w*|./gsu;
const ITEMS = new Set(["include", "section", "set", "constraint", "define", "table", "tags", "penalty"]);
const AFTER_FORMULA = new Set(["marks", "says", "right", "wrong"]);
const QUOTED = /"(?:[^"\\\n]|\\.)*"/gu;
/** What exceptions of a constraint begin with, and all of them. */
const OR_X = " or X.lower ";
const EXCEPTIONS = new RegExp(
  `^${OR_X.replace(".", "\\.")}(?:= ${QUOTED.source}|in \\{${QUOTED.source}(?:, ${QUOTED.source})*\\})$`,
  "u",
);

/** Where a constraint stands: its formula, and all of it with its examples. */
export interface ConstraintPlace {
  readonly from: number;
  readonly formula: number;
  readonly formulaEnd: number;
  readonly end: number;
}

interface Token {
  readonly text: string;
  readonly from: number;
}

/** The place of a constraint in a text; null if it is included, or written otherwise. */
export function placeOf(text: string, name: string): ConstraintPlace | null {
  const tokens = tokensOf(text);
  const first = tokens.findIndex(
    ({ text: word }, place) => word === "constraint" && isNamed(tokens[place + 1]?.text, name),
  );
  if (first < 0) return null;
  const own = tokens.slice(first + 2);
  const next = own.findIndex(({ text: word }, place) => ITEMS.has(word) && !isPenaltyOfHead(own, place));
  const within = next < 0 ? own : own.slice(0, next);
  const colon = within.findIndex((token) => token.text === ":");
  const last = within.at(-1);
  if (colon < 0 || !last) return null;
  const tail = within.findIndex(({ text: word }, place) => place > colon && AFTER_FORMULA.has(word));
  const lastOfFormula = within[(tail < 0 ? within.length : tail) - 1]!;
  return {
    from: tokens[first]!.from,
    formula: within[colon]!.from + 1,
    formulaEnd: lastOfFormula.from + lastOfFormula.text.length,
    end: last.from + last.text.length,
  };
}

/** In the head of a constraint `penalty` is no item of its own. */
function isPenaltyOfHead(own: readonly Token[], place: number): boolean {
  return place === 0 && own[0]!.text === "penalty";
}

function tokensOf(text: string): Token[] {
  const found = [...text.matchAll(TOKEN)].map((match) => ({ text: match[0], from: match.index }));
  return found.filter(({ text: word }) => !/^(?:\s|#)/.test(word));
}

function isNamed(word: string | undefined, name: string): boolean {
  return word === name || word === quoted(name);
}

export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** The text with a sentence that keeps a constraint, or that breaks it; null if it is not there. */
export function withExample(text: string, name: string, kind: "right" | "wrong", sentence: string): string | null {
  const place = placeOf(text, name);
  return place && `${text.slice(0, place.end)}\n    ${kind} ${quoted(sentence)}${text.slice(place.end)}`;
}

/** The text with a constraint that holds where X is a word, whatever else it says; null if it is not there. */
export function withException(text: string, name: string, word: string): string | null {
  const place = placeOf(text, name);
  if (!place) return null;
  const formula = text.slice(place.formula, place.formulaEnd).trim();
  return `${text.slice(0, place.formula)} ${excepting(formula, quoted(folded(word)))}${text.slice(place.formulaEnd)}`;
}

/** A formula that holds for one more word: exceptions made here before get longer, and are not nested. */
function excepting(formula: string, word: string): string {
  const close = closeOfFirst(formula);
  const before = EXCEPTIONS.test(formula.slice(close)) ? formula.slice(close + OR_X.length) : "";
  const own = before ? formula.slice(0, close) : `(${formula})`;
  const words = [...new Set([...(before.match(QUOTED) ?? []), word])];
  return `${own}${OR_X}${words.length === 1 ? `= ${word}` : `in {${words.join(", ")}}`}`;
}

/** The place behind the parenthesis that closes the one with which a formula begins. */
function closeOfFirst(formula: string): number {
  let depth = 0;
  for (const { text: token, from } of tokensOf(formula)) {
    depth += Number(token === "(") - Number(token === ")");
    if (depth === 0) return from + token.length;
  }
  return formula.length;
}

/** A word as `X.lower` has it, case-folded. */
function folded(word: string): string {
  return [...word.toLowerCase()].map((one) => one.toUpperCase().toLowerCase()).join("");
}

/** The text in which a constraint of an included grammar counts no longer. */
export function withoutConstraint(text: string, name: string): string {
  return `${text.trimEnd()}\n\npenalty ${quoted(name)} 1\n`;
}

/** Where a line and a column are, counted from 1. */
export function positionOf(text: string, line: number, column: number): number {
  const before = text.split("\n").slice(0, line - 1);
  const start = before.reduce((length, one) => length + one.length + 1, 0);
  const characters = [...(text.slice(start).split("\n")[0] ?? "")].slice(0, column - 1);
  return Math.min(start + characters.join("").length, text.length);
}
