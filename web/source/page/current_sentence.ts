/** Follows the cursor: tells which sentence is the current one whenever that or its analysis changes. */

import { EditorView } from "@codemirror/view";
import type { Extension } from "@codemirror/state";
import { sentenceAt, type ClientDocument, type Signal } from "../client/index.ts";
import { annotatedAt } from "./annotated_sentences.ts";
import { annotationsOf } from "./annotations_field.ts";
import type { Decisions } from "./decisions.ts";
import { decisionsOf } from "./decisions_field.ts";
import { FileAnnotations } from "./file_annotations.ts";
import type { CurrentSentence } from "./page_parts.ts";

/**
 * Tells it of the newest analyses: the marks in the text may be behind. The first answer since a frame was drawn is
 * told at once, so that its tree is ready for the next one; all else that comes is told once a frame.
 */
export function followCursor(document: ClientDocument, current: Signal<CurrentSentence>): Extension {
  let frame = 0;
  let isAhead = false;
  let cursor = 0;
  let annotations = FileAnnotations.NONE;
  let told: CurrentSentence | null = null;
  let toldAnnotations = annotations;
  let decisions: Decisions = [];
  let toldDecisions = decisions;
  const tell = () => {
    const sentence = sentenceAt(document.sentences, cursor);
    const isSame = told?.sentence === sentence && told?.cursor === cursor && toldAnnotations === annotations;
    if (isSame && toldDecisions === decisions) return;
    const at = (placed: FileAnnotations) => annotatedAt(document.text, document.sentences, placed, cursor, decisions);
    const parsed = at(FileAnnotations.NONE);
    told = { sentence, cursor, parsed, annotated: annotations.placed.length ? at(annotations) : parsed };
    toldAnnotations = annotations;
    toldDecisions = decisions;
    current.emit(told);
  };
  const tellInFrame = () => {
    frame = 0;
    isAhead = false;
    tell();
  };
  const tellSoon = () => (frame ||= requestAnimationFrame(tellInFrame));
  document.changed.listen(() => {
    if (document.isCurrent && !isAhead) queueMicrotask(tell);
    isAhead ||= document.isCurrent;
    tellSoon();
  });
  return EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
    cursor = state.selection.main.head;
    if (selectionSet) told = null; // a word that was clicked is shown before the cursor is told to be there
    const isAnnotatedAnew = annotations !== annotationsOf(state);
    annotations = annotationsOf(state);
    const isDecidedAnew = decisions !== decisionsOf(state);
    decisions = decisionsOf(state);
    if (selectionSet || docChanged || isAnnotatedAnew || isDecidedAnew) tellSoon();
  });
}
