/** Sentences of a CoNLL-U file: their words with heads, their text, and their part of the file as it stands. */

import { withoutControls } from "../client/index.ts";
import type { GoldSentence, GoldWord } from "./practice_sentences.ts";

export interface FileSentence extends GoldSentence {
  /** All that the file has of it, comments and blank lines included; together they are the file. */
  readonly source: string;
}

/** The sentences of a file in their order; a RangeError names the line that cannot be read. */
export function sentencesOfConllu(file: string, group: string): FileSentence[] {
  const sentences: FileSentence[] = [];
  let pending = ""; // of the file, without words of its own
  for (const { source, from } of blocksOf(file)) {
    const sentence = sentenceOf(source, from, group);
    pending += source;
    if (!sentence.text) continue;
    sentences.push({ ...sentence, source: pending });
    pending = "";
  }
  const last = sentences.pop();
  return last ? [...sentences, { ...last, source: last.source + pending }] : [];
}

/** The file in pieces, each up to the next line that follows a blank one; `from` counts lines from 1. */
function blocksOf(file: string): { source: string; from: number }[] {
  const blocks: { source: string; from: number }[] = [];
  let isInside = false;
  for (const [index, line] of (file.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const isBlank = line.trim() === "";
    if (blocks.length === 0 || (!isBlank && !isInside)) blocks.push({ source: "", from: index + 1 });
    blocks.at(-1)!.source += line;
    isInside = !isBlank;
  }
  return blocks;
}

function sentenceOf(source: string, from: number, group: string): GoldSentence {
  const lines = source.replace(/^\uFEFF/, "").split(/\r?\n/);
  const isRow = (line: string) => line.trim() !== "" && !line.startsWith("#");
  const columns = lines.flatMap((line, index) => (isRow(line) ? [columnsOf(line, from + index)] : []));
  const told = lines.map((line) => /^#\s*text\s*=\s*(.*)$/.exec(line)?.[1]).find((text) => text !== undefined);
  const words = columns.filter(([id]) => /^\d+$/.test(id!)).map(wordOf);
  const text = words.length ? asLine(told ?? "") || asLine(textOf(columns)) : "";
  return { text, group, lang: "", words };
}

/** As a line of an editor. */
function asLine(text: string): string {
  return withoutControls(text).replaceAll("\n", " ").trim();
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
  return pieces.join("");
}
