/**
 * A text as CoNLL-U: lines that stand as a file had them are as they were there, all others as they are parsed.
 *
 * Lines are recognised by what they say, so undoing, moving lines and loading the page again lose nothing.
 */

import type { PlacedSentence } from "../client/index.ts";
import { conlluOf } from "../tree/index.ts";
import type { FileSentence } from "./conllu_files.ts";
import { treeOf } from "./tree_of_sentence.ts";

export interface SavedConllu {
  readonly contents: string;
  /** So many sentences are as the file had them. */
  readonly kept: number;
  readonly parsed: number;
  /** So many lines have no analysis yet, and are left out. */
  readonly missing: number;
}

interface Line {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** What the file had of it; null if it is another one. */
  readonly known: FileSentence | null;
}

export function savedConllu(
  text: string,
  sentences: readonly PlacedSentence[],
  file: readonly FileSentence[],
): SavedConllu {
  const lines = linesOf(text, file);
  const unsaid = new Set(sentences);
  const saved = { pieces: [] as string[], kept: 0, parsed: 0, missing: 0 };
  for (const line of lines) {
    if (line.known) {
      saved.pieces.push(line.known.source);
      saved.kept++;
    } else if (line.text) {
      const inLine = [...unsaid].filter(({ from, to }) => from < line.to && to > line.from);
      const parsed = inLine.map((one) => outsideOf(lines, one)).filter(({ words }) => words.length);
      for (const one of inLine) unsaid.delete(one);
      saved.pieces.push(...parsed.map((one) => conlluOf(treeOf(one))));
      saved.parsed += parsed.length;
      saved.missing += Number(!sentences.some(({ from, to }) => from < line.to && to > line.from));
    }
  }
  const { pieces, ...counts } = saved;
  return { contents: joined(pieces), ...counts };
}

function linesOf(text: string, file: readonly FileSentence[]): Line[] {
  const recognise = recogniser(file);
  let from = 0;
  return text.split("\n").map((whole) => {
    const line = { from, to: from + whole.length, text: whole.trim(), known: recognise(whole.trim()) };
    from += whole.length + 1;
    return line;
  });
}

/** Finds sentences by their text, each once: of several, the next in the order of the file. */
function recogniser(file: readonly FileSentence[]): (text: string) => FileSentence | null {
  const places = new Map<string, number[]>();
  file.forEach(({ text }, place) => places.set(text, [...(places.get(text) ?? []), place]));
  let last = -1;
  return (text) => {
    const left = places.get(text);
    if (!left?.length) return null;
    const index = Math.max(
      0,
      left.findIndex((place) => place > last),
    );
    last = left.splice(index, 1)[0]!;
    return file[last]!;
  };
}

/** The sentence without words that stand in lines of the file. */
function outsideOf(lines: readonly Line[], sentence: PlacedSentence): PlacedSentence {
  const isInFile = (at: number) => lines.some(({ from, to, known }) => known && from <= at && at < to);
  return { ...sentence, words: sentence.words.filter((word) => !isInFile(sentence.from + word.from)) };
}

/** A blank line stands behind every sentence but for a last one that a file had without. */
function joined(pieces: readonly string[]): string {
  return pieces
    .map((piece, place) => (place === pieces.length - 1 || /\n\r?\n$/.test(piece) ? piece : `${piece.trimEnd()}\n\n`))
    .join("");
}
