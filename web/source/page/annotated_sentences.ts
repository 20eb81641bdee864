/**
 * The sentences of a text with their annotations: as a file has them, as parsed, or both where one of a file was
 * edited. The tree, "Copy" and "Save" show these, so that all three say the same.
 */

import {
  isComplete,
  sentenceAt,
  type AnalysisMessage,
  type PlacedSentence,
  type Span,
  type WordView,
} from "../client/index.ts";
import { withCells, type FileSentence } from "./conllu_files.ts";
import { correctedSentence, wordsAsOpened, type CorrectedSentence, type DrawnWord } from "./corrected_sentence.ts";
import type { Decisions } from "./decisions.ts";
import { isAsOpened, type FileAnnotations, type PlacedFileSentence } from "./file_annotations.ts";
import { mergedRows, type MergedRows } from "./merged_rows.ts";
import { piecesOf, type Piece } from "./pieces.ts";

export class AnnotatedSentence {
  private made: MergedRows | null = null;
  private drawn: PlacedSentence | null = null;
  private found: CorrectedSentence | null = null;

  constructor(
    private readonly text: string,
    private readonly piece: Piece,
    /** What somebody has decided about its words. */
    private readonly decisions: Decisions,
  ) {}

  get from(): number {
    return this.piece.from;
  }

  get to(): number {
    return this.piece.to;
  }

  /** Its words as they were parsed, or all of it where it needs no parser. */
  get spans(): readonly Span[] {
    return this.piece.words.length ? this.piece.words : [this.piece];
  }

  /** The sentence of the file that stands here as it was opened. */
  get asOpened(): PlacedFileSentence | null {
    return this.decisions.length ? null : this.ofFile;
  }

  /** The sentence of the file whose text stands here as it was opened, whatever is decided of its words. */
  get ofFile(): PlacedFileSentence | null {
    const { parts, begun, from, to } = this.piece;
    const [one, ...others] = parts;
    const isWhole = one && !others.length && begun.includes(one) && one.from === from && one.to === to;
    return isWhole && isAsOpened(one, this.text) ? one : null;
  }

  /** The sentence of the file that begins here, or whose words stand here. */
  get firstOfFile(): FileSentence | null {
    return (this.piece.begun[0] ?? this.piece.parts[0])?.sentence ?? null;
  }

  /** Whether words of a file stand here. */
  get isOfFile(): boolean {
    return this.piece.parts.length > 0;
  }

  /** Whether they stand here among others, or something is decided about them. */
  get isEdited(): boolean {
    return this.asOpened === null && this.isOfFile;
  }

  /** Whether something is decided about its words. */
  get isFixed(): boolean {
    return this.decisions.length > 0;
  }

  /** The sentences of the file that have become one with another. */
  get joined(): readonly FileSentence[] {
    return this.piece.begun.slice(1).map(({ sentence }) => sentence);
  }

  /** How many words are as the parser has them. */
  get parsedWords(): number {
    return this.ofFile ? 0 : this.merged.words.filter(({ isOfFile }) => !isOfFile).length;
  }

  /** Whether a word, by its number in the tree, hangs where the parser has it, unless somebody has decided. */
  isParsed(number: number): boolean {
    if (this.ofFile) return false;
    return !this.isOfFile || this.merged.words[number - 1]!.isParsed;
  }

  /** Whether words wait for words to come, and have other heads until then. */
  get isUnfinished(): boolean {
    return this.ofFile === null && this.merged.isUnfinished;
  }

  /** The analyses of which it is made, in part or as a whole. */
  get analyses(): ReadonlySet<PlacedSentence> {
    return new Set(this.piece.words.map(({ sentence }) => sentence));
  }

  /** All that a file has of it; `newline` ends the lines that are new. */
  conllu(newline = "\n"): string {
    if (this.asOpened) return this.asOpened.sentence.source;
    if (this.ofFile) return withCells(this.ofFile.sentence, this.corrected(this.ofFile).cells);
    const { from, to, begun } = this.piece;
    const text = this.text.slice(from, to).replace(/\s+/g, " ");
    const rows = this.merged.rows.map((row) => row.join("\t"));
    return [...commentsOf(begun, text), ...rows, "", ""].join(newline);
  }

  /** As a tree draws it: an analysis of the parser where that is all there is. */
  get tree(): PlacedSentence {
    const [analysis, ...others] = this.analyses;
    if (analysis && !others.length && !this.piece.parts.length && analysis.words.length === this.piece.words.length)
      return analysis;
    return (this.drawn ??= this.treeDrawn());
  }

  private treeDrawn(): PlacedSentence {
    if (this.asOpened) return treeAsOpened(this.asOpened);
    if (!this.ofFile) return this.mergedTree();
    const { words } = this.corrected(this.ofFile);
    return placedTree(this.ofFile, words, words.length);
  }

  private corrected(placed: PlacedFileSentence): CorrectedSentence {
    return (this.found ??= correctedSentence(placed, this.decisions));
  }

  private get merged(): MergedRows {
    return (this.made ??= mergedRows(this.text, this.piece, this.decisions));
  }

