/** Goes from sentence to sentence of the text, and over the whole of a file that is shown in parts. */

import { annotatedSentences, type AnnotatedSentence } from "./annotated_sentences.ts";
import { Signal } from "../client/index.ts";
import { conlluFile, type FileSentence } from "./conllu_files.ts";
import type { Filter } from "./filters.ts";
import type { Outcome } from "./awaited_trees.ts";
import { sentenceOf, type FileParts, type PlaceInPart } from "./file_parts.ts";
import type { Page } from "./page_parts.ts";
import type { FilePart } from "./sliced_file.ts";
import { text, type TextKey } from "./texts.ts";

const NOT_SHOWN: Readonly<Record<Exclude<Outcome, "ready">, TextKey>> = {
  "too long": "stepping.long",
  late: "stepping.late",
  "called off": "stepping.stays",
};

/** Called before the cursor goes to another sentence. */
type Before = () => void;

/** A sentence of a part of the file that was looked at. */
export interface Look {
  readonly part: FilePart;
  readonly sentence: FileSentence;
  /** Whether it is gone to. */
  readonly isWanted: boolean;
  /** Whether it is the last one of its part. */
  readonly isLast: boolean;
}

export class Stepping {
  /** The filter is another one. */
  readonly filtered = new Signal<void>();
  private chosen: Filter | null = null;
  /** How many sentences have been looked at for the next one. */
  readonly looked = new Signal<number>();
  private searches = 0;

  constructor(private readonly page: Pick<Page, "document" | "editor"> & { readonly parts: FileParts }) {}

  /** Which sentences of the file are gone to; null for all. */
  get filter(): Filter | null {
    return this.chosen;
  }

  set filter(filter: Filter | null) {
    this.chosen = filter;
    this.filtered.emit();
  }

  /** Goes to the next sentence, or to the one before; what it tells is empty if it has. */
  async step(by: 1 | -1, before: Before = () => {}): Promise<string> {
    const search = ++this.searches;
    const { sentences } = this;
    const { head } = this.page.editor.state.selection.main;
    const found = sentences.findLastIndex(({ from }) => from <= head);
    const now = Math.max(0, found);
    if (this.filter && this.page.parts.annotations.shown)
      return this.stepToOther(this.filter, by, sentences[now]?.firstOfFile?.place ?? -1, search, before);
    const next = sentences[now + by];
    if (next) return this.select(next.from, before);
    const part = await this.partBeside(by);
    if (part) return this.show(part, by > 0 ? 0 : "last", before);
    return text(by > 0 ? "stepping.last" : "stepping.first");
  }

  /** Whether the sentence at the cursor is one of those that are gone to. */
  isWanted(annotated: AnnotatedSentence | null): boolean | Promise<boolean> {
    const sentence = annotated?.firstOfFile;
    return !this.filter || (sentence ? this.filter(sentence) : false);
  }

  /** How many sentences of the file are gone to, as far as they are counted; ends with the filter. */
  async *counted(): AsyncGenerator<number> {
    let count = 0;
    for await (const { isWanted, isLast } of this.looks()) {
      if (isWanted) count++;
      if (isLast) yield count;
    }
  }

  /** All sentences of the file, and which of them are gone to; ends with the filter. */
  async *looks(): AsyncGenerator<Look> {
    const { filter } = this;
    const { shown } = this.page.parts.annotations;
    for (let number = 0; filter && shown; number++) {
      const part = await shown.sliced.part(number);
      if (!part) return;
      const sentences = await this.sentencesOf(part);
      for (const sentence of sentences) {
        const isWanted = await filter(sentence);
        if (this.filter !== filter) return;
        yield { part, sentence, isWanted, isLast: sentence === sentences.at(-1) };
      }
    }
  }

  private async stepToOther(
    filter: Filter,
    by: 1 | -1,
    place: number,
    search: number,
    before: Before,
  ): Promise<string> {
    const shown = this.page.parts.annotations.shown!;
    let looked = 0;
    for (let number = shown.part.number; number >= 0; number += by) {
      const part = await shown.sliced.part(number);
      if (!part) break;
      const sentences = await this.sentencesOf(part);
      for (const sentence of by > 0 ? sentences : sentences.reverse()) {
        if (part.number === shown.part.number && (sentence.place - place) * by <= 0) continue;
        if (await filter(sentence)) return search === this.searches ? this.show(part, sentence.place, before) : "";
        if (search !== this.searches) return "";
        this.looked.emit(++looked);
      }
    }
    return text(by > 0 ? "stepping.none-after" : "stepping.none-before");
  }

  /** The sentences of a part as they are now. */
  async sentencesOf(part: FilePart): Promise<FileSentence[]> {
    const { parts } = this.page;
    const { shown } = parts.annotations;
    if (!shown) return [];
    const known = part.number === shown.part.number ? parts.rewritten(shown) : shown.rewritten;
    const contents = known.get(part.number) ?? (await shown.sliced.textOf(part));
    return [...conlluFile(shown.sliced.name, contents, part.line).sentences];
  }

  /** Goes to a sentence of the file, by its number from 1 on. */
  async goTo(number: number, before: Before = () => {}): Promise<string> {
    const part = await this.page.parts.annotations.shown?.sliced.partWith(number - 1);
    if (!part || number < 1) return text("stepping.none");
    return this.show(part, number - 1 - part.before, before);
  }

  /** The number in the file of the sentence at the cursor, from 1 on; null for one that is not of the file. */
  numberOf(annotated: AnnotatedSentence | null): number | null {
    const first = annotated?.firstOfFile;
    return first ? (this.page.parts.annotations.shown?.part.before ?? 0) + first.place + 1 : null;
  }

  /** Those of the text. */
  get sentences(): AnnotatedSentence[] {
    const { document, parts } = this.page;
    return annotatedSentences(parts.text, document.sentences, parts.annotations, parts.decisions);
  }

  /** The next part with sentences, or the one before. */
  private async partBeside(by: 1 | -1): Promise<FilePart | null> {
    const { shown } = this.page.parts.annotations;
    if (!shown) return null;
    for (let number = shown.part.number + by; number >= 0; number += by) {
      const part = await shown.sliced.part(number);
      if (!part || part.count) return part;
    }
    return null;
  }

  /** Shows a sentence of a part of the file. */
  async show(part: FilePart, place: PlaceInPart, before: Before = () => {}): Promise<string> {
    const { annotations } = this.page.parts;
    if (annotations.shown?.part.number === part.number)
      return this.select(sentenceOf(annotations, place)?.from ?? 0, before);
    try {
      const outcome = await this.page.parts.show(part, place, before);
      return outcome === "ready" ? "" : text(NOT_SHOWN[outcome]);
    } catch (error) {
      const reason = error instanceof TypeError ? text("stepping.no-text") : (error as Error).message;
      return text("stepping.not-shown", { first: part.before + 1, last: part.before + part.count, reason });
    }
  }

  /** Goes to a place in the text. */
  select(from: number, before: Before = () => {}): string {
    before();
    this.page.editor.dispatch({ selection: { anchor: from }, scrollIntoView: true });
    return "";
  }
}
