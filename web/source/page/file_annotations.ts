/**
 * Where the sentences of an opened file stand in a text that is edited: the one place that knows which annotation
 * belongs to which words. Sentences and their tokens are mapped through every change, as analyses are.
 *
 * A sentence of which nothing is left can come back: undoing, cutting and pasting, and moving lines insert a whole
 * line with its text.
 */

import type { Text } from "@codemirror/state";
import { mapSentence, type PlacedWords, type Span, type TextChange } from "../client/index.ts";
import { conlluFile, textOfFile, type ConlluFile, type FileSentence } from "./conllu_files.ts";
import type { FilePart, SlicedFile } from "./sliced_file.ts";

export interface PlacedToken extends Span {
  /** Counts from 0 in the sentence. */
  readonly number: number;
}

/** A sentence of the file at its place in the present text. */
export interface PlacedFileSentence extends PlacedWords {
  readonly sentence: FileSentence;
  /** The tokens of which something is left. */
  readonly words: readonly PlacedToken[];
}

/** Which part of which file is shown. */
export interface ShownPart {
  readonly sliced: SlicedFile;
  readonly part: FilePart;
  /** What parts have become, by their numbers; the one that is shown may be another one since. */
  readonly rewritten: ReadonlyMap<number, string>;
}

/** A file as it was opened, or the part of it that is shown. */
export interface KeptFile {
  readonly name: string;
  readonly contents: string;
  readonly shown?: ShownPart | null;
}

/** A place to be kept: the sentence, where it stands, and for one that was touched each token and where that stands. */
export type KeptPlace = readonly number[];

export class FileAnnotations {
  private constructor(
    readonly file: ConlluFile | null,
    /** In the order of the text. */
    readonly placed: readonly PlacedFileSentence[],
    /** Null where the file is all there is. */
    readonly shown: ShownPart | null = null,
  ) {}

  static readonly NONE = new FileAnnotations(null, []);

  /** Of a file whose text has just taken the place of the whole one. */
  static ofFile(file: ConlluFile, shown: ShownPart | null = null): FileAnnotations {
    let from = 0;
    const placed = file.sentences.map((sentence) => {
      const one = placedAt(sentence, from);
      from = one.to + 2; // the blank line
      return one;
    });
    return new FileAnnotations(file, placed, shown);
  }

  /** Of a file that was kept with a text; sentences whose places were not kept are recognised by their lines. */
  static restored(kept: KeptFile | null, doc: Text, places: readonly KeptPlace[] | undefined): FileAnnotations {
    if (!kept) return FileAnnotations.NONE;
    const { name, contents, shown = null } = kept;
    const file = conlluFile(name, contents, shown?.part.line);
    const placed = (places ?? []).flatMap((place) => restoredPlace(file, place, doc.length) ?? []);
    return new FileAnnotations(file, placed, shown).recognised(doc, [{ from: 0, to: doc.length }]);
  }

  /** As `restored` takes them. */
  get places(): KeptPlace[] {
    return this.placed.map(({ sentence, from, to, words, isTouched }) => {
      const tokens = isTouched ? words.flatMap(({ number, from, to }) => [number, from, to]) : [];
      return [sentence.place, from, to, ...tokens];
    });
  }

  /** How many sentences of the file stand nowhere in the text. */
  get missing(): number {
    return (this.file?.sentences.length ?? 0) - this.placed.length;
  }

  /** After changes that were made one after the other, from left to right. */
  changed(changes: readonly TextChange[], doc: Text): FileAnnotations {
    if (!this.file || !changes.length) return this;
    const mapped = this.placed.map((one) => changes.reduce<PlacedFileSentence>(mapSentence, one));
    const left = mapped.filter((one) => one.from < one.to && (one.words.length || !hasPlaces(one.sentence)));
    const inserted = changes.filter(({ text }) => text).map(({ from, text }) => ({ from, to: from + text.length }));
    return new FileAnnotations(this.file, left, this.shown).recognised(doc, inserted);
  }

  /** Sentences that stand nowhere are found again in lines that say what they say: of several, the next in the file. */
  private recognised(doc: Text, spans: readonly Span[]): FileAnnotations {
    if (!this.file || !this.missing) return this;
    const known = sentencesByText(this.file);
    const placed = [...this.placed];
    const taken = new Set(placed.map(({ sentence }) => sentence));
    for (const line of linesIn(doc, spans)) {
      const free = known.get(line.text)?.filter((sentence) => !taken.has(sentence));
      if (!free?.length || placed.some(({ from, to }) => from < line.to && to > line.from)) continue;
      const index = placed.filter(({ from }) => from < line.from).length;
      const before = placed[index - 1]?.sentence.place ?? -1;
      const sentence = free.find(({ place }) => place > before) ?? free[0]!;
      placed.splice(index, 0, placedAt(sentence, line.from));
      taken.add(sentence);
    }
    return new FileAnnotations(this.file, placed, this.shown);
  }
}

/** Whether the text of a sentence is as the file has it. */
export function isAsOpened({ sentence, from, to }: PlacedFileSentence, text: string): boolean {
  return text.slice(from, to) === sentence.text;
}

/** The text of a file with its annotations. */
export function opened(
  file: ConlluFile,
  shown: ShownPart | null = null,
): { text: string; annotations: FileAnnotations } {
  return { text: textOfFile(file), annotations: FileAnnotations.ofFile(file, shown) };
}

function hasPlaces({ tokens }: FileSentence): boolean {
  return tokens.some((span) => span !== null);
}

function placedAt(sentence: FileSentence, from: number): PlacedFileSentence {
  const words = sentence.tokens.flatMap((span, number) => (span ? { number, ...span } : []));
  return { sentence, from, to: from + sentence.text.length, words, isTouched: false };
}

function restoredPlace({ sentences }: ConlluFile, kept: KeptPlace, length: number): PlacedFileSentence | null {
  const [place, from, to, ...tokens] = kept as [number, number, number, ...number[]];
  const sentence = sentences[place];
  if (!sentence || to > length) return null;
  if (!tokens.length) return placedAt(sentence, from);
  const words = Array.from({ length: tokens.length / 3 }, (_, index) => {
    const [number, from, to] = tokens.slice(3 * index) as [number, number, number];
    return { number, from, to };
  });
  return { sentence, from, to, words, isTouched: true };
}

const KNOWN = new WeakMap<ConlluFile, Map<string, FileSentence[]>>();

function sentencesByText(file: ConlluFile): Map<string, FileSentence[]> {
  const known = KNOWN.get(file) ?? new Map<string, FileSentence[]>();
  if (!KNOWN.has(file))
    for (const sentence of file.sentences) known.set(sentence.text, [...(known.get(sentence.text) ?? []), sentence]);
  KNOWN.set(file, known);
  return known;
}

/** The lines that some spans touch, without the white space around them. */
function* linesIn(doc: Text, spans: readonly Span[]): Generator<Span & { text: string }> {
  for (const span of spans)
    for (let number = doc.lineAt(span.from).number; number <= doc.lineAt(span.to).number; number++) {
      const line = doc.line(number);
      const text = line.text.trim();
      const from = line.from + line.text.indexOf(text);
      if (text) yield { from, to: from + text.length, text };
    }
}
