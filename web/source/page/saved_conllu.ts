/** A text as CoNLL-U: its annotated sentences, one after the other. */

import type { PlacedSentence } from "../client/index.ts";
import { annotatedSentences } from "./annotated_sentences.ts";
import { BOM } from "./conllu_files.ts";
import type { Decisions } from "./decisions.ts";
import type { FileAnnotations } from "./file_annotations.ts";

export interface SavedConllu {
  readonly contents: string;
  /** So many sentences are as the file had them. */
  readonly kept: number;
  /** So many are of the file, and were edited. */
  readonly edited: number;
  readonly parsed: number;
  /** So many sentences of the file have become one with the sentence before. */
  readonly joined: number;
  /** So many sentences have words that wait for words to come. */
  readonly unfinished: number;
}

export function savedConllu(
  text: string,
  parsed: readonly PlacedSentence[],
  annotations: Pick<FileAnnotations, "file" | "placed">,
  decisions: Decisions = [],
): SavedConllu {
  const before = annotations.file?.contents ?? "";
  const newline = /\r\n/.test(before) ? "\r\n" : "\n";
  const sentences = annotatedSentences(text, parsed, annotations, decisions);
  const kept = sentences.filter(({ asOpened }) => asOpened).length;
  const edited = sentences.filter(({ isEdited }) => isEdited).length;
  return {
    contents:
      (annotations.file?.sentences.length === 0 ? before : before.startsWith(BOM) ? BOM : "") +
      joinedPieces(
        sentences.map((one) => one.conllu(newline)),
        newline,
      ),
    kept,
    edited,
    parsed: sentences.length - kept - edited,
    joined: sentences.reduce((sum, one) => sum + one.joined.length, 0),
    unfinished: sentences.filter(({ isUnfinished }) => isUnfinished).length,
  };
}

/** A blank line stands behind every sentence but for a last one that a file had without. */
function joinedPieces(pieces: readonly string[], newline: string): string {
  return pieces
    .map((piece, place) => {
      const isEnded = place === pieces.length - 1 || /\n[^\S\n]*\n$/.test(piece);
      return isEnded ? piece : piece.trimEnd() + newline + newline;
    })
    .join("");
}
