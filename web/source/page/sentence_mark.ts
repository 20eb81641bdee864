/** Marks the sentence in the text whose tree is shown, where there are several. */

import { EditorView, Decoration, type DecorationSet, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { sentenceAt } from "../client/index.ts";
import { sentencesOf } from "../extension/index.ts";

const PRESENT = Decoration.mark({ class: "tw-present" });

const marked = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = present(view);
    }

    update({ view, docChanged, selectionSet, transactions }: ViewUpdate): void {
      const isOther = docChanged || selectionSet || transactions.some(({ effects }) => effects.length);
      if (isOther) this.decorations = present(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function present({ state }: EditorView): DecorationSet {
  const sentences = sentencesOf(state);
  const sentence = sentences.length > 1 && sentenceAt(sentences, state.selection.main.head);
  if (!sentence) return Decoration.none;
  const [first, last] = [sentence.words[0]!, sentence.words.at(-1)!];
  const [from, to] = [sentence.from + first.from, Math.min(sentence.from + last.to, state.doc.length)];
  return from < to ? Decoration.set(PRESENT.range(from, to)) : Decoration.none;
}

const style = EditorView.baseTheme({
  ".tw-present": { backgroundColor: "var(--present)", borderRadius: "4px" },
});

export const sentenceMark = [marked, style];
