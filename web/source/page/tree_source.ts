/** Whose annotation of the current sentence is shown and copied: the file's, where one was opened, or the parser's. */

import { Signal } from "../client/index.ts";
import type { TreeAnalysis } from "../tree/index.ts";
import type { AnnotatedSentence } from "./annotated_sentences.ts";
import type { Blind } from "./blind.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import type { TreeView } from "./tree_view.ts";
import { text } from "./texts.ts";

export class TreeSource {
  readonly changed = new Signal<void>();
  private wantsParsed = false;

  constructor(
    private readonly view: TreeView,
    readonly blind: Blind,
  ) {
    view.changed.listen(() => this.changed.emit());
    blind.changed.listen(() => this.changed.emit());
  }

  /** What is shown of a sentence: files have no phrases. */
  of({ annotated, parsed }: CurrentSentence): AnnotatedSentence | null {
    return this.isParsers ? parsed : annotated;
  }

  /** That of the current sentence, as it may be drawn and told. */
  treeOf(now: CurrentSentence): TreeAnalysis | null {
    const annotated = this.of(now);
    return annotated && this.blind.treeOf(annotated);
  }

  get isParsers(): boolean {
    return this.wantsParsed || this.view.shown !== "dependencies";
  }

  turn(): void {
    this.wantsParsed = !this.wantsParsed;
    this.changed.emit();
  }
}

/** A choice where a file says something of the sentence, and the parser as well. */
export function offerSources({ current, source, view }: Page): void {
  const button = part<HTMLButtonElement>("tree-source");
  let isOfFile = false;
  const show = () => {
    button.hidden = !isOfFile || view.shown !== "dependencies";
    button.textContent = text(source.isParsers ? "source.file" : "source.parser");
  };
  current.listen(({ annotated, parsed }) => {
    isOfFile = parsed !== null && (annotated?.isOfFile ?? false);
    show();
  });
  source.changed.listen(show);
  button.onclick = () => source.turn();
}
