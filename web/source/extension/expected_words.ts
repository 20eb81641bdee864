/**
 * Words that must still come, told behind the end of their sentence once nobody has typed for a while.
 *
 * They are written by style alone: nothing stands in the text that could part a word or move the cursor, and what
 * is typed next always stands before them.
 */

import { StateEffect, StateField, type EditorState, type Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type PluginValue,
  type ViewUpdate,
} from "@codemirror/view";
import { isWhole, type PlacedSentence } from "../client/index.ts";
import { analysesField, sentencesOf } from "./analyses_field.ts";

/** Milliseconds without an edit after which somebody may like to know: at 30 words a minute letters come sooner. */
const PAUSE = 600;
const ATTRIBUTE = "data-expected";

const paused = StateEffect.define<null>();

/** Whether nobody is typing. */
const pausedField = StateField.define<boolean>({
  create: () => false,
  update: (before, { docChanged, effects }) => !docChanged && (before || effects.some((effect) => effect.is(paused))),
});

class Pause implements PluginValue {
  private timer = 0;

  constructor(private readonly view: EditorView) {
    this.wait();
  }

  update({ docChanged }: ViewUpdate): void {
    if (docChanged) this.wait();
  }

  destroy(): void {
    clearTimeout(this.timer);
  }

  private wait(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.view.dispatch({ effects: paused.of(null) }), PAUSE);
  }
}

/** The lines behind which words are told that must still come. */
export function expectedIn(state: EditorState): DecorationSet {
  return Decoration.set(
    sentencesOf(state).flatMap((sentence) => expectedBehind(sentence, state)),
    true,
  );
}

function expectedBehind(sentence: PlacedSentence, state: EditorState): Range<Decoration>[] {
  const { analysis, to, isTouched } = sentence;
  if (isTouched || !analysis.virtual.length || isWhole(analysis) || to > state.doc.length) return [];
  const line = state.doc.lineAt(to);
  if (state.sliceDoc(to, line.to).trim()) return [];
  const tags = analysis.virtual.map(({ tag }) => tag.toLowerCase()).join(", ");
  return [Decoration.line({ class: "tw-expecting", attributes: { [ATTRIBUTE]: tags } }).range(line.from)];
}

const shownField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, { state, startState, docChanged }) {
    if (docChanged || !state.field(pausedField)) return Decoration.none;
    const isSame = startState.field(pausedField) && state.field(analysesField) === startState.field(analysesField);
    return isSame ? shown : expectedIn(state);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A line is clipped at its end, so that what is told there never makes the text wider. */
const style = EditorView.baseTheme({
  ".tw-expecting": { position: "relative", overflowX: "clip" },
  ".tw-expecting::after": {
    content: `attr(${ATTRIBUTE})`,
    position: "absolute",
    marginBlockStart: "0.15em",
    marginInlineStart: "0.75em",
    padding: "0 0.4em",
    border: "1px dashed currentColor",
    borderRadius: "0.4em",
    fontStyle: "italic",
    fontSize: "0.8em",
    whiteSpace: "nowrap",
    color: "var(--editor-ghost, #69758b)",
    pointerEvents: "none",
  },
  "@supports (content: 'a' / '')": { ".tw-expecting::after": { content: `attr(${ATTRIBUTE}) / ""` } },
});

export const expectedWords = [pausedField, shownField, ViewPlugin.fromClass(Pause), style];
