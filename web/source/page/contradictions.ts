/** What somebody cannot decide, in words. What crosses is found by the server alone, which knows the class of trees. */

import type { TreeWord } from "../tree/index.ts";

/** Heads by words, both numbers from 1 on; 0 is the root. */
export type Heads = ReadonlyMap<number, number>;

/** Why a word cannot hang on a head, given heads that stay as they are; null if it can. */
export function contradiction(words: readonly TreeWord[], heads: Heads, number: number, head: number): string | null {
  const quoted = (one: number) => `\u201c${words[one - 1]?.form ?? one}\u201d`;
  if (head === number) return `${quoted(number)} cannot hang on itself.`;
  const path = pathFrom(head, heads);
  if (!path.includes(number)) return null;
  const way = path.slice(0, path.indexOf(number) + 1).map(quoted);
  const why = way.length === 2 ? `${way[0]} hangs on ${way[1]}` : `${way.join(" hangs on ")}`;
  return `${quoted(number)} cannot hang on ${quoted(head)}: ${why}, which would be a circle.`;
}

/** Why a word cannot be the root; null if it can. */
export function rivalOfRoot(words: readonly TreeWord[], fixed: Heads, number: number): string | null {
  const [rival] = [...fixed].find(([word, head]) => head === 0 && word !== number) ?? [];
  if (rival === undefined) return null;
  const quoted = (one: number) => `\u201c${words[one - 1]?.form ?? one}\u201d`;
  return `${quoted(number)} cannot be the root: ${quoted(rival)} is fixed as the root. Free that first.`;
}

function pathFrom(word: number, heads: Heads): number[] {
  const path: number[] = [];
  for (let at: number | undefined = word; at && !path.includes(at); at = heads.get(at)) path.push(at);
  return path;
}
