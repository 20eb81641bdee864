/** The analyses that an editor shows, at their places in its text; every transaction maps them. */

import { StateEffect, StateField, type ChangeSet, type EditorState } from "@codemirror/state";
import { mapSentence, type Change, type PlacedSentence } from "../client/index.ts";

/** Newer analyses, in the text that the transaction leads to. */
export const setSentences = StateEffect.define<readonly PlacedSentence[]>();

const field = StateField.define<readonly PlacedSentence[]>({
  create: () => [],
  update(sentences, transaction) {
    const changed = transaction.docChanged ? mapSentences(sentences, transaction.changes) : sentences;
    return transaction.effects.reduce((now, effect) => (effect.is(setSentences) ? effect.value : now), changed);
  },
});

export const analysesField = field;

/** The analysed sentences of an editor; none if it has no such extension. */
export function sentencesOf(state: EditorState): readonly PlacedSentence[] {
  return state.field(field, false) ?? [];
}

function mapSentences(sentences: readonly PlacedSentence[], changes: ChangeSet): readonly PlacedSentence[] {
  return changesInOrder(changes).reduce((mapped, change) => mapped.map((one) => mapSentence(one, change)), sentences);
}

/** The changes as they are made one after the other, from left to right. */
export function changesInOrder(changes: ChangeSet): (Change & { readonly text: string })[] {
  const inOrder: (Change & { text: string })[] = [];
  changes.iterChanges((fromA, toA, fromB, _, inserted) => {
    inOrder.push({ from: fromB, to: fromB + toA - fromA, inserted: inserted.length, text: inserted.toString() });
  }, true);
  return inOrder;
}
