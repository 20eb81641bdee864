/** A sentence of a file whose text stands as it was, with what is decided of its words: all other cells stay. */

import type { Span, WordView } from "../client/index.ts";
import { DEPREL, HEAD, ID, TAG, tokensOf, type Cells, type FileSentence, type Row } from "./conllu_files.ts";
import { decideNodes } from "./decided_nodes.ts";
import { anchorsOf, type Decisions } from "./decisions.ts";
import type { PlacedFileSentence } from "./file_annotations.ts";
import type { Node } from "./segments.ts";

/** A word as it is drawn; its span counts from the start of the sentence. */
export interface DrawnWord extends Span {
  readonly id: number;
  readonly columns: Row;
  readonly fixed?: WordView["fixed"];
}

export interface CorrectedSentence {
  readonly words: readonly DrawnWord[];
  /** Of rows that are not as they were, by their ids. */
  readonly cells: ReadonlyMap<string, Cells>;
}

/** The words of a sentence as the file has them; those that its text lacks stand at its end. */
export function wordsAsOpened(sentence: FileSentence): DrawnWord[] {
  const atEnd = { from: sentence.text.length, to: sentence.text.length };
  return tokensOf(sentence).flatMap((token, number) =>
    token.words.map((columns) => {
      return { id: -(sentence.firstWord + Number(columns[ID])), columns, ...(sentence.tokens[number] ?? atEnd) };
    }),
  );
}

export function correctedSentence({ sentence, from }: PlacedFileSentence, decisions: Decisions): CorrectedSentence {
  const words = wordsAsOpened(sentence);
  const nodes = nodesOf(words);
  const before = nodes.map(({ head }) => head);
  decideNodes(tokensWith(nodes, { from, words }), decisions);
  const cells = nodes.map((node, index) => cellsOf(node, before[index]!, words[index]!.columns));
  return {
    words: words.map((word, index) => {
      const columns = word.columns.map((column, place) => cells[index]!.get(place) ?? column);
      return { ...word, columns, fixed: nodes[index]!.fixed };
    }),
    cells: new Map(words.map(({ columns }, index) => [columns[ID]!, cells[index]!])),
  };
}

function nodesOf(words: readonly DrawnWord[]): Node[] {
  const nodes = words.map(({ id, columns }): Node => ({ columns, id, head: null, label: columns[DEPREL]! }));
  const known = new Map(nodes.map((node) => [node.columns[ID]!, node]));
  for (const node of nodes) {
    const told = node.columns[HEAD]!;
    node.head = told === "0" ? "root" : (known.get(told) ?? null);
  }
  return nodes;
}

/** The nodes that stand at one place are one token. */
function tokensWith(nodes: readonly Node[], placed: { from: number; words: readonly DrawnWord[] }) {
  const tokens: (Span & { nodes: Node[] })[] = [];
  for (const [index, { from, to, place }] of anchorsOf(placed).entries()) {
    if (place === 0) tokens.push({ from, to, nodes: [] });
    tokens.at(-1)!.nodes.push(nodes[index]!);
  }
  return tokens;
}

function cellsOf({ columns, head, label }: Node, before: Node["head"], was: Row): Cells {
  const cells = new Map<number, string>();
  if (head !== before) cells.set(HEAD, head === "root" ? "0" : (head?.columns[ID] ?? was[HEAD]!));
  if (label !== was[DEPREL]) cells.set(DEPREL, label);
  if (columns[TAG] !== was[TAG]) cells.set(TAG, columns[TAG]!);
  return cells;
}
