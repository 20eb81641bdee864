/** Whether a text is CoNLL-U, by its beginning: nothing else has ten columns with numbers that go up from 1. */

import { ID, HEAD } from "./conllu_files.ts";

const LOOKED_AT = 1 << 16; // characters
const LEADS_OUT = /[^\n]*$/; // of what was looked at

export function isConllu(text: string): boolean {
  const beginning = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT).replace(LEADS_OUT, "") : text;
  let last = 0; // word of the sentence
  let hasWords = false;
  for (const line of beginning.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (!line.trim()) last = 0;
    else if (!line.startsWith("#")) {
      const columns = line.split("\t");
      if (columns.length !== 10 || !/^(\d+|_)$/.test(columns[HEAD]!) || !follows(columns[ID]!, last)) return false;
      if (columns[ID] === `${last + 1}`) last++;
      hasWords = true;
    }
  }
  return hasWords;
}

/** Whether a line may stand behind the one of a word: a word, a range of words to come, or an empty node. */
function follows(id: string, last: number): boolean {
  const [, number, kind] = /^(\d+)(?:$|([-.])\d+$)/.exec(id) ?? [];
  return Number(number) === (kind === "." ? last : last + 1);
}
