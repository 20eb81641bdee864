/** How the sentence is shown: as dependencies, as brackets over its words, or as a tree of phrases. */

import { Signal, type ClientDocument, type OptionChanges, type Stream } from "../client/index.ts";
import type { PhraseShape } from "../tree/index.ts";
import { whenModelIsKnown } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";

export type View = "dependencies" | PhraseShape;

const VIEWS: readonly string[] = ["dependencies", "brackets", "tree"] satisfies View[];

export class TreeView {
  readonly changed = new Signal<void>();
  private isOffered = false;

  constructor(private wanted: View) {}

  /** The one that is shown: a model that knows of no phrases has dependencies alone. */
  get shown(): View {
    return this.isOffered ? this.wanted : "dependencies";
  }

  get chosen(): View {
    return this.wanted;
  }

  choose(view: View): void {
    this.wanted = view;
    this.changed.emit();
  }

  offer(isOffered: boolean): void {
    this.isOffered = isOffered;
    this.changed.emit();
  }
}

/** The view that was kept, if it is one. */
export function viewAfter(kept: string | null | undefined): View {
  return VIEWS.includes(kept ?? "") ? (kept as View) : "dependencies";
}

/** What a page wants to be sent unasked, put together from what its parts want. */
export class WantedStreams {
  private steps: Stream | null = null;
  private completeness: Stream | null = null;
  private readonly readers = new Set<HTMLElement>(); // of broken constraints

  constructor(
    private readonly document: ClientDocument,
    private readonly view: TreeView,
  ) {
    let before = view.chosen;
    view.changed.listen(() => {
      if ((before === "dependencies") !== (view.chosen === "dependencies")) this.tell();
      before = view.chosen;
    });
  }

  /** Next steps, plans, or neither. */
  wantSteps(steps: "steps" | "plan" | null): void {
    this.steps = steps;
    this.tell();
  }

  /** How complete the last sentence is, or nothing of that. */
  wantCompleteness(isWanted: boolean): void {
    if (isWanted === (this.completeness !== null)) return;
    this.completeness = isWanted ? "completeness" : null;
    this.tell();
  }

  /** Which constraints each analysis breaks, as long as a part of the page shows them. */
  wantConstraints(part: HTMLElement, isWanted: boolean): void {
    const before = this.readers.size;
    if (isWanted) this.readers.add(part);
    else this.readers.delete(part);
    if (!before !== !this.readers.size) this.tell();
  }

  private tell(): void {
    const constraints: Stream | null = this.readers.size ? "constraints" : null;
    const others = [this.steps, this.completeness, constraints].filter((stream) => stream !== null);
    this.document.setOptions({ streams: [...streamsOf(this.view.chosen), ...others] });
  }
}

/** What a document is opened with for a view. */
export function firstStreams(view: View): OptionChanges {
  return view === "dependencies" ? {} : { streams: streamsOf(view) };
}

function streamsOf(view: View): Stream[] {
  return view === "dependencies" ? ["analyses"] : ["analyses", "constituents"];
}

export function offerViews({ client, document, keeper, view }: Page): void {
  const choice = part<HTMLSelectElement>("tree-view");
  choice.value = view.chosen;
  choice.onchange = () => {
    view.choose(viewAfter(choice.value));
    keeper.note({ view: view.chosen });
  };
  whenModelIsKnown(client, document, ({ abilities }, model) => {
    const isOffered = abilities[model]?.includes("constituents") ?? false;
    part("tree-view-choice").hidden = !isOffered;
    part("tree-view-none").hidden = isOffered;
    view.offer(isOffered);
  });
}
