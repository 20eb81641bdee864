/** What the parts of the page share: each part is a module that takes this and looks after its own elements. */

import type { EditorView } from "@codemirror/view";
import type { ClientDocument, PlacedSentence, TreewhileClient } from "../client/index.ts";
import { Signal } from "../client/index.ts";

/** The sentence at the cursor, with the place of the cursor in the text. */
export interface CurrentSentence {
  readonly sentence: PlacedSentence | null;
  readonly cursor: number;
}

export interface Page {
  readonly client: TreewhileClient;
  readonly document: ClientDocument;
  readonly editor: EditorView;
  /** The sentence at the cursor is another one, or has another analysis, or the cursor has moved. */
  readonly current: Signal<CurrentSentence>;
}

/** The element with an id that index.html has. */
export function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}
