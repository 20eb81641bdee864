/** Tells screen readers about analyses that have settled, once nothing has changed for a while. */

import type { TreeAnalysis } from "../tree/index.ts";
import { languageOf } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";
import { textWith } from "./texts.ts";

const QUIET = 1200; // milliseconds

export function announceSettled({ client, current, document, source: { blind, changed } }: Page): void {
  const place = part("announcer");
  let timer = 0;
  current.listen(({ sentence, parsed }) => {
    clearTimeout(timer);
    if (!sentence || !parsed || !["settled", "final"].includes(sentence.analysis.stage)) return;
    const tell = () => place.replaceChildren(...summary(blind.treeOf(parsed), languageOf(client, document)));
    timer = window.setTimeout(tell, QUIET);
  });
  changed.listen(() => place.replaceChildren());
}

/** The relations in the language of the page, the words in their own. */
function summary({ words }: TreeAnalysis, lang: string): (string | HTMLElement)[] {
  const quoted = (form: string) => Object.assign(document.createElement("span"), { lang, textContent: form });
  const relations = words.filter((word) => word.label && word.label !== "punct");
  return relations.flatMap(({ form, label, head }, place) => {
    const headForm = typeof head === "number" && head > 0 ? words[head - 1]?.form : undefined;
    const told = headForm === undefined ? "announce.root" : "announce.relation";
    const parts = { form: quoted(form), label: label ?? "", head: quoted(headForm ?? "") };
    return [place ? ", " : "", ...textWith(told, parts)];
  });
}
