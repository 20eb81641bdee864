/** Each line is written in the direction of its own text. */

import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const AUTOMATIC = Decoration.line({ attributes: { dir: "auto" } });

const lines = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = linesInView(view);
    }

    update({ view, docChanged, viewportChanged }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = linesInView(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function linesInView({ visibleRanges, state }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let last = -1;
  for (const { from, to } of visibleRanges)
    for (let line = state.doc.lineAt(from); ; line = state.doc.line(line.number + 1)) {
      if (line.from > last) builder.add(line.from, line.from, AUTOMATIC);
      last = Math.max(last, line.from);
      if (line.to >= to || line.number === state.doc.lines) break;
    }
  return builder.finish();
}

export const lineDirections = [lines, EditorView.perLineTextDirection.of(true)];
