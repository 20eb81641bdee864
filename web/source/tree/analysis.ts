/** What a tree is drawn of: an analysis as it comes over the wire, or one that somebody else has made. */

export type Head = number | "later" | null;

export interface TreeWord {
  /** Stays with the word from one analysis to the next; without it, the word's number is taken. */
  readonly id?: string | number;
  readonly form: string;
  readonly tag?: string;
  readonly features?: string;
  /** Stands under the tag where the element shows lemmas, and in CoNLL-U. */
  readonly lemma?: string | null;
  /** The tag in the treebank's own tagset, for CoNLL-U. */
  readonly xpos?: string | null;
  /** Where it begins and ends in the sentence; without it, there are spaces between all words. */
  readonly start?: number;
  readonly end?: number;
  /** A word's number, counted from 1; 0 for the root, -k for virtual node k, or still to come, or unknown. */
  readonly head: Head;
  readonly label: string | null;
  /** The probability of head and label, from 0 to 1. */
  readonly confidence?: number | null;
  /** What somebody has decided about it. */
  readonly fixed?: readonly ("head" | "label" | "tag")[] | null;
}

export interface TreeVirtual {
  readonly node: number;
  readonly tag: string;
  readonly head: Head;
  readonly label: string | null;
}

/** Words that are marked as being in conflict. */
export interface TreeConflict {
  readonly words: readonly number[];
}

/** A phrase over words, counted from 1; its last word is null as long as it is still to come. */
export type TreeConstituent = readonly [label: string, first: number, last: number | null];

export interface TreeAnalysis {
  readonly words: readonly TreeWord[];
  readonly virtual?: readonly TreeVirtual[];
  readonly conflicts?: readonly TreeConflict[];
  /** Outer ones first; null where nothing is known of them. */
  readonly constituents?: readonly TreeConstituent[] | null;
  /** So many first words do not change any more; all of them if it is not said. */
  readonly stable_upto?: number;
}

export const NOTHING: TreeAnalysis = { words: [] };

const RIGHT_TO_LEFT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
const LETTER = /\p{L}/gu;

/** The direction in which most letters of a sentence are written; that of the first one where it is even. */
export function directionOf(words: readonly Pick<TreeWord, "form">[]): "ltr" | "rtl" {
  const directions = words.flatMap(({ form }) => form.match(LETTER) ?? []).map((letter) => RIGHT_TO_LEFT.test(letter));
  const turned = directions.filter(Boolean).length;
  const isTurned = 2 * turned === directions.length ? directions[0] : 2 * turned > directions.length;
  return isTurned ? "rtl" : "ltr";
}
