/** Keeps control characters out of an editor, whichever way they come: servers refuse them. */

import { EditorSelection, EditorState, Transaction, type ChangeSpec } from "@codemirror/state";
import { withoutControls } from "../client/index.ts";

export const cleanInput = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || isClean(transaction)) return transaction;
  const { effects, scrollIntoView } = transaction;
  const userEvent = transaction.annotation(Transaction.userEvent);
  const selection = EditorSelection.cursor(cleanedCursor(transaction));
  const said = userEvent === undefined ? {} : { userEvent };
  return { changes: cleanedChanges(transaction), selection, effects, scrollIntoView, ...said };
});

function isClean({ changes }: Transaction): boolean {
  let isClean = true;
  changes.iterChanges((_, __, ___, ____, inserted) => {
    isClean &&= withoutControls(inserted.toString()) === inserted.toString();
  });
  return isClean;
}

function cleanedChanges({ changes }: Transaction): ChangeSpec[] {
  const cleaned: ChangeSpec[] = [];
  changes.iterChanges((from, to, _, __, inserted) => {
    cleaned.push({ from, to, insert: withoutControls(inserted.toString()) });
  });
  return cleaned;
}

/** Where the cursor stands when what is dropped before it is gone. */
function cleanedCursor({ changes, newSelection }: Transaction): number {
  const { head } = newSelection.main;
  let dropped = 0;
  changes.iterChanges((_, __, from, ___, inserted) => {
    const before = inserted.toString().slice(0, Math.max(0, head - from));
    dropped += before.length - withoutControls(before).length;
  });
  return head - dropped;
}
