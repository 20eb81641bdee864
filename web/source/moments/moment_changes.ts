/** What changed from one moment to another. No DOM in it. */

import type { BrokenConstraint, Moment, MomentTree, MomentWord } from "./moments.ts";

/** A head as it is told: a word, or the tag of one to come, or none of these. */
export type NamedHead =
  { readonly kind: "word" | "expected"; readonly name: string } | { readonly kind: "root" | "later" | "unknown" };

/** A word that stands in both moments. */
export interface WordChange {
  readonly form: string;
  /** In the earlier moment, and in the later one. */
  readonly numbers: readonly [before: number, after: number];
  readonly before: WordFacts;
  readonly after: WordFacts;
  readonly isMoved: boolean;
  readonly isRelabelled: boolean;
  readonly isRetagged: boolean;
}

export interface WordFacts {
  readonly head: NamedHead;
  readonly label: string;
  readonly tag: string;
}

export interface MomentChanges {
  /** The forms of words that are new, and of words that are gone. */
  readonly come: readonly string[];
  readonly gone: readonly string[];
  readonly words: readonly WordChange[];
  /** Constraints that are broken no longer, and those that are broken now, with the forms of their words. */
  readonly mended: readonly NamedConstraint[];
  readonly broken: readonly NamedConstraint[];
}

export interface NamedConstraint {
  readonly constraint: string;
  readonly message: string;
  readonly forms: readonly string[];
}

export function changesBetween(before: Moment, after: Moment): MomentChanges {
  const earlier = new Map(before.tree.words.map((word, index) => [word.id, { word, number: index + 1 }]));
  const ids = new Set(after.tree.words.map(({ id }) => id));
  const words = after.tree.words.flatMap((word, index) => {
    const was = earlier.get(word.id);
    return was ? [changeOf(was.word, before.tree, word, after.tree, [was.number, index + 1])] : [];
  });
  return {
    come: after.tree.words.filter(({ id }) => !earlier.has(id)).map(({ form }) => form),
    gone: before.tree.words.filter(({ id }) => !ids.has(id)).map(({ form }) => form),
    words: words.filter((one) => one.isMoved || one.isRelabelled || one.isRetagged),
    mended: brokenOnlyIn(before, after),
    broken: brokenOnlyIn(after, before),
  };
}

/** The numbers of words whose arcs differ, in the earlier moment or in the later one. */
export function arcsChanged({ words }: MomentChanges, moment: "earlier" | "later"): number[] {
  const arcs = words.filter(({ isMoved, isRelabelled }) => isMoved || isRelabelled);
  return arcs.map(({ numbers }) => numbers[moment === "earlier" ? 0 : 1]);
}

function changeOf(
  was: MomentWord,
  treeBefore: MomentTree,
  is: MomentWord,
  treeAfter: MomentTree,
  numbers: WordChange["numbers"],
): WordChange {
  const [before, after] = [factsOf(was, treeBefore), factsOf(is, treeAfter)];
  return {
    form: is.form,
    numbers,
    before,
    after,
    isMoved: headId(was, treeBefore) !== headId(is, treeAfter),
    isRelabelled: before.label !== after.label,
    isRetagged: before.tag !== after.tag,
  };
}

function factsOf(word: MomentWord, tree: MomentTree): WordFacts {
  return { head: namedHead(word, tree), label: word.label ?? "", tag: word.tag };
}

function namedHead({ head }: MomentWord, { words, virtual }: MomentTree): NamedHead {
  if (head === null) return { kind: "unknown" };
  if (head === "later") return { kind: "later" };
  if (head === 0) return { kind: "root" };
  if (head > 0) return { kind: "word", name: words[head - 1]!.form };
  const node = virtual.find((one) => one.node === -head);
  return node ? { kind: "expected", name: node.tag } : { kind: "later" };
}

/** The same for the same head in both trees: words keep their ids, and words to come have but their tags. */
function headId(word: MomentWord, tree: MomentTree): unknown {
  if (typeof word.head === "number" && word.head > 0) return tree.words[word.head - 1]!.id;
  const head = namedHead(word, tree);
  return JSON.stringify(head);
}

function brokenOnlyIn(one: Moment, other: Moment): NamedConstraint[] {
  const known = new Set(other.broken.map((broken) => brokenId(broken, other.tree)));
  const own = one.broken.filter((broken) => !known.has(brokenId(broken, one.tree)));
  return own.map(({ constraint, message, words }) => {
    return { constraint, message, forms: words.map((number) => one.tree.words[number - 1]!.form) };
  });
}

function brokenId({ constraint, words }: BrokenConstraint, tree: MomentTree): string {
  return JSON.stringify([constraint, ...words.map((number) => tree.words[number - 1]!.id)]);
}
