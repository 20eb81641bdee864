/** Sentences of a CoNLL-U file: their words with heads, their text, and their part of the file as it stands. */

import { withoutControls, type Span } from "../client/index.ts";
import { faultOf } from "./head_faults.ts";
import type { GoldSentence, GoldWord } from "../practice/practice_sentences.ts";
import { text } from "./texts.ts";

/** A file that was opened, with its sentences. */
export interface ConlluFile {
  readonly name: string;
  readonly contents: string;
  readonly sentences: readonly FileSentence[];
  /** Why some of it cannot be read, with the lines: that is kept as it is, and not shown. */
  readonly unread: readonly string[];
}

export interface FileSentence extends GoldSentence {
  /** Its number in the file, counted from 0. */
  readonly place: number;
  /** How many words the file has before it. */
  readonly firstWord: number;
  /** All that the file has of it, comments and blank lines included; together they are the file, without its BOM. */
  readonly source: string;
  /** Where in that its own lines stand. */
  readonly own: Span;
  /** Where its tokens stand in its text; null for one that is not found there. */
  readonly tokens: readonly (Span | null)[];
  /** What is wrong with its heads, with the line; empty for a tree. */
  readonly fault: string;
}

/** A token as it stands on the page: a word, or several under a range. */
export interface FileToken {
  readonly form: string;
  /** The row of the range. */
  readonly range: Row | null;
  readonly words: readonly Row[];
  /** Behind its words. */
  readonly emptyNodes: readonly Row[];
}

/** The ten columns of a line. */
export type Row = readonly string[];

export const BOM = "\uFEFF";
export const [ID, FORM, TAG, HEAD, DEPREL, DEPS, MISC] = [0, 1, 3, 6, 7, 8, 9] as const;

/**
 * The file with its sentences in their order, or a part of it from a line on. A RangeError names the line that cannot
 * be read, where the file begins with one.
 */
export function conlluFile(name: string, contents: string, firstLine = 1): ConlluFile {
  const sentences: FileSentence[] = [];
  const unread: string[] = [];
  let pending = ""; // of the file, without words of its own
  let firstWord = 0;
  for (const { source, from } of blocksOf(contents.startsWith(BOM) ? contents.slice(1) : contents, firstLine)) {
    const broken = brokenLine(source, from);
    if (broken && from === 1) throw new RangeError(text("fault.no-file", { fault: broken }));
    if (broken) unread.push(broken);
    const own = { from: pending.length, to: pending.length + source.length };
    pending += source;
    const sentence = broken ? null : sentenceOf(source, from, name);
    if (!sentence?.text) continue;
    sentences.push({ ...sentence, source: pending, own, place: sentences.length, firstWord });
    firstWord += sentence.words.length;
    pending = "";
  }
  const last = sentences.pop();
  if (last) sentences.push({ ...last, source: last.source + pending });
  return { name, contents, sentences, unread };
}

/** The text of an editor that shows a file: sentences stand apart, so that none runs into the next. */
export function textOfFile({ sentences }: ConlluFile): string {
  return sentences.map(({ text }) => text).join("\n\n");
}

/** The tokens of a sentence with all their rows. */
export function tokensOf({ source, own }: Pick<FileSentence, "source" | "own">): FileToken[] {
  return tokensIn(rowsIn(source.slice(own.from, own.to)).map(({ columns }) => columns));
}

/** The part of the file with other cells in some rows, by the ids and columns of these; nothing else is touched. */
export function withCells(
  { source, own }: Pick<FileSentence, "source" | "own">,
  cells: ReadonlyMap<string, Cells>,
): string {
  const lines = source.slice(own.from, own.to).split("\n");
  const corrected = lines.map((line) => {
    const columns = line.split("\t");
    const now = line.startsWith("#") ? undefined : cells.get(columns[ID]!);
    return now ? columns.map((column, place) => now.get(place) ?? column).join("\t") : line;
  });
  return source.slice(0, own.from) + corrected.join("\n") + source.slice(own.to);
}

/** What stands in some columns of a row now. */
export type Cells = ReadonlyMap<number, string>;

/** What a sentence is called: by its id, or else by its number. */
export function nameOf({ source, place }: FileSentence): string {
  return /^#\s*sent_id\s*=\s*(.*?)\s*$/m.exec(source)?.[1] || `${place + 1}`;
}

