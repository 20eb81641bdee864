/** What somebody cannot decide, in words. What crosses is found by the server alone, which knows the class of trees. */

import type { TreeWord } from "../tree/index.ts";
import { text } from "./texts.ts";
import { listed } from "../texts/texts.ts";

/** Heads by words, both numbers from 1 on; 0 is the root. */
export type Heads = ReadonlyMap<number, number>;

/** Why a word cannot hang on a head, given heads that stay as they are; null if it can. */
export function contradiction(words: readonly TreeWord[], heads: Heads, number: number, head: number): string | null {
  const quoted = quoting(words);
  if (head === number) return text("contradiction.self", { word: quoted(number) });
  const path = pathFrom(head, heads);
  if (!path.includes(number)) return null;
  const way = path.slice(0, path.indexOf(number) + 1).map(quoted);
  const why = listed(way.slice(1).map((head, place) => text("contradiction.hangs", { word: way[place]!, head })));
  return text("contradiction.circle", { word: quoted(number), head: quoted(head), why });
}

/** Why a word cannot be the root; null if it can. */
export function rivalOfRoot(words: readonly TreeWord[], fixed: Heads, number: number): string | null {
  const [rival] = [...fixed].find(([word, head]) => head === 0 && word !== number) ?? [];
  if (rival === undefined) return null;
  const quoted = quoting(words);
  return text("contradiction.root", { word: quoted(number), rival: quoted(rival) });
}

function quoting(words: readonly TreeWord[]): (number: number) => string {
  return (number) => text("quoted", { form: words[number - 1]?.form ?? String(number) });
}

function pathFrom(word: number, heads: Heads): number[] {
  const path: number[] = [];
  for (let at: number | undefined = word; at && !path.includes(at); at = heads.get(at)) path.push(at);
  return path;
}
