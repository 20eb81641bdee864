/** The analyses that an editor shows, at their places in its text; every transaction maps them. */

import { StateEffect, StateField, type ChangeSet, type EditorState, type Text } from "@codemirror/state";
import { mapSentence, smallestEdit, type PlacedSentence, type TextChange } from "../client/index.ts";

/** Newer analyses, in the text that the transaction leads to. */
export const setSentences = StateEffect.define<readonly PlacedSentence[]>();

const field = StateField.define<readonly PlacedSentence[]>({
  create: () => [],
  update(sentences, transaction) {
    const { docChanged, changes, startState } = transaction;
    const changed = docChanged ? mapSentences(sentences, changes, startState.doc) : sentences;
    return transaction.effects.reduce((now, effect) => (effect.is(setSentences) ? effect.value : now), changed);
  },
});

export const analysesField = field;

/** The analysed sentences of an editor; none if it has no such extension. */
export function sentencesOf(state: EditorState): readonly PlacedSentence[] {
  return state.field(field, false) ?? [];
}

function mapSentences(
  sentences: readonly PlacedSentence[],
  changes: ChangeSet,
  before: Text,
): readonly PlacedSentence[] {
  const inOrder = changesInOrder(changes, before);
  return inOrder.reduce((mapped, change) => mapped.map((one) => mapSentence(one, change)), sentences);
}

/** What changes in a text, as it is done one after the other, from left to right; what stays the same is no change. */
export function changesInOrder(changes: ChangeSet, before: Text): TextChange[] {
  const inOrder: TextChange[] = [];
  changes.iterChanges((fromA, toA, fromB, _, inserted) => {
    const change = smallestEdit(fromB, before.sliceString(fromA, toA), inserted.toString());
    if (change) inOrder.push(change);
  }, true);
  return inOrder;
}
