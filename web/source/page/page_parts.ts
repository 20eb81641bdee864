/** What the parts of the page share: each part is a module that takes this and looks after its own elements. */

import { isolateHistory } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import type { ClientDocument, PlacedSentence, TreewhileClient } from "../client/index.ts";
import { Signal } from "../client/index.ts";
import type { AnnotatedSentence } from "./annotated_sentences.ts";
import { setAnnotations } from "./annotations_field.ts";
import type { Decisions } from "./decisions.ts";
import { setDecisions } from "./decisions_field.ts";
import type { FileAnnotations } from "./file_annotations.ts";
import type { FileParts } from "./file_parts.ts";
import type { Fixing } from "./fixing.ts";
import type { Keeper } from "./keeper.ts";
import type { ParsedWords } from "./parsed_words.ts";
import type { Stepping } from "./stepping.ts";
import type { TreeSource } from "./tree_source.ts";
import type { TreeView, WantedStreams } from "./tree_view.ts";

/** The sentence at the cursor, with the place of the cursor in the text. */
export interface CurrentSentence {
  readonly sentence: PlacedSentence | null;
  /** With what an opened file says of it. */
  readonly annotated: AnnotatedSentence | null;
  /** As the parser has it, without that. */
  readonly parsed: AnnotatedSentence | null;
  readonly cursor: number;
}

export interface Page {
  readonly client: TreewhileClient;
  readonly document: ClientDocument;
  readonly editor: EditorView;
  readonly keeper: Keeper;
  /** The sentence at the cursor is another one, or has another analysis, or the cursor has moved. */
  readonly current: Signal<CurrentSentence>;
  /** How the sentence is shown. */
  readonly view: TreeView;
  /** Whose annotation is shown and copied. */
  readonly source: TreeSource;
  readonly streams: WantedStreams;
  /** Holds the server to what is decided about words. */
  readonly fixing: Fixing;
  /** Of the file that was opened. */
  readonly parts: FileParts;
  readonly stepping: Stepping;
  /** For sentences of that file with its words. */
  readonly parser: ParsedWords;
  /** Somebody is about to use the text: who plays with it puts it back as it was. */
  readonly interrupted: Signal<void>;
  /** The text is to be typed once more, at a speed in words a minute. */
  readonly played: Signal<string>;
  /** The text is that of another file, or of none. */
  readonly fileChanged: Signal<void>;
}

/** The element with an id that index.html has. */
export function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  return document.getElementById(id) as Kind;
}

/** Another text takes the place of the whole one, with annotations and decisions of its own, which is one thing to undo. */
export function replaceText(
  editor: EditorView,
  text: string,
  cursor: number,
  annotations?: FileAnnotations,
  decisions: Decisions = [],
): void {
  const changes = { from: 0, to: editor.state.doc.length, insert: text };
  const effects = [setDecisions.of(decisions), ...(annotations ? [setAnnotations.of(annotations)] : [])];
  const selection = { anchor: Math.min(cursor, text.length) };
  editor.dispatch({ changes, effects, selection, annotations: isolateHistory.of("full") });
}
