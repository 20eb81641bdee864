/**
 * A mark behind the cursor, at the end of the text, that fills as the last sentence comes to its end.
 *
 * It lies over the text in a layer of its own, so that nothing in the text moves, and it never moves by itself.
 */

import { EditorSelection, StateEffect, StateField, type EditorState } from "@codemirror/state";
import { Direction, EditorView, layer, RectangleMarker, type LayerMarker } from "@codemirror/view";
import type { CompletenessMessage } from "../client/index.ts";

export type Ends = Pick<CompletenessMessage, "may_end" | "ends">;

/** What is known now; null takes the mark away. */
export const setEnds = StateEffect.define<Ends | null>();

const GAP = 3; // pixels from the cursor
const WIDTH = 8; // pixels, with the border
const MOST_BLANKS = 100; // so much white space may stand between the last sentence and the cursor

const field = StateField.define<Ends | null>({
  create: () => null,
  update: (before, { effects }) => effects.reduce((now, effect) => (effect.is(setEnds) ? effect.value : now), before),
});

/** What the mark shows: nothing unless the cursor stands behind the last sentence. */
export function endsShown(state: EditorState): Ends | null {
  const { head, empty } = state.selection.main;
  if (!empty || state.doc.length - head > MOST_BLANKS || state.sliceDoc(head).trim()) return null;
  return state.sliceDoc(Math.max(0, head - MOST_BLANKS), head).trim() ? state.field(field) : null;
}

class Mark implements LayerMarker {
  constructor(
    private readonly left: number,
    private readonly top: number,
    private readonly height: number,
    private readonly shown: Ends,
  ) {}

  eq(other: Mark): boolean {
    const isThere = this.left === other.left && this.top === other.top && this.height === other.height;
    return isThere && this.shown === other.shown;
  }

  draw(): HTMLElement {
    const mark = document.createElement("div");
    mark.className = "tw-ends";
    this.update(mark);
    return mark;
  }

  update({ style }: HTMLElement): boolean {
    style.left = `${this.left}px`;
    style.top = `${this.top}px`;
    style.height = `${this.height}px`;
    style.setProperty("--ends", `${100 * this.shown.ends}%`);
    style.setProperty("--may-end", `${100 * this.shown.may_end}%`);
    return true;
  }
}

function marksAt(view: EditorView): Mark[] {
  const shown = endsShown(view.state);
  if (!shown) return [];
  const { head } = view.state.selection.main;
  const isLeftwards = view.textDirectionAt(head) === Direction.RTL;
  return RectangleMarker.forRange(view, "", EditorSelection.cursor(head)).map(({ left, top, height }) => {
    return new Mark(isLeftwards ? left - GAP - WIDTH : left + GAP, top, height, shown);
  });
}

const marks = layer({
  above: true,
  class: "tw-ends-layer",
  markers: marksAt,
  update: ({ docChanged, selectionSet, startState, state }) =>
    docChanged || selectionSet || startState.field(field) !== state.field(field),
});

/** Lines end before the room of the mark, shown or not: so it never lies over a letter, and no text moves for it. */
const style = EditorView.baseTheme({
  ".cm-line": { paddingInlineEnd: `${GAP + WIDTH}px` },
  ".tw-ends-layer": { pointerEvents: "none" },
  ".tw-ends": {
    boxSizing: "border-box",
    width: `${WIDTH}px`,
    border: "1px solid var(--editor-ghost, #69758b)",
    borderRadius: "3px",
    background: `linear-gradient(to top, var(--editor-ends, #2f5fd0) var(--ends),
      var(--editor-may-end, #2f5fd040) var(--ends) var(--may-end), transparent var(--may-end))`,
  },
});

export const endsMark = [field, marks, style];
