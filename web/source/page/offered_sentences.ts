/** The list of all sentences, which is loaded when it is opened. */

import { LatePart } from "./late_parts.ts";
import { part, type Page } from "./page_parts.ts";

export function offerSentences(page: Page): void {
  const details = part<HTMLDetailsElement>("sentences");
  new LatePart(details, async () => {
    const { SentencesPart } = await import("../sentences/sentences_part.ts");
    return new SentencesPart(page, details);
  });
}
