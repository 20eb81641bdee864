/** The rows of a sentence in CoNLL-U, whose words are of a file or parsed, under new numbers. */

import type { Span, WordView } from "../client/index.ts";
import { DEPS, HEAD, ID, MISC, type Row } from "./conllu_files.ts";
import type { PlacedFileSentence } from "./file_annotations.ts";
import { decideNodes } from "./decided_nodes.ts";
import type { Decisions } from "./decisions.ts";
import { giveHeads } from "./merged_heads.ts";
import type { Piece } from "./pieces.ts";
import { nodesByFileId, segmentsOf, type Node, type Segment } from "./segments.ts";

export interface MergedRows {
  /** With ranges and empty nodes. */
  readonly rows: readonly Row[];
  readonly words: readonly MergedWord[];
  /** Whether words wait for words to come, and have other heads until then. */
  readonly isUnfinished: boolean;
}

export interface MergedWord extends Span {
  readonly id: number;
  readonly columns: Row;
  readonly isOfFile: boolean;
  /** Whether its head and label are the parser's. */
  readonly isParsed: boolean;
  /** What somebody has decided about it. */
  readonly fixed?: WordView["fixed"];
}

export function mergedRows(text: string, piece: Piece, decisions: Decisions = []): MergedRows {
  const segments = segmentsOf(text, piece);
  const isUnfinished = giveHeads(segments);
  decideNodes(segments, decisions);
  const numbers = new Map(segments.flatMap(({ nodes }) => nodes).map((node, index) => [node, index + 1]));
  const ids = new NewIds(segments, numbers);
  const hasDeps = segments.some(({ file, nodes }) => file && nodes.some(({ columns }) => columns[DEPS] !== "_"));
  const words: MergedWord[] = [];
  const rows = segments.flatMap((segment, index) => {
    const tokenMisc = miscOf(segment, segments[index + 1]);
    const own = segment.nodes.map((node) => {
      const misc = segment.nodes.length > 1 || segment.file?.token.range ? node.columns[MISC]! : tokenMisc;
      const head = headTold(node, numbers);
      const deps = ids.depsOf(segment, node.columns) ?? (hasDeps && head !== "_" ? `${head}:${node.label}` : "_");
      const columns = [String(numbers.get(node)), ...node.columns.slice(1, HEAD), head, node.label, deps, misc];
      const { from, to, file } = segment;
      const { id, isParsed = false, fixed } = node;
      words.push({ id, from, to, columns, isOfFile: file !== null, isParsed, fixed });
      return columns;
    });
    return [...rangeOver(segment, own, text, tokenMisc), ...own, ...ids.emptyNodesOf(segment)];
  });
  return { rows, words, isUnfinished };
}

function headTold({ head }: Node, numbers: ReadonlyMap<Node, number>): string {
  return head === "root" ? "0" : head ? String(numbers.get(head)) : "_";
}

function rangeOver({ file, from, to }: Segment, words: readonly Row[], text: string, misc: string): Row[] {
  if (file ? !file.token.range : words.length < 2) return [];
  const id = `${words[0]![ID]}-${words.at(-1)![ID]}`;
  if (file) return [[id, ...file.token.range!.slice(1, MISC), misc]];
  return [[id, text.slice(from, to), ..."_______", misc]];
}

// --- spaces -----------------------------------------------------------------------------------------------

/** MISC of a token: as the file has it where it is followed as there, else with the space that follows now. */
function miscOf(segment: Segment, next: Segment | undefined): string {
  const { file } = segment;
  const misc = (file?.token.range ?? segment.nodes.at(-1)!.columns)[MISC]!;
  if (file && isFollowedAsBefore(segment, next)) return misc;
  const others = misc.split("|").filter((one) => one !== "_" && !/^Spaces?After=/.test(one));
  const hasSpace = !next || next.from > segment.to;
  return [...others, ...(hasSpace ? [] : ["SpaceAfter=No"])].join("|") || "_";
}

function isFollowedAsBefore({ file, to }: Segment, next: Segment | undefined): boolean {
  const { tokens } = file!.part.sentence;
  const [span, spanBehind] = [tokens[file!.number], tokens[file!.number + 1]];
  if (!next || !spanBehind) return !next && !spanBehind;
  const isSame = next.file?.part === file!.part && next.file.number === file!.number + 1;
  return isSame && (next.from - to === 0) === (spanBehind.from - span!.to === 0);
}

// --- enhanced dependencies --------------------------------------------------------------------------------

/** The new ids of words and empty nodes of sentences of a file. An empty node goes with what it names. */
class NewIds {
  private readonly ids = new Map<PlacedFileSentence, Map<string, string>>();

  constructor(segments: readonly Segment[], numbers: ReadonlyMap<Node, number>) {
    for (const [part, nodes] of nodesByFileId(segments)) {
      const ids = [...nodes].map(([id, node]): [string, string] => [id, String(numbers.get(node))]);
      this.ids.set(part, new Map([["0", "0"], ...ids]));
    }
    for (const segment of segments) this.numberEmptyNodes(segment, segment.emptyNodes, numbers);
    while (segments.some((segment) => this.dropOrphan(segment)));
    for (const segment of segments) this.numberEmptyNodes(segment, this.standingOf(segment), numbers);
  }

  /** What the file says, under new numbers; null if something that it names is gone. */
  depsOf({ file }: Segment, columns: Row): string | null {
    if (!file) return null;
    if (columns[DEPS] === "_") return "_";
    const known = this.ids.get(file.part)!;
    const deps = columns[DEPS]!.split("|").map((one) => {
      const [head, ...relation] = one.split(":");
      return known.has(head!) ? [known.get(head!), ...relation].join(":") : null;
    });
    return deps.includes(null) ? null : deps.join("|");
  }

  emptyNodesOf(segment: Segment): Row[] {
    return this.standingOf(segment).map((row) => {
      const deps = this.depsOf(segment, row) ?? "_";
      return [this.idOf(segment, row)!, ...row.slice(1, DEPS), deps, row[MISC]!];
    });
  }

  private numberEmptyNodes({ file, nodes }: Segment, rows: readonly Row[], numbers: ReadonlyMap<Node, number>): void {
    const last = numbers.get(nodes.at(-1)!);
    rows.forEach((row, index) => this.ids.get(file!.part)!.set(row[ID]!, `${last}.${index + 1}`));
  }

  private standingOf(segment: Segment): readonly Row[] {
    return segment.emptyNodes.filter((row) => this.idOf(segment, row) !== undefined);
  }

  private idOf({ file }: Segment, row: Row): string | undefined {
    return this.ids.get(file!.part)!.get(row[ID]!);
  }

  private dropOrphan(segment: Segment): boolean {
    const orphan = this.standingOf(segment).find((row) => this.depsOf(segment, row) === null);
    return orphan !== undefined && this.ids.get(segment.file!.part)!.delete(orphan[ID]!);
  }
}
