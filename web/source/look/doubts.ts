/** What is doubtful about the arcs of a tree, the most doubtful first. No DOM in it. */

import type { Head, MarginView } from "../client/index.ts";
import type { TreeWord } from "../tree/index.ts";

export interface Arc {
  readonly head: Head;
  readonly label: string | null;
}

export interface Doubt {
  /** The number of the word, from 1 on. */
  readonly number: number;
  /** As it is in the tree. */
  readonly arc: Arc;
  /** What else the word could hang on; null where there is nothing. */
  readonly rival: Arc | null;
  /** How far the best tree with the arc is ahead of that with the rival, in logarithms; null without a rival. */
  readonly margin: number | null;
  /** The rule that spoke for the arc and against the rival. */
  readonly constraint: string | null;
}

/** Those of words whose heads nobody has decided, and which have some. */
export function doubtsOf(words: readonly TreeWord[], margins: readonly MarginView[]): Doubt[] {
  const views = new Map(margins.map((view) => [view.word, view]));
  const doubts = words.flatMap((word, index): Doubt[] => {
    const view = views.get(index + 1);
    const isOpen = view && word.head !== null && !word.fixed?.includes("head");
    return isOpen ? [doubtOf(index + 1, word, view)] : [];
  });
  return doubts.sort(
    (one, other) => (one.margin ?? Infinity) - (other.margin ?? Infinity) || one.number - other.number,
  );
}

/** Where a tree is not the parser's, its arc may be another one, whose rival is then that of the parser. */
function doubtOf(number: number, { head, label }: TreeWord, view: MarginView): Doubt {
  const { margin, rival, constraint = null } = view;
  if (head === view.head) return { number, arc: { head, label }, rival, margin, constraint };
  const behind = margin === null ? null : -margin;
  return { number, arc: { head, label }, rival: view, margin: behind, constraint: null };
}

/** Words that were looked at already, so that the next one is another one, until all were. */
export class Walk {
  private readonly seen = new Set<TreeWord["id"]>();

  /** The first doubt about a word that was not looked at; null once, where there is none, and then it begins anew. */
  next(doubts: readonly Doubt[], idOf: (doubt: Doubt) => TreeWord["id"]): Doubt | null {
    const found = doubts.find((doubt) => !this.seen.has(idOf(doubt))) ?? null;
    if (found) this.seen.add(idOf(found));
    else this.seen.clear();
    return found;
  }

  /** Somebody has gone there by other ways. */
  note(id: TreeWord["id"]): void {
    this.seen.add(id);
  }
}
