/**
 * Heads for the words of a piece: a word of a file keeps its head while that stands.
 *
 * What is left of a file's trees are parts of trees; their tops, and words that are new, get the heads that the parser
 * gives them. One that would close a circle hangs on the root, and of several roots the first stays one.
 */

import type { PlacedWord } from "../client/index.ts";
import { finishedHeads, type FinishedHead } from "../tree/index.ts";
import { HEAD, ID } from "./conllu_files.ts";
import type { PlacedFileSentence } from "./file_annotations.ts";
import type { ParsedWord } from "./pieces.ts";
import { nodesByFileId, type Node, type Segment } from "./segments.ts";
import { treeOf } from "./tree_of_sentence.ts";

/** Gives heads to all nodes; whether some of them wait for words to come, and have others instead. */
export function giveHeads(segments: readonly Segment[]): boolean {
  const nodes = segments.flatMap((segment) => segment.nodes);
  const free = new Set(nodes);
  for (const node of fixed(segments)) free.delete(node);
  const parser = new ParserHeads(segments);
  const root = rootOf(nodes, free, parser);
  for (const node of otherRoots(segments, root)) free.add(node);
  for (const node of free) Object.assign(node, { head: null, isParsed: true });
  for (const node of free) attach(node, root, parser.headOf(node));
  return [...free].some((node) => parser.headOf(node).isReplaced);
}

/** The nodes whose heads are those of the file, which may be unknown there. */
function fixed(segments: readonly Segment[]): Node[] {
  const known = nodesByFileId(segments);
  return ofFile(segments).flatMap(({ part, nodes }) =>
    nodes.filter((node) => {
      const told = node.columns[HEAD]!;
      node.head = told === "0" ? "root" : (known.get(part)!.get(told) ?? null);
      return node.head !== null || !/^\d+$/.test(told);
    }),
  );
}

function ofFile(segments: readonly Segment[]): { part: PlacedFileSentence; nodes: readonly Node[] }[] {
  return segments.flatMap(({ file, nodes }) => (file ? [{ part: file.part, nodes }] : []));
}

/** The first root of a file, or else what the parser has as the root, or what that hangs on; null in a broken tree. */
function rootOf(nodes: readonly Node[], free: ReadonlySet<Node>, parser: ParserHeads): Node | null {
  const ofFile = nodes.find(({ head }) => head === "root");
  const ofParser = nodes.find((node) => parser.headOf(node).head === "root") ?? [...free][0];
  if (ofFile || !ofParser) return ofFile ?? null;
  const top = [...pathFrom(ofParser)].at(-1)!;
  return free.has(top) ? top : null;
}

/** Roots of other sentences of the file than that of the root. */
function otherRoots(segments: readonly Segment[], root: Node | null): Node[] {
  const parts = ofFile(segments);
  const own = parts.find(({ nodes }) => root && nodes.includes(root))?.part;
  return parts.flatMap(({ part, nodes }) => (part === own ? [] : nodes.filter(({ head }) => head === "root")));
}

function attach(node: Node, root: Node | null, { head, label }: ParserHead): void {
  if (node === root) return void Object.assign(node, { head: "root", label: "root" });
  const isPossible = head !== null && head !== "root" && !pathFrom(head).has(node);
  node.head = isPossible ? head : (root ?? (head === "root" ? head : null));
  node.label = label === "root" ? "parataxis" : label;
}

/** The node and all above it. */
function pathFrom(node: Node): Set<Node> {
  const path = new Set<Node>();
  for (let at: Node["head"] = node; at && at !== "root" && !path.has(at); at = at.head) path.add(at);
  return path;
}

interface ParserHead extends Pick<FinishedHead, "label" | "isReplaced"> {
  /** Null where it stands elsewhere, or nothing is known. */
  readonly head: Node | "root" | null;
}

/** The heads that the parser gives to words, also to those of a file. */
class ParserHeads {
  private readonly finished = new Map<ParsedWord["sentence"], FinishedHead[]>();
  private readonly words = new Map<Node, ParsedWord>();
  private readonly nodes = new Map<PlacedWord, Node>();

  constructor(segments: readonly Segment[]) {
    for (const segment of segments) this.join(segment);
  }

  headOf(node: Node): ParserHead {
    const word = this.words.get(node);
    if (!word) return { head: null, label: "dep", isReplaced: false };
    const { head, label, isReplaced } = this.finishedOf(word);
    const found = head === 0 ? "root" : (this.nodes.get(word.sentence.words[head - 1]!) ?? null);
    return { head: found, label, isReplaced };
  }

  /** Words go with words where there are as many; else with the one on which the others hang. */
  private join({ parsed, nodes }: Segment): void {
    const isSame = parsed.length === nodes.length;
    const [word, node] = [this.topWord(parsed), topNode(nodes)];
    parsed.forEach((one, index) => this.nodes.set(one.sentence.words[one.place]!, isSame ? nodes[index]! : node!));
    nodes.forEach((one, index) => {
      const joined = isSame ? parsed[index] : word;
      if (joined) this.words.set(one, joined);
    });
  }

  private topWord(parsed: readonly ParsedWord[]): ParsedWord | undefined {
    const isWithin = ({ sentence }: ParsedWord, place: number) =>
      parsed.some((one) => one.sentence === sentence && one.place === place);
    return parsed.find((word) => !isWithin(word, this.finishedOf(word).head - 1)) ?? parsed[0];
  }

  private finishedOf({ sentence, place }: ParsedWord): FinishedHead {
    if (!this.finished.has(sentence)) this.finished.set(sentence, finishedHeads(treeOf(sentence)));
    return this.finished.get(sentence)![place]!;
  }
}

/** Of the words of one token of a file, the one whose head is outside. */
function topNode(nodes: readonly Node[]): Node | undefined {
  const ids = new Set(nodes.map(({ columns }) => columns[ID]));
  return nodes.find(({ columns }) => !ids.has(columns[HEAD])) ?? nodes[0];
}