  private mergedTree(): PlacedSentence {
    const { from, to } = this.piece;
    const words = this.merged.words.map((word) => ({ ...word, from: word.from - from, to: word.to - from }));
    const isFirm = [...this.analyses].every(({ analysis, isTouched }) => !isTouched && isComplete(analysis));
    const firm = isFirm ? words.length : words.findIndex(({ isOfFile }) => !isOfFile);
    return placedTree({ from, to }, words, firm < 0 ? words.length : firm);
  }
}

/** All sentences, in the order of the text. */
export function annotatedSentences(
  text: string,
  parsed: readonly PlacedSentence[],
  { placed }: Pick<FileAnnotations, "placed">,
  decisions: Decisions = [],
): AnnotatedSentence[] {
  return piecesOf(text, parsed, placed).map((piece) => {
    const own = decisions.filter(({ from, to }) => piece.from <= from && to <= piece.to);
    return new AnnotatedSentence(text, piece, own);
  });
}

/** The last sentence that begins at or before a position, or else the first one. */
export function annotatedAt(
  text: string,
  parsed: readonly PlacedSentence[],
  { placed }: Pick<FileAnnotations, "placed">,
  cursor: number,
  decisions: Decisions = [],
): AnnotatedSentence | null {
  const near = reachOf(
    [sentenceAt(parsed, cursor), placed.findLast(({ from }) => from <= cursor) ?? placed[0]],
    [...parsed, ...placed],
  );
  const isNear = (one: Span) => one.from < near.to && one.to > near.from;
  const sentences = annotatedSentences(text, parsed.filter(isNear), { placed: placed.filter(isNear) }, decisions);
  return sentences.findLast(({ from }) => from <= cursor) ?? sentences[0] ?? null;
}

/** The span of some sentences with all that overlap it, and all that overlap those. */
function reachOf(first: readonly (Span | null | undefined)[], all: readonly Span[]): Span {
  let spans = first.filter((one) => one != null);
  let reach = { from: 0, to: 0 };
  for (let count = 0; count !== spans.length;) {
    count = spans.length;
    reach = { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
    spans = all.filter(({ from, to }) => from < reach.to && to > reach.from);
  }
  return reach;
}

// --- comments ---------------------------------------------------------------------------------------------

/** Comments of all sentences that have become this one; the ids of all but the first are kept as those of joined ones. */
function commentsOf([first, ...joined]: readonly PlacedFileSentence[], text: string): string[] {
  const own = first ? commentLines(first) : [];
  const others = joined.flatMap(commentLines).filter((line) => line.trim() && !isText(line));
  const renewed = own.map((line) => (isText(line) ? textLine(text) : line));
  return [
    ...renewed,
    ...others.map((line) => line.replace(/^#\s*(sent_id|newdoc|newpar)\b/, "# joined_$1")),
    ...(renewed.some(isText) ? [] : [textLine(text)]),
  ];
}

/** All lines but those of words and the blank ones behind them. */
function commentLines({ sentence: { source } }: PlacedFileSentence): string[] {
  const lines = source.split(/\r?\n/);
  const firstRow = lines.findIndex((line) => line.trim() && !line.startsWith("#"));
  return [...lines.slice(0, firstRow), ...lines.slice(firstRow).filter((line) => line.startsWith("#"))];
}

function isText(line: string): boolean {
  return /^#\s*text\s*=/.test(line);
}

function textLine(text: string): string {
  return `# text = ${text}`;
}

// --- trees ------------------------------------------------------------------------------------------------

const TREES = new WeakMap<PlacedFileSentence, PlacedSentence>();

function treeAsOpened(placed: PlacedFileSentence): PlacedSentence {
  const known = TREES.get(placed);
  if (known) return known;
  const words = wordsAsOpened(placed.sentence);
  const tree = placedTree(placed, words, words.length);
  TREES.set(placed, tree);
  return tree;
}

/** Words with their rows as an analysis, of which nothing is to come if all words are firm. */
function placedTree({ from, to }: Span, words: readonly DrawnWord[], firm: number): PlacedSentence {
  const analysis: AnalysisMessage = {
    type: "analysis",
    document: "",
    version: 0,
    number: 0,
    answers: [],
    sentence: 0,
    first_word: 0,
    start: 0,
    stage: firm === words.length ? "final" : "settled",
    levels: [],
    words: words.map((word, index) => viewOf(word, index + 1, words.length)),
    virtual: [],
    conflicts: [],
    stable_upto: firm,
    score: null,
    seconds: 0,
  };
  const placed = words.map(({ id, from, to }, index) => ({ id, number: index + 1, from, to }));
  return { analysis, from, to, words: placed, conflicts: [], isTouched: false };
}

function viewOf({ columns, from, to, fixed }: DrawnWord, number: number, count: number): WordView {
  const [, form, lemma, tag, xpos, features, told, label] = columns as [string, string, string, string, ...string[]];
  const head = /^\d+$/.test(told!) ? Number(told) : null;
  const isDrawn = head !== null && head <= count && head !== number;
  return {
    form,
    start: from,
    end: to,
    tag: tag === "_" ? "" : tag,
    features: features!,
    head: isDrawn ? head : null,
    label: isDrawn ? label! : null,
    lemma: lemma === "_" && form !== "_" ? null : lemma,
    xpos: xpos === "_" ? null : xpos!,
    ...(fixed && { fixed }),
  };
}
