/** The annotations of an opened file as part of the editor's state: every transaction maps them. */

import { invertedEffects } from "@codemirror/commands";
import { StateEffect, StateField, type EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { Signal } from "../client/index.ts";
import { changesInOrder } from "../extension/analyses_field.ts";
import { FileAnnotations } from "./file_annotations.ts";
import { beginReplay } from "./replaying.ts";

/** Other annotations, in the text that the transaction leads to. */
export const setAnnotations = StateEffect.define<FileAnnotations>();

/** What a replay types is nobody's annotation; the state of before, which it puts back, has them all. */
const field = StateField.define<FileAnnotations>({
  create: () => FileAnnotations.NONE,
  update(annotations, { changes, docChanged, effects, newDoc, startState }) {
    if (effects.some((effect) => effect.is(beginReplay))) return FileAnnotations.NONE;
    const now = docChanged ? annotations.changed(changesInOrder(changes, startState.doc), newDoc) : annotations;
    return effects.reduce((before, effect) => (effect.is(setAnnotations) ? effect.value : before), now);
  },
});

export function annotationsOf(state: EditorState): FileAnnotations {
  return state.field(field);
}

/** Begins with some annotations, and tells when they are those of another file. Undoing brings the file before back. */
export function followAnnotations(first: FileAnnotations, fileChanged: Signal<void>): Extension {
  return [
    field.init(() => first),
    invertedEffects.of(({ effects, startState }) =>
      effects.some((effect) => effect.is(setAnnotations)) ? [setAnnotations.of(startState.field(field))] : [],
    ),
    EditorView.updateListener.of(({ startState, state, transactions }) => {
      const isReplay = transactions.some(({ effects }) => effects.some((effect) => effect.is(beginReplay)));
      if (!isReplay && startState.field(field).file !== state.field(field).file) fileChanged.emit();
    }),
  ];
}
