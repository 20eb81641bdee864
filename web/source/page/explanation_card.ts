/** What a tree says of a word or an arc, in plain words, as a card. */

import type { AlternativeView } from "../client/index.ts";
import { withQuotes } from "../extension/quotes.ts";
import type { Entry, Explained, Glossary } from "../glossary/glossary.ts";
import type { Pointed, TreeAnalysis, TreeWord } from "../tree/index.ts";
import { text } from "./texts.ts";
import { languageName, percent } from "../texts/texts.ts";

/** All that a card says. */
export interface Explanation {
  readonly title: string;
  /** What it is for this word alone: its lemma, how sure it is. */
  readonly facts: readonly string[];
  /** What it could be instead, each with its probability. */
  readonly others: readonly string[];
  readonly entries: readonly Explained[];
}

/** Of what is pointed at in a tree; null where the tree has no such word any more. */
export function explanationOf(
  { kind, number, phrase = "" }: Pick<Pointed, "kind" | "number" | "phrase">,
  { words, virtual = [] }: TreeAnalysis,
  glossary: Glossary,
  alternatives: readonly AlternativeView[] = [],
): Explanation | null {
  const nothing = { facts: [], others: [] };
  if (kind === "phrase")
    return { ...nothing, title: phrase, entries: [{ sign: phrase, entry: glossary.phrase(phrase) }] };
  const word = words[number - 1];
  if (!word) {
    const expected = virtual[number - words.length - 1];
    return expected ? { ...nothing, title: text("card.later"), entries: tagOf(expected.tag, glossary) } : null;
  }
  const relation = relationOf(word, glossary);
  const others = alternatives.map((one) => otherTold(one, words));
  if (kind === "arc") return { title: arcTitle(word, words), facts: sureness(word), others, entries: relation };
  const entries = [...tagOf(word.tag, glossary), ...relation, ...glossary.features(word.features ?? "")];
  return { title: word.form, facts: [...forms(word), ...hangs(word, words), ...sureness(word)], others, entries };
}

function tagOf(tag: string | undefined, glossary: Glossary): Explained[] {
  return tag && tag !== "_" ? [{ sign: tag, entry: glossary.tag(tag) }] : [];
}

function relationOf({ label }: TreeWord, glossary: Glossary): Explained[] {
  return label ? [{ sign: label, entry: glossary.relation(label) }] : [];
}

function arcTitle(word: TreeWord, words: readonly TreeWord[]): string {
  return word.head === 0 ? text("card.root", { form: word.form }) : `${word.form} → ${headOf(word, words)}`;
}

function hangs(word: TreeWord, words: readonly TreeWord[]): string[] {
  if (word.head === null) return [];
  return [word.head === 0 ? text("card.head") : text("card.depends", { head: headOf(word, words) })];
}

function headOf({ head }: TreeWord, words: readonly TreeWord[]): string {
  if (typeof head === "number" && head > 0) return words[head - 1]?.form ?? String(head);
  return text(head === 0 ? "node.root" : "node.later");
}

function forms({ lemma, xpos }: TreeWord): string[] {
  return [...(lemma ? [text("card.lemma", { lemma })] : []), ...(xpos ? [text("card.xpos", { xpos })] : [])];
}

function sureness({ confidence }: TreeWord): string[] {
  return confidence == null ? [] : [text("card.sure", { percent: percent(confidence) })];
}

function otherTold({ head, label, probability }: AlternativeView, words: readonly TreeWord[]): string {
  const values = { label, percent: percent(probability) };
  if (head === 0) return text("card.other.root", values);
  const form = typeof head === "number" ? words[head - 1]?.form : undefined;
  return form === undefined ? text("card.other.later", values) : text("card.other", { ...values, head: form });
}

/** The same for those who hear it. */
export function toldOf({ facts, others, entries }: Explanation): string {
  const told = entries.map(({ sign, entry }) => (entry ? `${sign}: ${entry[0]}. ${entry[1]}` : sign));
  const instead = others.length ? [`${text("card.others")}: ${others.join(", ")}.`] : [];
  return [...(facts.length ? [`${facts.join(", ")}.`] : []), ...instead, ...told].join(" ");
}

export function fillCard(card: HTMLElement, { title, facts, others, entries }: Explanation, lang: string): void {
  const heading = Object.assign(document.createElement("strong"), { textContent: title, lang });
  const told = Object.assign(document.createElement("p"), { textContent: facts.join(" · "), hidden: !facts.length });
  const list = document.createElement("dl");
  for (const { sign, entry } of entries) list.append(termOf(sign, entry), meaningOf(entry));
  card.replaceChildren(heading, told, ...(others.length ? [othersOf(others)] : []), list);
}

function othersOf(others: readonly string[]): HTMLElement {
  const place = Object.assign(document.createElement("div"), { className: "others", textContent: text("card.others") });
  const list = document.createElement("ul");
  for (const other of others) list.appendChild(document.createElement("li")).textContent = other;
  place.append(list);
  return place;
}

function termOf(sign: string, entry: Entry | null): HTMLElement {
  const term = document.createElement("dt");
  term.append(Object.assign(document.createElement("code"), { textContent: sign }));
  if (entry) term.append(` ${entry[0]}`);
  return term;
}

function meaningOf(entry: Entry | null): HTMLElement {
  const meaning = document.createElement("dd");
  if (!entry) {
    meaning.textContent = text("card.nothing");
    return meaning;
  }
  const [, says, example] = entry;
  meaning.append(Object.assign(document.createElement("span"), { textContent: says }));
  if (example) meaning.append(exampleOf(example));
  return meaning;
}

function exampleOf(written: string): HTMLElement {
  const [, lang = "", example = ""] = /^(?:\[(\w+)\] )?(.*)$/.exec(written)!;
  const [, words = "", translation = ""] = /^(.*?)( \([^()]*\))?$/.exec(example)!;
  const place = Object.assign(document.createElement("span"), { className: "example" });
  const quoted = document.createElement("span");
  if (lang) quoted.lang = lang;
  quoted.append(...withQuotes(words));
  place.append(lang ? `${languageName(lang)}: ` : "", quoted, translation);
  return place;
}
