/** What is wrong with a tree, in words: it is none, or breaks rules for labels. No DOM in it. */

import { circleIn, namedFirst } from "./head_faults.ts";
import { areUniversal, brokenRules, relationOf, type Fault, type LabelledWord } from "./label_rules.ts";
import { text } from "./texts.ts";

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
    yield { words: [number], told: text("rule.headless", { form: words[number - 1]!.form }) };
  const circle = circleIn(words.map(({ head }) => head));
  if (circle) yield { words: circle, told: text("rule.circle", { forms: named(words, circle) }) };
  const roots = numbersOf(({ head }) => head === 0);
  if (roots.length > 1)
    yield { words: roots, told: text("rule.roots", { forms: named(words, roots), count: roots.length }) };
  if (!roots.length && words.length && !circle) yield { words: [1], told: text("rule.rootless") };
}

function rootLabels(words: readonly LabelledWord[]): Fault[] {
  return words.flatMap(({ form, head, label }, index) => {
    const isRoot = relationOf(label) === "root";
    if (head === null || isRoot === (head === 0)) return [];
    return [
      {
        words: [index + 1],
        told: text(isRoot ? "rule.root.head" : "rule.root.label", { form, label }),
      },
    ];
  });
}

function named(words: readonly LabelledWord[], numbers: readonly number[]): string {
  const forms = numbers.map((number) => `*${words[number - 1]!.form}*`);
  return namedFirst(forms, MOST_NAMED);
}
