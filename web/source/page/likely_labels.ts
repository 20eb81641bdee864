/** The labels and tags that a word is likely to have, the likeliest first, of those that a model knows. */

const MOST = 9; // each has a digit

/**
 * Labels by the tag of a word, below a verb, adjective or adverb, and below others: as they are frequent in the twelve
 * treebanks of Universal Dependencies from which the models have learnt, of which nine have 99 of 100 words.
 */
const BY_TAG: Readonly<Record<string, readonly [string, string]>> = {
  ADJ: ["xcomp conj nsubj obj amod obl ccomp", "amod nmod conj acl obj appos nsubj"],
  ADP: ["mark case fixed compound advmod discourse obl", "case fixed amod advmod mark"],
  ADV: ["advmod discourse compound mark conj obl obj", "advmod case fixed discourse cc amod conj"],
  AUX: ["aux cop ccomp advcl conj xcomp", "cop aux acl conj advcl"],
  CCONJ: ["cc mark advmod fixed amod conj", "cc fixed flat mark conj advmod"],
  DET: ["det advmod nsubj obj amod obl", "det fixed nmod amod conj"],
  INTJ: ["discourse vocative obj advmod advcl nsubj", "discourse conj fixed vocative advmod"],
  NOUN: ["obj obl nsubj nmod iobj xcomp conj", "nmod conj compound appos nsubj fixed obl"],
  NUM: ["obl nmod nsubj nummod obj compound amod", "nummod nmod flat appos compound conj amod"],
  PART: ["mark aux advmod expl compound conj amod", "case advmod mark nmod aux conj cc"],
  PRON: ["nsubj obj iobj obl expl nmod amod", "nmod nsubj det amod conj fixed"],
  PROPN: ["obl nsubj obj nmod iobj xcomp parataxis", "nmod flat appos conj compound amod nsubj"],
  PUNCT: ["punct", "punct"],
  SCONJ: ["mark amod fixed cc advmod ccomp", "mark fixed amod cc case advmod"],
  SYM: ["obj obl nmod nsubj discourse amod", "nmod amod flat appos cc conj"],
  VERB: ["advcl conj xcomp ccomp csubj parataxis obl", "acl ccomp conj advcl amod nmod parataxis"],
  X: ["nsubj obl obj nmod goeswith", "flat nmod conj amod appos"],
};
const UNKNOWN: readonly [string, string] = ["obl obj nsubj advmod", "nmod amod flat conj"];
const ROOT = "root";

/** Tags that are taken for each other. */
const BESIDE: Readonly<Record<string, string>> = {
  ADJ: "VERB ADV NOUN DET",
  ADP: "SCONJ ADV PART VERB",
  ADV: "ADJ ADP SCONJ PART",
  AUX: "VERB PART",
  CCONJ: "ADV SCONJ PART",
  DET: "PRON ADJ NUM ADV",
  INTJ: "ADV NOUN PART",
  NOUN: "PROPN ADJ VERB X",
  NUM: "NOUN DET ADJ PRON",
  PART: "ADP ADV SCONJ",
  PRON: "DET SCONJ ADV NOUN",
  PROPN: "NOUN X ADJ",
  PUNCT: "SYM",
  SCONJ: "ADP ADV PRON CCONJ",
  SYM: "PUNCT NOUN X",
  VERB: "AUX NOUN ADJ",
  X: "PROPN NOUN SYM",
};
const UNIVERSAL = Object.keys(BESIDE);

/** What a word is and hangs on, as far as it is known. */
export interface Place {
  readonly label: string | null;
  readonly tag: string;
  /** Of its head; null for the root. */
  readonly headTag: string | null;
}

/** All labels: the present one, then the likeliest, then the others as the model has them. */
export function labelsFor({ label, tag, headTag }: Place, known: readonly string[]): string[] {
  const likely = headTag === null ? [ROOT] : basesFor(tag, headTag).flatMap((base) => withSubtypes(base, known));
  const mayBe = (one: string) => (one === ROOT) === (headTag === null);
  const first = [...(label ? [label] : []), ...likely].filter(
    (one) => mayBe(one) && (isKnown(one, known) || one === label),
  );
  return unique([...first, ...known.filter(mayBe)]);
}

/** All tags: the present one, then those that are taken for it, then the others. */
export function tagsFor(tag: string, known: readonly string[]): string[] {
  const all = known.length ? known : UNIVERSAL;
  return unique([...(tag ? [tag] : []), ...(BESIDE[tag] ?? "").split(" "), ...all]).filter(
    (one) => one === tag || all.includes(one),
  );
}

/** So many have a digit of their own. */
export const NUMBERED = MOST;

function basesFor(tag: string, headTag: string): string[] {
  const [belowVerbs, belowOthers] = BY_TAG[tag] ?? UNKNOWN;
  return (["VERB", "AUX", "ADJ", "ADV"].includes(headTag) ? belowVerbs : belowOthers).split(" ");
}

/** A label with its most frequent subtype. */
function withSubtypes(base: string, known: readonly string[]): string[] {
  const named = known.filter((one) => one === base || one.startsWith(`${base}:`));
  return named.length ? named.slice(0, 2) : [base];
}

function isKnown(label: string, known: readonly string[]): boolean {
  return !known.length || known.includes(label);
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].filter(Boolean);
}
