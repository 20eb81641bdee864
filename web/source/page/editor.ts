/** The editor of the page. It lives in a shadow root, where CodeMirror needs no inline style. */

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import type { Extension } from "@codemirror/state";
import { EditorView, keymap, placeholder } from "@codemirror/view";
import { lineDirections } from "./line_directions.ts";
import { text } from "./texts.ts";

const MOST_UNDONE = 10_000; // edits and corrections

const THEME = EditorView.theme({
  "&": { color: "var(--ink)", fontSize: "1.2rem", fontFamily: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.7", height: "var(--editor-height)" },
  ".cm-content": { padding: "0", caretColor: "var(--accent)" },
  ".cm-line": { paddingBlock: "0", paddingInlineStart: "0", textAlign: "start" },
  ".cm-placeholder": { color: "var(--soft)" },
  ".cm-tooltip": {
    display: "var(--editor-tooltip, block)",
    background: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "8px",
  },
  ".tw-explanation": { margin: "0", padding: "0.4em 0.8em 0.4em 1.6em", fontSize: "0.85rem" },
});

/** Typing over selected text is done here: browsers keep the style of what was there, inline, which policies forbid. */
const REPLACING = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const isTyped = event.inputType === "insertText" && !event.isComposing && event.data;
    if (!isTyped || view.state.selection.main.empty || view.state.readOnly) return false;
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
});

export function makeEditor(place: HTMLElement, extensions: Extension, doc = "", cursor = 0): EditorView {
  const root = place.attachShadow({ mode: "open" });
  return new EditorView({
    parent: root,
    root,
    doc,
    selection: { anchor: Math.min(cursor, doc.length) },
    extensions: [
      history({ minDepth: MOST_UNDONE }),
      REPLACING,
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorView.lineWrapping,
      lineDirections,
      EditorView.contentAttributes.of({
        "aria-label": text("editor.label"),
        spellcheck: "false",
        autocapitalize: "sentences",
        tabindex: "0", // of a text that scrolls
      }),
      placeholder(text("editor.placeholder")),
      THEME,
      extensions,
    ],
  });
}
