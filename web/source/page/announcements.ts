/** Tells screen readers about analyses that have settled, once nothing has changed for a while. */

import type { PlacedSentence } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";

const QUIET = 1200; // milliseconds

export function announceSettled({ current }: Page): void {
  const place = part("announcer");
  let timer = 0;
  current.listen(({ sentence }) => {
    clearTimeout(timer);
    if (!sentence || !["settled", "final"].includes(sentence.analysis.stage)) return;
    timer = window.setTimeout(() => (place.textContent = summary(sentence)), QUIET);
  });
}

function summary({ analysis: { words } }: PlacedSentence): string {
  const relations = words.filter((word) => word.label && word.label !== "punct");
  const told = relations.map(({ form, label, head }) => {
    const headForm = typeof head === "number" && head > 0 ? ` of ${words[head - 1]?.form}` : "";
    return `${form}: ${label}${headForm}`;
  });
  return told.join(", ");
}
