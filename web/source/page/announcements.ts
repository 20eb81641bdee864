/** Tells screen readers what has changed in a tree that has settled, once nothing has changed for a while. */

import { glossary, type Glossary } from "../glossary/glossary.ts";
import type { TreeAnalysis } from "../tree/index.ts";
import { changedWords } from "./changed_words.ts";
import { inBrowser } from "./kept_strings.ts";
import { languageOf } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";
import { textWith } from "./texts.ts";

const QUIET = 1200; // milliseconds
const MOST_TOLD = 100; // sentences
const KEPT = "treewhile-silent";

export function announceChanges({ client, current, document, source: { blind, changed } }: Page): void {
  const [place, choice] = [part("announcer"), part<HTMLInputElement>("announces")];
  let told: readonly TreeAnalysis[] = [];
  let spoken = "";
  let timer = 0;
  const tell = async (tree: TreeAnalysis) => {
    const known = await glossary().catch(() => null);
    const lang = languageOf(client, document);
    if (lang !== spoken) [spoken, told] = [lang, []];
    const before = told.find((one) => isSameSentence(one, tree));
    const changes = changesTold(before, tree, known, lang);
    if (changes.length) place.replaceChildren(...changes);
    told = [tree, ...told.filter((one) => one !== before)].slice(0, MOST_TOLD);
  };
  choice.checked = inBrowser.get(KEPT) === null;
  choice.onchange = () => {
    inBrowser.set(KEPT, choice.checked ? null : "1");
    place.replaceChildren();
  };
  current.listen(({ sentence, parsed }) => {
    clearTimeout(timer);
    if (!parsed || !sentence || !["settled", "final"].includes(sentence.analysis.stage)) return;
    if (choice.checked) timer = window.setTimeout(() => void tell(blind.treeOf(parsed)), QUIET);
  });
  changed.listen(() => place.replaceChildren());
}

function isSameSentence(one: TreeAnalysis, other: TreeAnalysis): boolean {
  const ids = new Set(one.words.map(({ id }) => id));
  return other.words.some(({ id }) => ids.has(id));
}

/** Words that are new or hang otherwise, all of them in a new sentence: roles as the page says them, words in their language. */
function changesTold(
  before: TreeAnalysis = { words: [] },
  after: TreeAnalysis,
  known: Glossary | null,
  lang: string,
): (string | HTMLElement)[] {
  const { arcs, forms } = changedWords(before, after);
  const quoted = (textContent = "") => Object.assign(document.createElement("span"), { lang, textContent });
  const isTold = (number: number) => arcs.includes(number) || forms.includes(number);
  const words = after.words.filter(({ label }, index) => label && label !== "punct" && isTold(index + 1));
  return words.flatMap(({ form, label, head }, place) => {
    const headForm = typeof head === "number" ? after.words[head - 1]?.form : undefined;
    const key = headForm === undefined ? "announce.root" : "announce.relation";
    const parts = { form: quoted(form), label: known?.relation(label!)?.[0] ?? label!, head: quoted(headForm) };
    return [place ? ", " : "", ...textWith(key, parts)];
  });
}
