/** What is wrong with the current sentence, in words, as a list under its tree; each leads to its place in the text. */

import { conflictsOf, withQuotes, type ExplainedConflict } from "../extension/index.ts";
import { languageOf, whenModelIsKnown } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";

export function listConflicts({ client, current, document, editor }: Page): void {
  const list = part("conflicts");
  let told = "";
  let shown: readonly ExplainedConflict[] = [];
  list.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("button");
    const conflict = button && shown[Number(button.dataset.place)];
    if (!conflict) return;
    editor.dispatch({ selection: { anchor: conflict.from, head: conflict.to }, scrollIntoView: true });
    editor.focus();
  });
  current.listen(({ sentence }) => {
    shown = sentence ? conflictsOf(sentence) : [];
    const lines = shown.map((conflict) => conflict.line);
    const lang = languageOf(client, document);
    if ([lang, ...lines].join("\n") === told) return;
    told = [lang, ...lines].join("\n");
    list.replaceChildren(...lines.map((line, place) => itemOf(line, place, lang)));
    part("conflicts-told").hidden = lines.length === 0;
  });
  whenModelIsKnown(client, document, ({ abilities }, model) => {
    part("conflicts-few").hidden = abilities[model]?.includes("mistakes") ?? true;
  });
}

function itemOf(line: string, place: number, lang: string): HTMLLIElement {
  const item = Object.assign(document.createElement("li"), { lang: "en" }); // as the server says it
  const button = Object.assign(document.createElement("button"), { type: "button" });
  button.append(...withQuotes(line, lang));
  button.dataset.place = String(place);
  item.append(button);
  return item;
}
