/**
 * A file that may be larger than what a page can show: it is read in slices, and parted between sentences. Only the
 * parts that are shown or searched become text; all others stay bytes, and are saved as such. No DOM in it.
 */

import { Signal } from "../client/index.ts";

/** Whole sentences, one after the other, with all that stands between them. */
export interface FilePart {
  readonly number: number;
  /** In bytes. */
  readonly start: number;
  readonly end: number;
  /** The number of its first line, from 1 on. */
  readonly line: number;
  /** How many sentences stand before it, and in it. */
  readonly before: number;
  readonly count: number;
}

const SLICE = 1 << 20; // bytes
const MOST_BYTES = 1 << 18; // of a part, and what its last sentence has more
const MOST_SENTENCES = 200; // of a part
const [TAB, LINE_FEED, RETURN, SPACE, ZERO, NINE] = [9, 10, 13, 32, 48, 57];

export class SlicedFile {
  /** All parts that are found so far. */
  readonly parts: FilePart[] = [];
  isWhole = false;
  /** More parts are found. */
  readonly grown = new Signal<void>();
  private readonly finder = new PartFinder();
  private readonly found: Promise<void>;
  private wakes: (() => void)[] = [];

  constructor(
    readonly name: string,
    private bytes: Blob,
  ) {
    this.found = this.find();
    this.found.catch(() => this.wake()); // whoever waits for a part is told
  }

  get blob(): Blob {
    return this.bytes;
  }

  /** How many sentences are found so far. */
  get count(): number {
    const last = this.parts.at(-1);
    return last ? last.before + last.count : 0;
  }

  /** A part by its number, as soon as it is found; null if there is none. */
  async part(number: number): Promise<FilePart | null> {
    while (!this.parts[number] && !this.isWhole)
      await Promise.race([this.found, new Promise<void>((wake) => this.wakes.push(wake))]);
    return this.parts[number] ?? null;
  }

  /** The part with a sentence, by its number in the file from 0 on. */
  async partWith(sentence: number): Promise<FilePart | null> {
    for (let number = 0; ; number++) {
      const part = await this.part(number);
      if (!part || sentence < part.before + part.count) return part;
    }
  }

  /** A TypeError says that it is no text in UTF-8. */
  async textOf({ start, end }: FilePart): Promise<string> {
    const bytes = await this.bytes.slice(start, end).arrayBuffer();
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  }

  /** The file with other texts in the place of some parts, by their numbers. */
  async with(rewritten: ReadonlyMap<number, string>): Promise<Blob> {
    await this.found;
    const pieces = this.parts.map(({ number, start, end }) => rewritten.get(number) ?? this.bytes.slice(start, end));
    return new Blob(pieces, { type: "text/plain" });
  }

  /** A file on disk may be written over: what was read of it is kept. */
  private async find(): Promise<void> {
    const slices: ArrayBuffer[] = [];
    for (let start = 0; start < this.bytes.size; start += SLICE) {
      const slice = await this.bytes.slice(start, start + SLICE).arrayBuffer();
      slices.push(slice);
      this.parts.push(...this.finder.take(new Uint8Array(slice)));
      if (start + SLICE < this.bytes.size) this.wake();
    }
    this.parts.push(...this.finder.end());
    this.isWhole = true;
    this.bytes = new Blob(slices);
    this.wake();
  }

  private wake(): void {
    const { wakes } = this;
    this.wakes = [];
    for (const wake of wakes) wake();
    this.grown.emit();
  }
}

type OpenPart = { -readonly [Key in keyof FilePart]: FilePart[Key] };

/** Finds parts in bytes that come slice by slice; lines may be cut between two slices. */
export class PartFinder {
  private part: OpenPart = { number: 0, start: 0, end: 0, line: 1, before: 0, count: 0 };
  private place = 0; // of the next line, in bytes
  private line = 1; // its number
  private isInSentence = false; // the line before is not blank
  private isCounted = false; // the sentence has a line of a word
  // of the line that is being read
  private length = 0;
  private isBlank = true;
  private isWord = false;

  take(bytes: Uint8Array): FilePart[] {
    const parts: FilePart[] = [];
    for (let from = 0; from < bytes.length;) {
      const found = bytes.indexOf(LINE_FEED, from);
      const to = found < 0 ? bytes.length : found;
      this.read(bytes, from, to);
      if (found < 0) break;
      this.length++;
      parts.push(...this.endLine());
      from = to + 1;
    }
    return parts;
  }

  end(): FilePart[] {
    const parts = this.length ? this.endLine() : [];
    return this.place > this.part.start ? [...parts, this.closed()] : parts;
  }

  private read(bytes: Uint8Array, from: number, to: number): void {
    if (!this.length && to > from) this.isWord = bytes[from]! >= ZERO && bytes[from]! <= NINE;
    for (let at = from; this.isBlank && at < to; at++) this.isBlank = isSpace(bytes[at]!);
    this.length += to - from;
  }

  private endLine(): FilePart[] {
    const begins = !this.isBlank && !this.isInSentence;
    const isFull = this.part.count >= MOST_SENTENCES || this.place - this.part.start >= MOST_BYTES;
    const parts = begins && isFull && this.part.count ? [this.closed()] : [];
    if (begins) this.isCounted = false;
    if (this.isWord && !this.isCounted) {
      this.part.count++;
      this.isCounted = true;
    }
    this.isInSentence = !this.isBlank;
    this.place += this.length;
    this.line++;
    this.length = 0;
    [this.isBlank, this.isWord] = [true, false];
    return parts;
  }

  private closed(): FilePart {
    const { number, start, line, before, count } = this.part;
    const end = this.place;
    this.part = { number: number + 1, start: end, end, line: this.line, before: before + count, count: 0 };
    return { number, start, end, line, before, count };
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === TAB || byte === RETURN;
}
