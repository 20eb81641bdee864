/** Relations by what they do in a sentence, in the order in which they are offered. */

export type Family = "participant" | "circumstance" | "description" | "helper" | "group" | "apart";

const FAMILIES: Readonly<Record<Family, string>> = {
  participant: "nsubj obj iobj csubj ccomp xcomp",
  circumstance: "obl advmod advcl",
  description: "det amod nmod nummod acl appos",
  helper: "case mark aux cop clf expl cc",
  group: "conj flat compound fixed list goeswith",
  apart: "vocative discourse parataxis dislocated orphan reparandum dep",
};

const ORDER = Object.values(FAMILIES).flatMap((bases) => bases.split(" "));
const USUAL = "nsubj obj det amod case obl advmod nmod".split(" ");
const MOST_OFFERED = 9; // each has a digit
const MOST_OF_FAMILY = 4;

/** A label without its subtype. */
export function baseOf(label: string): string {
  return label.split(":")[0]!;
}

export function familyOf(label: string): Family {
  const families = Object.entries(FAMILIES) as [Family, string][];
  return families.find(([, bases]) => bases.split(" ").includes(baseOf(label)))?.[0] ?? "apart";
}

/** Labels to choose from: the right ones, some that do the same, others of the sentence, and usual ones. */
export function offeredLabels(right: readonly string[], ofSentence: readonly string[]): string[] {
  const alike = FAMILIES[familyOf(right[0]!)].split(" ").slice(0, MOST_OF_FAMILY);
  const byBase = new Map<string, string>();
  for (const label of [...right, ...alike, ...ofSentence, ...USUAL]) {
    const base = baseOf(label);
    const isNew = !byBase.has(base) && ORDER.includes(base);
    if ((isNew || right.includes(label)) && byBase.size < MOST_OFFERED) byBase.set(base, label);
  }
  const place = (label: string) => ORDER.indexOf(baseOf(label));
  return [...byBase.values()].sort((one, other) => place(one) - place(other));
}
