/** Marks the text and all that is made of its words with the language of the model: a screen reader takes its voice. */

import { Compartment, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import type { TreewhileClient } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";

const TREES = ["tree", "phrases", "steps-tree", "committed-tree", "best-tree"];

const marked = new Compartment();

/** What an editor has to have, so that its language can be told. */
export const languageOfText: Extension = marked.of([]);

export function markLanguage({ client, editor }: Page): void {
  client.welcomed.listen(() => {
    const lang = languageOf(client);
    editor.dispatch({ effects: marked.reconfigure(EditorView.contentAttributes.of({ lang })) });
    for (const id of TREES) part(id).lang = lang;
  });
}

/** The language of the present model, as in HTML; empty where it is not known. */
export function languageOf({ welcome }: TreewhileClient): string {
  return welcome?.language || (welcome && codeIn(welcome.model)) || "";
}

/** The code that the name of a model begins with. */
export function codeIn(model: string): string | undefined {
  return /^[a-z]{2,3}(?=$|[-_.])/.exec(model)?.[0];
}
