/** What is wrong with a tree, in words: it is none, or breaks rules for labels. No DOM in it. */

import { circleIn } from "./head_faults.ts";
import { areUniversal, brokenRules, relationOf, type Fault, type LabelledWord } from "./label_rules.ts";

const MOST_NAMED = 5; // words

/** Rules for labels are looked at where words and arcs make a tree. */
export function faultsOf(words: readonly LabelledWord[]): Fault[] {
  const faults = [...structuralFaults(words)];
  if (faults.length || !areUniversal(words)) return [...faults, ...rootLabels(words)];
  return [...rootLabels(words), ...brokenRules(words)];
}

function* structuralFaults(words: readonly LabelledWord[]): Generator<Fault> {
  const numbersOf = (isMeant: (word: LabelledWord) => boolean) =>
    words.flatMap((word, index) => (isMeant(word) ? [index + 1] : []));
  for (const number of numbersOf(({ head }) => head === null))
    yield { words: [number], told: `*${words[number - 1]!.form}* has no head in this sentence` };
  const circle = circleIn(words.map(({ head }) => head));
  if (circle) yield { words: circle, told: `the heads of ${named(words, circle)} go round in a circle` };
  const roots = numbersOf(({ head }) => head === 0);
  if (roots.length > 1)
    yield { words: roots, told: `${named(words, roots)} are ${roots.length} roots, and a tree has one` };
  if (!roots.length && words.length && !circle) yield { words: [1], told: "no word is the root" };
}

function rootLabels(words: readonly LabelledWord[]): Fault[] {
  return words.flatMap(({ form, head, label }, index) => {
    const isRoot = relationOf(label) === "root";
    if (head === null || isRoot === (head === 0)) return [];
    return [
      {
        words: [index + 1],
        told: isRoot ? `*${form}* is called root, but has a head` : `*${form}* is the root, but is called ${label}`,
      },
    ];
  });
}

function named(words: readonly LabelledWord[], numbers: readonly number[]): string {
  const forms = numbers.slice(0, MOST_NAMED).map((number) => `*${words[number - 1]!.form}*`);
  if (numbers.length > MOST_NAMED) return `${forms.join(", ")} and ${numbers.length - MOST_NAMED} more`;
  return forms.length > 1 ? `${forms.slice(0, -1).join(", ")} and ${forms.at(-1)}` : forms[0]!;
}
