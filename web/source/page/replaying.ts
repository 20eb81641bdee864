/** Whether an editor shows a replay: its text is then not what somebody has written. */

import { StateEffect, StateField, type EditorState } from "@codemirror/state";

export const beginReplay = StateEffect.define<null>();

/** It ends when the state of before is put back. */
export const replayField = StateField.define<boolean>({
  create: () => false,
  update: (isReplaying, { effects }) => isReplaying || effects.some((effect) => effect.is(beginReplay)),
});

export function isReplaying(state: EditorState): boolean {
  return state.field(replayField);
}
