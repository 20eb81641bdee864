/**
 * A text in the sentences that are drawn, copied and saved: where the parser and the file part it.
 *
 * A sentence of a file that stands alone on its lines and is as it was needs no parser. Elsewhere the parser decides,
 * but within a sentence of a file only a line break can part words, and a line break parts what is of a file from all
 * else.
 */

import type { PlacedSentence, Span, WordView } from "../client/index.ts";
import { isAsOpened, type PlacedFileSentence } from "./file_annotations.ts";

/** A word as it was parsed, at its place in the text. */
export interface ParsedWord extends Span {
  readonly id: number;
  readonly view: WordView;
  readonly sentence: PlacedSentence;
  /** Among the words of the sentence that still stand, counted from 0. */
  readonly place: number;
}

export interface Piece extends Span {
  readonly words: readonly ParsedWord[];
  /** The sentences of the file that have words here. */
  readonly parts: readonly PlacedFileSentence[];
  /** Those of them that begin here, and not in a piece before. */
  readonly begun: readonly PlacedFileSentence[];
}

export function piecesOf(
  text: string,
  parsed: readonly PlacedSentence[],
  placed: readonly PlacedFileSentence[],
): Piece[] {
  const isApart = (one: PlacedFileSentence) => isAsOpened(one, text) && isAlone(one, text);
  const [alone, others] = [placed.filter(isApart), placed.filter((one) => !isApart(one))];
  const isElsewhere = outsideOf(alone);
  const words = wordsOf(parsed).filter(isElsewhere);
  const pieces = runsOf(words, others, text).map((run) => pieceOf(run, others));
  return [...alone.map(pieceAlone), ...withoutRepeats(pieces)].sort((one, other) => one.from - other.from);
}

/** Whether nothing else stands on its lines. */
function isAlone({ from, to }: Span, text: string): boolean {
  const [start, end] = [text.lastIndexOf("\n", from - 1) + 1, text.indexOf("\n", to)];
  const before = from === 0 ? "" : text.slice(start, from);
  return !before.trim() && !text.slice(to, end < 0 ? text.length : end).trim();
}

function pieceAlone(one: PlacedFileSentence): Piece {
  return { from: one.from, to: one.to, words: [], parts: [one], begun: [one] };
}

function wordsOf(parsed: readonly PlacedSentence[]): ParsedWord[] {
  return parsed.flatMap((sentence) =>
    sentence.words.map(({ id, number, from, to }, place) => {
      const view = sentence.analysis.words[number - 1]!;
      return { id, view, sentence, place, from: sentence.from + from, to: sentence.from + to };
    }),
  );
}

/** Whether a span touches none of some spans; to be asked from left to right. */
function outsideOf(spans: readonly Span[]): (one: Span) => boolean {
  let next = 0;
  return ({ from, to }) => {
    while (next < spans.length && spans[next]!.to <= from) next++;
    return !(next < spans.length && spans[next]!.from < to);
  };
}

function runsOf(words: readonly ParsedWord[], placed: readonly PlacedFileSentence[], text: string): ParsedWord[][] {
  const runs: ParsedWord[][] = [];
  let before: ParsedWord | undefined;
  for (const word of words) {
    if (!before || isParted(before, word, placed, text)) runs.push([]);
    runs.at(-1)!.push(word);
    before = word;
  }
  return runs;
}

function isParted(before: ParsedWord, word: ParsedWord, placed: readonly PlacedFileSentence[], text: string): boolean {
  const isParsedApart = before.sentence !== word.sentence;
  const hasLineBreak = text.slice(before.to, word.from).includes("\n");
  const [files, filesBefore] = [partsOf(word, placed), partsOf(before, placed)];
  if (files.some((one) => filesBefore.includes(one))) return isParsedApart && hasLineBreak;
  return isParsedApart || (hasLineBreak && files.length + filesBefore.length > 0);
}

function partsOf({ from, to }: Span, placed: readonly PlacedFileSentence[]): readonly PlacedFileSentence[] {
  return placed.filter((one) => one.from < to && one.to > from);
}

function pieceOf(words: readonly ParsedWord[], placed: readonly PlacedFileSentence[]): Piece {
  const from = words[0]!.from;
  const to = Math.max(...words.map((word) => word.to));
  const parts = partsOf({ from, to }, placed);
  return { from, to, words, parts, begun: parts };
}

/** Of a sentence of the file that is in several pieces, all but the first one are new. */
function withoutRepeats(pieces: readonly Piece[]): Piece[] {
  const known = new Set<PlacedFileSentence>();
  return pieces.map((piece) => {
    const begun = piece.parts.filter((part) => !known.has(part));
    for (const part of begun) known.add(part);
    return { ...piece, begun };
  });
}