/** The file in pieces, each up to the next line that follows a blank one; `from` counts lines from 1. */
function blocksOf(file: string, firstLine: number): { source: string; from: number }[] {
  const blocks: { source: string; from: number }[] = [];
  let isInside = false;
  for (const [index, line] of (file.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const isBlank = line.trim() === "";
    if (blocks.length === 0 || (!isBlank && !isInside)) blocks.push({ source: "", from: index + firstLine });
    blocks.at(-1)!.source += line;
    isInside = !isBlank;
  }
  return blocks;
}

type BareSentence = Omit<FileSentence, "source" | "own" | "place" | "firstWord">;

function sentenceOf(source: string, from: number, group: string): BareSentence {
  const rows = rowsIn(source).map(({ line, columns }) => ({ line: from + line, columns }));
  const told = /^#[^\S\n]*text[^\S\n]*=[^\S\n]*(.*)$/m.exec(source)?.[1];
  const words = rows.filter(({ columns }) => /^\d+$/.test(columns[ID]!));
  const tokens = tokensIn(rows.map(({ columns }) => columns));
  const text = words.length ? asLine(told ?? "") || asLine(textOf(tokens)) : "";
  const fault = faultOf(
    words.map(({ line, columns }) => ({ line, id: Number(columns[ID]), form: columns[FORM]!, head: headIn(columns) })),
  );
  return {
    text,
    group,
    lang: "",
    words: words.map(({ columns }) => wordOf(columns)),
    tokens: placesOf(tokens, text),
    fault: fault?.told ?? "",
    ...(fault?.isForbidding && { obstacle: fault.told }),
  };
}

/** As a line of an editor. */
function asLine(text: string): string {
  return withoutControls(text).replaceAll("\n", " ").trim();
}

function rowsIn(source: string): { line: number; columns: Row }[] {
  const isRow = (text: string) => text.trim() !== "" && !text.startsWith("#");
  const lines = source.split(/\r?\n/);
  return lines.flatMap((text, line) => (isRow(text) ? [{ line, columns: text.split("\t") }] : []));
}

/** The first line that is none of CoNLL-U, in words; null if there is none. */
function brokenLine(source: string, from: number): string | null {
  const broken = rowsIn(source).find(({ columns }) => columns.length !== 10);
  if (!broken) return null;
  return text("fault.columns", { line: String(from + broken.line), count: broken.columns.length });
}

function headIn(columns: Row): number | null {
  return /^\d+$/.test(columns[HEAD]!) ? Number(columns[HEAD]) : null;
}

function wordOf(columns: Row): GoldWord {
  return {
    form: columns[FORM]!,
    head: headIn(columns),
    label: columns[DEPREL]!,
    tag: columns[TAG]!,
    features: columns[5]!,
  };
}

function tokensIn(rows: readonly Row[]): FileToken[] {
  const tokens: { form: string; range: Row | null; words: Row[]; emptyNodes: Row[] }[] = [];
  let last = 0; // word of the range
  for (const row of rows) {
    const [first, end] = row[ID]!.split("-").map(Number) as [number, number?];
    if (row[ID]!.includes(".")) {
      if (!tokens.length) tokens.push({ form: "", range: null, words: [], emptyNodes: [] });
      tokens.at(-1)!.emptyNodes.push(row);
    } else if (end === undefined && first <= last) tokens.at(-1)!.words.push(row);
    else {
      last = end ?? 0;
      const isRange = end !== undefined;
      tokens.push({ form: row[FORM]!, range: isRange ? row : null, words: isRange ? [] : [row], emptyNodes: [] });
    }
  }
  return tokens;
}

/** The surface text. */
function textOf(tokens: readonly FileToken[]): string {
  return tokens.map(({ form, range, words }) => form + spaceAfter(range ?? words[0])).join("");
}

function spaceAfter(row: Row | undefined): string {
  return !row || row[MISC]!.split("|").includes("SpaceAfter=No") ? "" : " ";
}

/** Tokens stand in the text one behind the other, up to the first that does not. */
function placesOf(tokens: readonly FileToken[], text: string): (Span | null)[] {
  let at = 0;
  return tokens.map(({ form }) => {
    const shown = asLine(form);
    const from = at + /^\s*/.exec(text.slice(at, at + SPACES))![0].length;
    if (at < 0 || !shown || !text.startsWith(shown, from)) {
      if (form) at = -1;
      return null;
    }
    at = from + shown.length;
    return { from, to: at };
  });
}

const SPACES = 20; // between two tokens, at most
