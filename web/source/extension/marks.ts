/** What an editor shows of analyses in its text: how firm words are, conflicts, and words to come as ghosts. */

import { type ChangeSet, type EditorState, type Range } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import { graveConflicts, type PlacedSentence, type Span } from "../client/index.ts";
import { sentencesOf, setSentences } from "./analyses_field.ts";

const PROVISIONAL = Decoration.mark({ class: "tw-provisional" });
const CONFLICT = Decoration.mark({ class: "tw-conflict" });

class Ghost extends WidgetType {
  constructor(private readonly tag: string) {
    super();
  }

  override eq(other: Ghost): boolean {
    return other.tag === this.tag;
  }

  override toDOM(): HTMLElement {
    const ghost = document.createElement("span");
    ghost.className = "tw-ghost";
    ghost.textContent = this.tag.toLowerCase();
    ghost.setAttribute("aria-hidden", "true");
    return ghost;
  }
}

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
  const numbers = new Set(graveConflicts(sentence).flatMap((conflict) => conflict.words));
  const conflicting = sentence.words.filter((word) => numbers.has(word.number));
  const marked = (mark: Decoration, spans: readonly Span[]) =>
    spans.map(({ from, to }) => mark.range(sentence.from + from, sentence.from + to));
  return [...marked(PROVISIONAL, provisionalRuns(sentence)), ...marked(CONFLICT, conflicting), ...ghostsOf(sentence)];
}

/** From the first word that may still change to the last one, broken only where words between them are gone. */
function provisionalRuns({ analysis, words }: PlacedSentence): Span[] {
  const runs: (Span & { last: number })[] = [];
  for (const { number, from, to } of words) {
    const run = runs.at(-1);
    if (number <= analysis.stable_upto) continue;
    if (run?.last === number - 1) runs[runs.length - 1] = { from: run.from, to, last: number };
    else runs.push({ from, to, last: number });
  }
  return runs;
}

function ghostsOf({ analysis, to, words, isTouched }: PlacedSentence): Range<Decoration>[] {
  if (isTouched || words.length === 0) return [];
  return analysis.virtual.map(({ tag }) => Decoration.widget({ widget: new Ghost(tag), side: 1 }).range(to));
}

/** The marks after an edit; ghosts that it touches are gone, since something has come. */
export function mappedMarks(marks: DecorationSet, changes: ChangeSet): DecorationSet {
  const isKept = (at: number, _: number, mark: Decoration) => !mark.spec.widget || !changes.touchesRange(at);
  return marks.update({ filter: isKept }).map(changes);
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
      if (isNew || viewportChanged) this.decorations = marksIn(state, markedRanges(view));
      else if (docChanged) this.decorations = mappedMarks(this.decorations, changes);
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
  ".tw-ghost": {
    marginInlineStart: "0.5em",
    padding: "0 0.4em",
    border: "1px dashed currentColor",
    borderRadius: "0.4em",
    fontStyle: "italic",
    fontSize: "0.8em",
    color: "var(--editor-ghost, #69758b)",
    pointerEvents: "none",
  },
});
