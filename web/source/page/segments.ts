/** The tokens of a piece: those of a file that stand, with their rows, and what was parsed everywhere else. */

import type { Span, WordView } from "../client/index.ts";
import { columnsOf } from "../tree/index.ts";
import { DEPREL, ID, tokensOf, type FileToken, type Row } from "./conllu_files.ts";
import type { PlacedFileSentence } from "./file_annotations.ts";
import type { ParsedWord, Piece } from "./pieces.ts";
import { placesNow, standingTokens } from "./standing_tokens.ts";

/** A token as it stands on the page. */
export interface Segment extends Span {
  /** Where it is one of a file. */
  readonly file: FileOrigin | null;
  /** The words that the parser has there. */
  readonly parsed: readonly ParsedWord[];
  readonly nodes: readonly Node[];
  /** Behind it, as the file has them. */
  readonly emptyNodes: readonly Row[];
  /** Tokens of a file of which something is left here: what names them names this one now, word by word. */
  readonly changed: readonly FileOrigin[];
}

export interface FileOrigin {
  readonly part: PlacedFileSentence;
  /** Of the token, from 0. */
  readonly number: number;
  readonly token: FileToken;
}

/** A word with the head that it gets. */
export interface Node {
  /** As the file has them, or as parsed. */
  columns: Row;
  /** Stays with the word: below 0 of a file, above 0 as the document has it. */
  readonly id: number;
  /** Null as long as it is not known. */
  head: Node | "root" | null;
  label: string;
  /** Whether the parser has given it its head, or stands in for that. */
  isParsed?: boolean;
  /** What somebody has decided about it. */
  fixed?: WordView["fixed"];
}

export function segmentsOf(text: string, piece: Piece): Segment[] {
  const tokens = piece.parts.flatMap((part) => tokensNow(text, part, piece));
  const kept = tokens.filter(({ stands }) => stands);
  const ofFile = withEmptyNodes(tokens, piece).map(({ from, to, file, emptyNodes }) => {
    const parsed = piece.words.filter((word) => isOver(word, { from, to }));
    return { from, to, file, emptyNodes, parsed, nodes: file.token.words.map(nodeIn(file)), changed: [] };
  });
  const others = tokensParsed(piece.words.filter((word) => !kept.some((token) => isOver(word, token))));
  const withChanged = others.map((one) => ({ ...one, changed: changedInto(one, tokens) }));
  return [...ofFile, ...withChanged].sort((one, other) => one.from - other.from);
}

/** A token of the file, where it stands or what is left of it stands; `from` equals `to` where nothing is left. */
type TokenNow = Span & { readonly file: FileOrigin; readonly stands: boolean };

function tokensNow(text: string, part: PlacedFileSentence, piece: Piece): TokenNow[] {
  const [standing, left] = [standingTokens(text, part, piece), placesNow(part)];
  return tokensOf(part.sentence).map((token, number) => {
    const span = standing[number] ?? left[number] ?? { from: part.from, to: part.from };
    return { ...span, file: { part, number, token }, stands: standing[number] !== null };
  });
}

/** The tokens that stand, with the empty nodes of all that were here; those before the first that stands are lost. */
function withEmptyNodes(
  tokens: readonly TokenNow[],
  { from, to }: Span,
): (TokenNow & { readonly emptyNodes: readonly Row[] })[] {
  const kept: (TokenNow & { emptyNodes: Row[] })[] = [];
  for (const one of tokens) {
    if (one.stands) kept.push({ ...one, emptyNodes: [] });
    const last = kept.at(-1);
    if (last?.file.part === one.file.part && from <= one.from && one.to <= to)
      last.emptyNodes.push(...one.file.token.emptyNodes);
  }
  return kept;
}

function changedInto(segment: Segment, tokens: readonly TokenNow[]): FileOrigin[] {
  return tokens
    .filter((one) => !one.stands && isOver(one, segment) && one.file.token.words.length === segment.nodes.length)
    .map(({ file }) => file);
}

function isOver(one: Span, other: Span): boolean {
  return one.from < other.to && one.to > other.from;
}

function nodeIn({ part: { sentence } }: FileOrigin): (columns: Row) => Node {
  return (columns) => {
    return { columns, id: -(sentence.firstWord + Number(columns[ID])), head: null, label: columns[DEPREL]! };
  };
}

/** Words that stand at one place are one token. */
function tokensParsed(words: readonly ParsedWord[]): Segment[] {
  const tokens: ParsedWord[][] = [];
  for (const word of words) {
    const last = tokens.at(-1)?.[0];
    if (last?.from === word.from && last.to === word.to) tokens.at(-1)!.push(word);
    else tokens.push([word]);
  }
  return tokens.map((parsed) => {
    const { from, to } = parsed[0]!;
    return { from, to, file: null, parsed, nodes: parsed.map(parsedNode), emptyNodes: [], changed: [] };
  });
}

function parsedNode({ view, id }: ParsedWord): Node {
  const columns = ["_", ...columnsOf(view, { head: 0, label: "_" }), "_", "_"];
  return { columns, id, head: null, label: "_" };
}

/** The words of sentences of a file by the ids that they have there, with those that were changed. */
export function nodesByFileId(segments: readonly Segment[]): Map<PlacedFileSentence, Map<string, Node>> {
  const known = new Map<PlacedFileSentence, Map<string, Node>>();
  for (const { file, changed, nodes } of segments)
    for (const { part, token } of file ? [file] : changed) {
      if (!known.has(part)) known.set(part, new Map());
      token.words.forEach((row, index) => known.get(part)!.set(row[ID]!, nodes[index]!));
    }
  return known;
}
