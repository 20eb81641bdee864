/**
 * The file whose sentences stand in the text, of which one part is shown at a time. What a part has become is kept
 * when another one takes its place; undoing brings both back.
 */

import { isolateHistory } from "@codemirror/commands";
import { Signal } from "../client/index.ts";
import { annotationsOf, setAnnotations } from "./annotations_field.ts";
import { AwaitedTrees, type Outcome } from "./awaited_trees.ts";
import { conlluFile } from "./conllu_files.ts";
import type { Decisions } from "./decisions.ts";
import { decisionsOf, setDecisions } from "./decisions_field.ts";
import { opened, type FileAnnotations, type PlacedFileSentence, type ShownPart } from "./file_annotations.ts";
import type { Page } from "./page_parts.ts";
import { savedConllu, type SavedConllu } from "./saved_conllu.ts";
import type { FilePart } from "./sliced_file.ts";

/** A sentence of a part, by its number in that from 0 on, or the last one. */
export type PlaceInPart = number | "last";

export class FileParts {
  /** Whether trees are waited for. */
  readonly waiting = new Signal<boolean>();
  private awaited: AwaitedTrees | null = null;

  constructor(private readonly page: Pick<Page, "document" | "editor" | "fixing">) {}

  get text(): string {
    return this.page.editor.state.doc.toString();
  }

  get decisions(): Decisions {
    return decisionsOf(this.page.editor.state);
  }

  get annotations(): FileAnnotations {
    return annotationsOf(this.page.editor.state);
  }

  /** What is shown as CoNLL-U; to be asked once all of it has its trees. */
  saved(): SavedConllu {
    return savedConllu(this.text, this.page.document.sentences, this.annotations, this.decisions);
  }

  /** What parts have become, with the one that is shown. */
  rewritten({ part, rewritten }: ShownPart): ReadonlyMap<number, string> {
    const { contents } = this.saved();
    const isAsOpened = contents === this.annotations.file?.contents;
    return isAsOpened ? rewritten : new Map([...rewritten, [part.number, contents]]);
  }

  /** Shows another part, with the cursor at one of its sentences, once all of this one has its trees. */
  async show(part: FilePart, place: PlaceInPart, before = () => {}): Promise<Outcome> {
    const { shown } = this.annotations;
    if (!shown) return "called off";
    const contents = shown.rewritten.get(part.number) ?? (await shown.sliced.textOf(part));
    const outcome = await this.allTrees();
    if (outcome !== "ready") return outcome;
    if (this.annotations.shown !== shown) return "called off";
    const next = { ...shown, part, rewritten: this.rewritten(shown) };
    before();
    this.put(contents, next, place);
    return "ready";
  }

  private put(contents: string, shown: ShownPart, place: PlaceInPart): void {
    const { text, annotations } = opened(conlluFile(shown.sliced.name, contents, shown.part.line), shown);
    const { editor } = this.page;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      effects: [setDecisions.of([]), setAnnotations.of(annotations)],
      annotations: isolateHistory.of("full"),
      selection: { anchor: sentenceOf(annotations, place)?.from ?? 0 },
      scrollIntoView: true,
    });
  }

  async allTrees(): Promise<Outcome> {
    this.callOff();
    const awaited = new AwaitedTrees(this.page);
    this.awaited = awaited;
    const timer = setTimeout(() => this.waiting.emit(true), 0); // not if all is there
    const outcome = await awaited.outcome;
    clearTimeout(timer);
    if (this.awaited === awaited) this.waiting.emit(false);
    return outcome;
  }

  callOff(): void {
    this.awaited?.callOff();
  }
}

/** The sentence of what is shown of a file, where it stands, or the next one that does. */
export function sentenceOf({ placed }: FileAnnotations, place: PlaceInPart): PlacedFileSentence | undefined {
  return place === "last" ? placed.at(-1) : (placed.find(({ sentence }) => sentence.place >= place) ?? placed.at(-1));
}
