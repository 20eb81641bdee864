/** What learners have answered as CSV, for tables and statistics: a row for each answer, and for each hint. */

import type { KeptAnswer } from "./kept_answers.ts";

const BOM = "\uFEFF"; // without it, some programs for tables take letters with accents for others
const FORMULA = /^[=+@\t\r]|^-./s; // at the beginning of a cell, as such programs read it

const IN_QUOTES = /[",\r\n]/;

type Column = readonly [name: string, cell: (answer: KeptAnswer) => string | number];

const COLUMNS: readonly Column[] = [
  ["time", ({ time }) => new Date(time).toISOString()],
  ["practice", ({ practice }) => practice],
  ["language", ({ lang }) => lang],
  ["sentence", ({ sentence }) => sentence],
  ["attempt", ({ attempt }) => attempt],
  ["number", ({ number }) => number],
  ["word", ({ word }) => word],
  ["question", ({ question }) => question],
  ["answer", ({ answer }) => answer],
  ["expected", ({ expected }) => expected],
  ["right", ({ isRight }) => (isRight ? 1 : 0)],
];

export function csvOf(answers: readonly KeptAnswer[]): string {
  const rows = answers.map((answer) => COLUMNS.map(([, cell]) => cellOf(String(cell(answer)))));
  return BOM + [COLUMNS.map(([name]) => name), ...rows].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** Texts may come from files of others: none of them is to act as a formula. */
function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return IN_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
