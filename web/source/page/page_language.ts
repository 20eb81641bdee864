/**
 * The language of the page: that of the address (`?lang=de`), or the one that was chosen here, or the first of the
 * browser's that the page has. English stands in the page; the texts of another language are fetched.
 */

import { language, speak, type Phrases } from "../texts/texts.ts";
import { inBrowser } from "./kept_strings.ts";
import { part } from "./page_parts.ts";

const LANGUAGES = ["en", "de", "pt", "es", "fr", "nl", "af"];
const KEPT = "treewhile-language";

/** Puts the page into its language, or leaves it in English where that cannot be had. */
export async function translatePage(): Promise<void> {
  const wanted = wantedLanguage();
  if (wanted === "en") return;
  const phrases = await phrasesOf(wanted).catch(() => null);
  if (!phrases) return;
  speak(wanted, phrases);
  document.documentElement.lang = wanted;
  document.documentElement.dir = "ltr";
  translate(document, phrases);
}

/** A menu of languages, each by its own name; the page is loaded anew in the one that is chosen. */
export function offerPageLanguage(): void {
  const choice = part<HTMLSelectElement>("page-language");
  choice.replaceChildren(
    ...LANGUAGES.map((code) => {
      const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
      const title = name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
      return Object.assign(new Option(title, code, false, code === language()), { lang: code });
    }),
  );
  choice.onchange = () => {
    const address = new URL(location.href);
    if (inBrowser.set(KEPT, choice.value)) address.searchParams.delete("lang");
    else address.searchParams.set("lang", choice.value);
    if (address.href === location.href) location.reload();
    else location.replace(address);
  };
}

function wantedLanguage(): string {
  const wanted = [new URLSearchParams(location.search).get("lang"), inBrowser.get(KEPT), ...navigator.languages];
  const codes = wanted.map((tag) => tag?.split("-")[0]!.toLowerCase());
  return codes.find((code) => code !== undefined && LANGUAGES.includes(code)) ?? "en";
}

async function phrasesOf(code: string): Promise<Phrases> {
  const response = await fetch(`texts-${code}.json`);
  if (!response.ok) throw new Error(response.statusText);
  return (await response.json()) as Phrases;
}

// --- what index.html says -----------------------------------------------------------------------------------

/** The build has marked where each text stands: see texts.mjs. */
function translate(root: Document | DocumentFragment, phrases: Phrases): void {
  for (const element of root.querySelectorAll<HTMLElement>("[data-texts]")) translateAttributes(element, phrases);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const marks: Comment[] = [];
  while (walker.nextNode()) marks.push(walker.currentNode as Comment);
  for (const mark of marks) if (mark.data in phrases) translateBehind(mark, String(phrases[mark.data]));
  for (const { content } of root.querySelectorAll("template")) translate(content, phrases);
}

function translateAttributes(element: HTMLElement, phrases: Phrases): void {
  const told = element.dataset.texts!.split(" ");
  for (let place = 0; place < told.length; place += 2)
    element.setAttribute(told[place]!, String(phrases[told[place + 1]!]));
}

function translateBehind(mark: Comment, phrase: string): void {
  while (mark.nextSibling && !(mark.nextSibling instanceof Comment)) mark.nextSibling.remove();
  mark.after(...withKeys(phrase));
}

/** A text in which names of keys are marked by <kbd>. */
function withKeys(phrase: string): (string | HTMLElement)[] {
  return phrase
    .split(/<kbd>(.*?)<\/kbd>/)
    .map((piece, place) => (place % 2 ? Object.assign(document.createElement("kbd"), { textContent: piece }) : piece));
}
