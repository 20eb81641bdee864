/**
 * The sentences of a text, and of all parts of its file, as rows that are made where they are wanted. Parts that are
 * not shown are read when one of their rows is. No DOM in it.
 */

import type { PlacedSentence } from "../client/index.ts";
import type { AnnotatedSentence } from "../page/annotated_sentences.ts";
import { conlluFile, type FileSentence } from "../page/conllu_files.ts";
import { decisionsIn } from "../page/decisions.ts";
import type { Page } from "../page/page_parts.ts";
import type { FilePart } from "../page/sliced_file.ts";

const MOST_READ = 8; // parts of a file
const MOST_SHOWN = 240; // characters

/** A word with what is known of its arc. */
export interface RowWord {
  readonly form: string;
  readonly head?: unknown;
  readonly label?: string | null;
  readonly confidence?: number | null;
}

export interface SentenceRow {
  readonly text: string;
  /** Whether somebody has touched it since the file was opened. */
  readonly isEdited: boolean;
  /** Whether somebody has decided about words of it. */
  readonly isFixed: boolean;
  /** Its words, and whether a file has them: then the parser may have another tree. */
  readonly words: readonly RowWord[];
  readonly isOfFile: boolean;
}

/** Rows that stand in one part of a file, or in the text. */
interface Block {
  /** Null for what is shown. */
  readonly part: FilePart | null;
  readonly first: number;
  readonly count: number;
}

export class SentenceRows {
  private blocks: readonly Block[] = [];
  private here: readonly (AnnotatedSentence | PlacedSentence)[] = [];
  /** Parts as they are now, by their numbers, with what makes them so. */
  private readonly read = new Map<
    number,
    { readonly contents: string | null; readonly rows: readonly SentenceRow[] }
  >();

  constructor(private readonly page: Pick<Page, "document" | "editor" | "parts" | "stepping">) {}

  /** Takes the text and its file as they are. */
  async refresh(): Promise<void> {
    const { parts } = this.page;
    const { shown } = parts.annotations;
    const changed = [...(shown?.rewritten ?? [])].filter(([number]) => number !== shown!.part.number);
    await Promise.all(changed.map(([number]) => this.readPart(shown!.sliced.parts[number]!)));
    if (parts.annotations.shown !== shown) return;
    this.here = this.sentencesHere();
    this.blocks = this.blocksOf(shown?.sliced.parts ?? [null], shown?.part ?? null);
  }

  get count(): number {
    const last = this.blocks.at(-1);
    return last ? last.first + last.count : 0;
  }

  /** The place of the sentence at the cursor. */
  get present(): number {
    const { head } = this.page.editor.state.selection.main;
    const place = this.here.findLastIndex(({ from }) => from <= head);
    const block = this.blocks.find(({ part }) => part === null);
    return block && this.here.length ? block.first + Math.max(0, place) : -1;
  }

  /** A row; null until it is read. */
  at(place: number): SentenceRow | null {
    const block = this.blockAt(place);
    if (!block) return null;
    if (block.part) return this.read.get(block.part.number)?.rows[place - block.first] ?? null;
    const sentence = this.here[place - block.first]!;
    return "analysis" in sentence ? this.parsedRow(sentence) : this.annotatedRow(sentence);
  }

  /** Reads rows from one place to before another; says whether any were not there before. */
  async load(from: number, to: number): Promise<boolean> {
    const near = this.blocks.filter(({ part, first, count }) => part && first < to && first + count > from);
    const missing = near.filter(({ part }) => !this.isRead(part!));
    await Promise.all(missing.map(({ part }) => this.readPart(part!)));
    return missing.length > 0;
  }

  /** Goes to a sentence; tells why if it does not. */
  async goTo(place: number, before: () => void): Promise<string> {
    const block = this.blockAt(place);
    if (!block) return "";
    const { stepping } = this.page;
    if (block.part) return stepping.show(block.part, place - block.first, before);
    return stepping.select(this.here[place - block.first]!.from, before);
  }

  /** The place of a sentence of the file, by its number in a part. */
  placeOf(part: FilePart, number: number): number {
    const { shown } = this.page.parts.annotations;
    const own = part.number === shown?.part.number ? null : part.number;
    return (this.blocks.find((block) => (block.part?.number ?? null) === own)?.first ?? 0) + number;
  }

  private blockAt(place: number): Block | undefined {
    return this.blocks.find(({ first, count }) => first <= place && place < first + count);
  }

  private sentencesHere(): readonly (AnnotatedSentence | PlacedSentence)[] {
    const { document, parts, stepping } = this.page;
    return parts.annotations.placed.length ? stepping.sentences : document.sentences;
  }

  private blocksOf(parts: readonly (FilePart | null)[], shown: FilePart | null): readonly Block[] {
    let first = 0;
    return parts.map((part) => {
      const isHere = part === null || part.number === shown?.number;
      const count = isHere ? this.here.length : this.countOf(part);
      const block = { part: isHere ? null : part, first, count };
      first += count;
      return block;
    });
  }

  private countOf(part: FilePart): number {
    const isRewritten = this.page.parts.annotations.shown?.rewritten.has(part.number);
    return isRewritten && this.isRead(part) ? this.read.get(part.number)!.rows.length : part.count;
  }

  // --- what is shown ------------------------------------------------------------------------------------

  private parsedRow(sentence: PlacedSentence): SentenceRow {
    const { words } = sentence.analysis;
    const isFixed = decisionsIn(this.page.parts.decisions, sentence).size > 0;
    return { text: this.textOf(sentence), isEdited: false, isFixed, words, isOfFile: false };
  }

  private annotatedRow(sentence: AnnotatedSentence): SentenceRow {
    const { isEdited, isFixed, isOfFile, tree } = sentence;
    return { text: this.textOf(sentence), isEdited, isFixed, words: tree.analysis.words, isOfFile };
  }

  private textOf({ from, to }: { from: number; to: number }): string {
    const end = Math.min(to, from + MOST_SHOWN);
    return this.page.editor.state.sliceDoc(from, end).replace(/\s+/g, " ");
  }

  // --- other parts of the file --------------------------------------------------------------------------

  private contentsOf({ number }: FilePart): string | null {
    return this.page.parts.annotations.shown?.rewritten.get(number) ?? null;
  }

  private isRead(part: FilePart): boolean {
    const known = this.read.get(part.number);
    return known !== undefined && known.contents === this.contentsOf(part);
  }

  private async readPart(part: FilePart): Promise<void> {
    if (this.isRead(part)) return;
    const contents = this.contentsOf(part);
    const sentences = await this.page.stepping.sentencesOf(part);
    const before = contents === null ? null : new Set(await this.sourcesOf(part));
    const rows = sentences.map(({ text, source, words }) => {
      const isEdited = before !== null && !before.has(source);
      return { text: text.slice(0, MOST_SHOWN), isEdited, isFixed: false, words, isOfFile: true };
    });
    this.read.delete(part.number);
    this.read.set(part.number, { contents, rows });
    this.forget();
  }

  private async sourcesOf(part: FilePart): Promise<string[]> {
    const { sliced } = this.page.parts.annotations.shown!;
    const { sentences } = conlluFile(sliced.name, await sliced.textOf(part), part.line);
    return sentences.map(({ source }: FileSentence) => source);
  }

  /** Parts that were read long ago, but for those that have changed: their numbers of sentences are known by them. */
  private forget(): void {
    for (const [number, { contents }] of this.read)
      if (this.read.size > MOST_READ && contents === null) this.read.delete(number);
  }

  /** All parts are those of another file. */
  forgetAll(): void {
    this.read.clear();
  }
}
