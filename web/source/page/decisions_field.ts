/** Decisions about words as part of the editor's state: every transaction maps them, and its history undoes them. */

import { invertedEffects, isolateHistory } from "@codemirror/commands";
import {
  StateEffect,
  StateField,
  type ChangeDesc,
  type EditorState,
  type Extension,
  type Transaction,
} from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { changesInOrder } from "../extension/analyses_field.ts";
import { keptDecisions, mapDecisions, type Decisions } from "./decisions.ts";
import type { Keeper } from "./keeper.ts";
import { beginReplay, isReplaying } from "./replaying.ts";

/** Other decisions, in the text that the transaction leads to. */
export const setDecisions = StateEffect.define<Decisions>({ map: mapThrough });

/** What a replay types has none; the state of before, which it puts back, has them all. */
const field = StateField.define<Decisions>({
  create: () => [],
  update(decisions, transaction) {
    if (transaction.effects.some((effect) => effect.is(beginReplay))) return [];
    const mapped = mappedBy(decisions, transaction);
    return transaction.effects.reduce((now, effect) => (effect.is(setDecisions) ? effect.value : now), mapped);
  },
});

export function decisionsOf(state: EditorState): Decisions {
  return state.field(field);
}

/** Decides anew, which is one thing to undo. */
export function decide(editor: EditorView, decisions: Decisions): void {
  editor.dispatch({ effects: setDecisions.of(decisions), annotations: isolateHistory.of("full") });
}

/** Begins with some decisions, and keeps them as they change. What an edit ends comes back when that is undone. */
export function followDecisions(first: Decisions, keeper: Keeper): Extension {
  return [
    field.init(() => first),
    invertedEffects.of((transaction) => {
      const before = transaction.startState.field(field);
      const isSet = transaction.effects.some((effect) => effect.is(setDecisions));
      return isSet || endsSome(before, mappedBy(before, transaction)) ? [setDecisions.of(before)] : [];
    }),
    EditorView.updateListener.of(({ docChanged, startState, state }) => {
      if (startState.field(field) === state.field(field) || isReplaying(state)) return;
      const decisions = keptDecisions(state.field(field));
      if (docChanged) keeper.note({ decisions });
      else keeper.noteNow({ decisions });
    }),
  ];
}

function mappedBy(decisions: Decisions, { changes, docChanged, startState }: Transaction): Decisions {
  if (!docChanged || !decisions.length) return decisions;
  return changesInOrder(changes, startState.doc).reduce(mapDecisions, decisions);
}

/** Whether an edit has ended a decision, or one about a head. */
function endsSome(before: Decisions, after: Decisions): boolean {
  return before.length > after.length || before.some(({ head }, index) => head && !after[index]!.head);
}

/** In the history, what was there before goes with changes that were made beside it. */
function mapThrough(decisions: Decisions, changes: ChangeDesc): Decisions {
  let mapped = decisions;
  changes.iterChangedRanges((fromA, toA, from, toB) => {
    mapped = mapDecisions(mapped, { from, to: from + toA - fromA, inserted: toB - from });
  }, true);
  return mapped;
}
