/** Tells screen readers about analyses that have settled, once nothing has changed for a while. */

import type { PlacedSentence } from "../client/index.ts";
import { languageOf } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";

const QUIET = 1200; // milliseconds

export function announceSettled({ client, current, document }: Page): void {
  const place = part("announcer");
  let timer = 0;
  current.listen(({ sentence }) => {
    clearTimeout(timer);
    if (!sentence || !["settled", "final"].includes(sentence.analysis.stage)) return;
    timer = window.setTimeout(() => place.replaceChildren(...summary(sentence, languageOf(client, document))), QUIET);
  });
}

/** The relations in English, the words in their own language. */
function summary({ analysis: { words } }: PlacedSentence, lang: string): (string | HTMLElement)[] {
  const quoted = (form: string) => Object.assign(document.createElement("span"), { lang, textContent: form });
  const relations = words.filter((word) => word.label && word.label !== "punct");
  return relations.flatMap(({ form, label, head }, place) => {
    const headForm = typeof head === "number" && head > 0 ? words[head - 1]?.form : undefined;
    const ofHead = headForm === undefined ? [] : [" of ", quoted(headForm)];
    return [place ? ", " : "", quoted(form), `: ${label}`, ...ofHead];
  });
}
