/** What an editor shows of analyses in its text: how firm words are, and conflicts. */

import { type ChangeSet, type EditorState, type Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { isComplete, toldConflicts, type PlacedSentence, type Span } from "../client/index.ts";
import { sentencesOf, setSentences } from "./analyses_field.ts";

const PROVISIONAL = Decoration.mark({ class: "tw-provisional" });
const CONFLICT = Decoration.mark({ class: "tw-conflict" });

/** A line that is longer than a page is drawn for a long way around; marks in all of it would make typing slow. */
const LONG = 8000;
const NEAR = 1000;

/** What is in view, or the text around the cursor where a single line fills the view. */
function markedRanges({ visibleRanges, state }: EditorView): readonly { from: number; to: number }[] {
  const cursor = state.selection.main.head;
  return visibleRanges.map(({ from, to }) => {
    if (to - from < LONG) return { from, to };
    return { from: Math.max(from, cursor - NEAR), to: Math.min(to, cursor + NEAR) };
  });
}

/** The marks of the sentences that overlap some ranges. */
export function marksIn(state: EditorState, ranges: readonly { from: number; to: number }[]): DecorationSet {
  const visible = sentencesOf(state).filter((one) =>
    ranges.some((range) => one.from <= range.to && one.to >= range.from),
  );
  return Decoration.set(visible.flatMap(marksOf), true);
}

function marksOf(sentence: PlacedSentence): Range<Decoration>[] {
  const numbers = new Set(toldConflicts(sentence).flatMap((conflict) => conflict.words));
  const conflicting = sentence.words.filter((word) => numbers.has(word.number));
  const marked = (mark: Decoration, spans: readonly Span[]) =>
    spans.map(({ from, to }) => mark.range(sentence.from + from, sentence.from + to));
  return [...marked(PROVISIONAL, provisionalRuns(sentence)), ...marked(CONFLICT, conflicting)];
}

/** From the first word that may still change to the last one, broken only where words between them are gone. */
function provisionalRuns({ analysis, words, isTouched }: PlacedSentence): Span[] {
  if (isComplete(analysis) && !isTouched) return [];
  const runs: (Span & { last: number })[] = [];
  for (const { number, from, to } of words) {
    const run = runs.at(-1);
    if (number <= analysis.stable_upto) continue;
    if (run?.last === number - 1) runs[runs.length - 1] = { from: run.from, to, last: number };
    else runs.push({ from, to, last: number });
  }
  return runs;
}

/** Marks go along with what is typed; where text is replaced, the sentences know what of it has stayed. */
function isInsertion(changes: ChangeSet): boolean {
  let isInsertion = true;
  changes.iterChangedRanges((fromA, toA) => (isInsertion &&= fromA === toA));
  return isInsertion;
}

/** Marks what is in view. */
export const marks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = marksIn(view.state, markedRanges(view));
    }

    update({ view, state, changes, docChanged, viewportChanged, transactions }: ViewUpdate): void {
      const isNew = transactions.some((one) => one.effects.some((effect) => effect.is(setSentences)));
      if (isNew || viewportChanged || (docChanged && !isInsertion(changes))) {
        this.decorations = marksIn(state, markedRanges(view));
      } else if (docChanged) this.decorations = this.decorations.map(changes);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

export const markStyle = EditorView.baseTheme({
  ".tw-provisional": {
    textDecoration: "underline dotted",
    textDecorationColor: "var(--editor-provisional, #9aa4b5)",
    textUnderlineOffset: "5px",
    textDecorationThickness: "1.5px",
  },
  ".tw-conflict": {
    textDecoration: "underline wavy",
    textDecorationColor: "var(--editor-conflict, #c2410c)",
    textUnderlineOffset: "4px",
    textDecorationThickness: "1px",
  },
});
