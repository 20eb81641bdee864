/** Sentences of a CoNLL-U file: their words with heads, and their text. */

import type { GoldSentence, GoldWord } from "./practice_sentences.ts";

/** The sentences of a file in their order; a RangeError names the line that cannot be read. */
export function sentencesOfConllu(file: string, group: string): GoldSentence[] {
  const lines = file.replace(/^\uFEFF/, "").split(/\r?\n/);
  const blocks: { from: number; lines: string[] }[] = [];
  let isInside = false;
  for (const [index, line] of lines.entries()) {
    if (line.trim() && !isInside) blocks.push({ from: index + 1, lines: [] });
    isInside = line.trim() !== "";
    if (isInside) blocks.at(-1)!.lines.push(line);
  }
  return blocks.map((block) => sentenceOf(block.lines, block.from, group)).filter(({ words }) => words.length > 0);
}

function sentenceOf(lines: readonly string[], from: number, group: string): GoldSentence {
  const rows = lines.map((line, index) => ({ line, number: from + index })).filter(({ line }) => !line.startsWith("#"));
  const columns = rows.map(({ line, number }) => columnsOf(line, number));
  const told = lines.map((line) => /^#\s*text\s*=\s*(.*)$/.exec(line)?.[1]).find((text) => text !== undefined);
  const words = columns.filter(([id]) => /^\d+$/.test(id!)).map(wordOf);
  return { text: told?.trim() || textOf(columns), group, lang: "", words };
}

function columnsOf(line: string, number: number): string[] {
  const columns = line.split("\t");
  if (columns.length !== 10)
    throw new RangeError(`line ${number} has ${columns.length} columns and not 10: open a CoNLL-U file`);
  return columns;
}

function wordOf(columns: readonly string[]): GoldWord {
  const head = /^\d+$/.test(columns[6]!) ? Number(columns[6]) : null;
  return { form: columns[1]!, head, label: columns[7]! };
}

/** The surface text: tokens of several words count as one. */
function textOf(rows: readonly string[][]): string {
  let covered = 0;
  const pieces = rows.flatMap(([id, form, , , , , , , , misc]) => {
    const [first, last] = id!.split("-").map(Number) as [number, number?];
    if (id!.includes(".") || (last === undefined && first <= covered)) return [];
    covered = last ?? covered;
    return [form! + (misc!.split("|").includes("SpaceAfter=No") ? "" : " ")];
  });
  return pieces.join("").trim();
}
