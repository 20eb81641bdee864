/** Follows the cursor: tells which sentence is the current one whenever that or its analysis changes. */

import { EditorView } from "@codemirror/view";
import type { Extension } from "@codemirror/state";
import { sentenceAt, type ClientDocument, type Signal } from "../client/index.ts";
import type { CurrentSentence } from "./page_parts.ts";

/** Tells it once a frame, of the newest analyses: the marks in the text may be behind. */
export function followCursor(document: ClientDocument, current: Signal<CurrentSentence>): Extension {
  let frame = 0;
  let cursor = 0;
  let told: CurrentSentence | null = null;
  const tell = () => {
    frame = 0;
    const sentence = sentenceAt(document.sentences, cursor);
    if (told?.sentence === sentence && told?.cursor === cursor) return;
    told = { sentence, cursor };
    current.emit(told);
  };
  const tellSoon = () => (frame ||= requestAnimationFrame(tell));
  document.changed.listen(tellSoon);
  return EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
    cursor = state.selection.main.head;
    if (selectionSet || docChanged) tellSoon();
  });
}
