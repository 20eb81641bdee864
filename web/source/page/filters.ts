/** Which sentences of a file one wants to see. */

import type { FileSentence } from "./conllu_files.ts";
import type { ParsedWords } from "./parsed_words.ts";
import { agreementOf, isUnsure, UNSURE } from "./tree_agreement.ts";

export type FilterKind = "all" | "tag" | "label" | "word" | "differs" | "unsure";

/** Whether a sentence is one of those. */
export type Filter = (sentence: FileSentence) => boolean | Promise<boolean>;

/** Kinds that need no parser: all their sentences can be counted. */
export const QUICK: ReadonlySet<string> = new Set<FilterKind>(["tag", "label", "word"]);

/** Null for all sentences. */
export function filterOf(kind: FilterKind, text: string, parser: ParsedWords): Filter | null {
  const wanted = text.trim().toLowerCase();
  const forms = ({ words }: FileSentence) => words.map(({ form }) => form);
  if (kind === "differs")
    return async (sentence) => {
      const parse = await parser.of(forms(sentence));
      return parse !== null && agreementOf(sentence.words, parse).differing.length > 0;
    };
  if (kind === "unsure") {
    const bound = boundOf(wanted);
    return async (sentence) => {
      const parse = await parser.of(forms(sentence));
      return parse !== null && isUnsure(parse, bound);
    };
  }
  if (kind === "all" || !wanted) return null;
  const isWanted: Record<"tag" | "label" | "word", (word: FileSentence["words"][number]) => boolean> = {
    tag: ({ tag }) => tag?.toLowerCase() === wanted,
    label: ({ label }) => label.toLowerCase() === wanted || label.toLowerCase().startsWith(`${wanted}:`),
    word: ({ form }) => form.toLowerCase() === wanted,
  };
  return ({ words }) => words.some(isWanted[kind]);
}

/** A share, or a percentage. */
function boundOf(text: string): number {
  const number = Number(text.replace("%", "").replace(",", ".")) || UNSURE;
  return number > 1 ? number / 100 : number;
}
