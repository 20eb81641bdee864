/**
 * Rules of Universal Dependencies for labels that hold for all languages, with their reasons in words; validators of
 * treebanks call them level 3. When you edit the tables: label_rules.py of the parser has the same. No DOM in it.
 */

import { text } from "./texts.ts";
import { listed } from "../texts/texts.ts";

export interface LabelledWord {
  readonly form: string;
  /** Null where it is not known. */
  readonly head: number | null;
  readonly label: string;
  readonly tag: string;
  readonly features: string;
}

/** What is wrong, and with which words, by their numbers from 1 on. */
export interface Fault {
  readonly words: readonly number[];
  readonly told: string;
}

type Table = Readonly<Record<string, readonly string[]>>;

function sets(rows: Readonly<Record<string, string>>): Table {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, row.split(" ").filter(Boolean)]));
}

const TAGS_OF = sets({
  advmod: "ADV ADJ CCONJ DET PART SYM",
  aux: "AUX",
  cop: "AUX PRON DET SYM",
  det: "DET PRON",
  expl: "PRON DET PART",
  goeswith: "X",
  nummod: "NUM NOUN SYM",
  punct: "PUNCT",
});
const OTHER_TAGS_OF = sets({
  case: "PROPN ADJ PRON DET NUM AUX",
  cc: "NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ",
  fixed: "PROPN",
  mark: "NOUN PROPN ADJ PRON DET NUM AUX INTJ",
});
const TO_THE_RIGHT = "appos conj fixed flat goeswith".split(" ");

const MARKS = "advmod obl goeswith fixed reparandum conj cc punct";
const AUXILIARIES = "goeswith fixed reparandum conj cc punct";
const BELOW = sets({
  aux: AUXILIARIES,
  case: MARKS,
  cc: "goeswith fixed reparandum conj punct",
  clf: MARKS,
  cop: AUXILIARIES,
  det: "det case advmod obl clf goeswith fixed flat compound reparandum discourse parataxis conj cc punct",
  fixed: "goeswith reparandum conj punct",
  goeswith: "",
  mark: MARKS,
  punct: "punct",
});
const BELOW_POSSESSIVES = ["acl", "appos", "nmod"];
const SUBJECTS = ["nsubj", "csubj"];
const NOMINALS = "dislocated expl iobj nmod nsubj obj obl vocative".split(" ");
const NOMINAL_TAGS = ["NOUN", "PRON", "PROPN"];

const TAGS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split(" ");
const RELATIONS = (
  "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl fixed " +
  "flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root vocative xcomp"
).split(" ");

/** Whether these are tags and labels of Universal Dependencies, to which the rules apply. */
export function areUniversal(words: readonly LabelledWord[]): boolean {
  return words.every(({ tag, label }) => TAGS.includes(tag) && RELATIONS.includes(relationOf(label)));
}

/** All rules that a tree breaks, from left to right. */
export function brokenRules(words: readonly LabelledWord[]): Fault[] {
  return words.flatMap((word, index) => [
    ...brokenAlone(words, word, index + 1),
    ...brokenBelow(words, word, index + 1),
  ]);
}

export function relationOf(label: string): string {
  return label.split(":")[0]!;
}

function* brokenAlone(words: readonly LabelledWord[], word: LabelledWord, number: number): Generator<Fault> {
  const { form, head, label } = word;
  const relation = relationOf(label);
  const tag = relation === "goeswith" ? word.tag : outerTag(word);
  const fault = (told: string) => ({ words: [number], told });
  const tags = TAGS_OF[relation];
  if (tags && !tags.includes(tag))
    yield fault(text("rule.tag.for", { form, tag, label, tags: listed(tags, "disjunction") }));
  else if (OTHER_TAGS_OF[relation]?.includes(tag)) yield fault(text("rule.tag.not", { form, tag, label }));
  else if (tag === "PUNCT" && !["punct", "root"].includes(relation)) yield fault(text("rule.punct", { form, label }));
  const above = head ? words[head - 1] : undefined;
  if (!above && relation === "goeswith") yield fault(text("rule.goeswith.none", { form }));
  if (!above) return;
  if (relation === "fixed" && outerTag(above) === "PROPN") yield fault(text("rule.fixed", { form, head: above.form }));
  if (TO_THE_RIGHT.includes(relation) && number < head!)
    yield fault(text("rule.order", { form, head: above.form, relation }));
  else if (relation === "goeswith" && !goesWith(words, number))
    yield fault(text("rule.goeswith", { form, head: above.form }));
}

function goesWith(words: readonly LabelledWord[], number: number): boolean {
  const head = words[number - 1]!.head!;
  const between = words.slice(head, number);
  return has(words[head - 1]!, "Typo=Yes") && between.every((part) => part.head === head && part.tag === "X");
}

function* brokenBelow(words: readonly LabelledWord[], word: LabelledWord, number: number): Generator<Fault> {
  const children = words.flatMap((child, index) => (child.head === number ? [{ child, number: index + 1 }] : []));
  const called = (...relations: string[]) =>
    children.filter(({ child }) => relations.includes(relationOf(child.label)));
  const numbers = (some: readonly { number: number }[]) => some.map((one) => one.number);
  const inner = called(...SUBJECTS).filter(({ child }) => !child.label.endsWith(":outer"));
  if (inner.length > 1)
    yield { words: numbers(inner), told: text("rule.subjects", { form: word.form, count: inner.length }) };
  const objects = called("obj");
  if (objects.length > 1)
    yield { words: numbers(objects), told: text("rule.objects", { form: word.form, count: objects.length }) };
  const isNominal = NOMINAL_TAGS.includes(word.tag) && NOMINALS.includes(relationOf(word.label));
  if (isNominal && !called(...SUBJECTS, "cop").length)
    for (const { child, number } of called("obl"))
      yield { words: [number], told: text("rule.obl", { form: child.form, head: word.form }) };
  for (const { child, number } of children)
    if (isBarred(word, child))
      yield {
        words: [number],
        told: text("rule.below", { form: child.form, label: child.label, head: word.form, above: word.label }),
      };
}

/** Negation by an adverb is allowed below all but punctuation. */
function isBarred(word: LabelledWord, child: LabelledWord): boolean {
  const [above, below] = [relationOf(word.label), relationOf(child.label)];
  const allowed = BELOW[above];
  if (!allowed || allowed.includes(below)) return false;
  if (above === "det" && has(word, "Poss=Yes") && BELOW_POSSESSIVES.includes(below)) return false;
  const isNegation = ["ADV", "PART"].includes(child.tag) && has(child, "Polarity=Neg");
  return above === "punct" || below !== "advmod" || !isNegation;
}

function has({ features }: LabelledWord, feature: string): boolean {
  return features.split("|").includes(feature);
}

/** The tag of the part of speech that the word stands for. */
function outerTag({ tag, features }: LabelledWord): string {
  return /(?:^|\|)ExtPos=([^|]+)/.exec(features)?.[1] ?? tag;
}
