/** Arcs that are as good as others in the parser's judgement, for sentences whose words are given. */

import type { MarginView, TreewhileClient } from "../client/index.ts";
import { askForMargins } from "../page/margins.ts";

export interface Arc {
  readonly head: number;
  readonly label: string;
}

/** By the numbers of words: the parser's arc, and its best rival where that is as good. */
export type Ties = ReadonlyMap<number, readonly Arc[]>;

export const NO_TIES: Ties = new Map();

const MOST_APART = 0.001; // in the score of trees, which is told to four places

/** Asks the server once its analysis is settled; what this returns calls that off. */
export function askForTies(
  client: TreewhileClient,
  model: string | null,
  forms: readonly string[],
  take: (ties: Ties) => void,
): () => void {
  return askForMargins(client, model, forms, (margins) => {
    if (margins) take(new Map(margins.map((arc) => [arc.word, equalArcs(arc)])));
  });
}

function equalArcs({ head, label, margin, rival }: MarginView): Arc[] {
  const isEven = margin !== null && Math.abs(margin) <= MOST_APART;
  const arcs = isEven && rival ? [{ head, label }, rival] : [{ head, label }];
  return arcs.flatMap(({ head, label }) => (typeof head === "number" && head >= 0 ? [{ head, label }] : []));
}
