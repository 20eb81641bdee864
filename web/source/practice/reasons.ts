/** Why a word does not belong to another one, by the tree of their sentence. No DOM in it. */

export type Reason =
  | { readonly kind: "root" | "turned" | "below" | "above" | "beside" }
  /** In parts of the sentence that meet at a word, or only at the root, which is 0. */
  | { readonly kind: "elsewhere"; readonly top: number };

/** `heads` are those of the words from 1 on; unknown ones count as the root's. */
export function reasonAgainst(word: number, head: number, heads: readonly (number | null)[]): Reason {
  if (head === 0) return { kind: "root" };
  const [above, aboveHead] = [wayUp(word, heads), wayUp(head, heads)];
  if (aboveHead[1] === word) return { kind: "turned" };
  if (aboveHead.includes(word)) return { kind: "below" };
  if (above.includes(head)) return { kind: "above" };
  if (above[1] !== 0 && above[1] === aboveHead[1]) return { kind: "beside" };
  return { kind: "elsewhere", top: above.find((one) => aboveHead.includes(one)) ?? 0 };
}

/** A word, its head, the head of that, up to the root; circles, which a file may have, end. */
function wayUp(word: number, heads: readonly (number | null)[]): number[] {
  const way = [word];
  for (let at = word; at && way.length <= heads.length; way.push(at)) at = heads[at - 1] ?? 0;
  return way;
}
