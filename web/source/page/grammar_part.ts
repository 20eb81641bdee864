/** The editor of grammars, which is loaded when it is opened, where the server lets documents bring grammars. */

import type { PlacedSentence } from "../client/index.ts";
import { LatePart } from "./late_parts.ts";
import { part, type Page } from "./page_parts.ts";

export function offerGrammar(page: Page): void {
  let present: PlacedSentence | null = null;
  page.current.listen(({ sentence }) => (present = sentence));
  page.client.welcomed.listen(({ edits_grammars = false }) => (part("grammar").hidden = !edits_grammars));
  new LatePart(part<HTMLDetailsElement>("grammar-part"), async () => {
    const { GrammarEditor } = await import("./grammar_editor.ts");
    return new GrammarEditor(page, present);
  });
}
