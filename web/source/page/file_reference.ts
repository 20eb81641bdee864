/** The tree of a file, by which next steps are judged while it is shown and has the parser's words. */

import type { StepsMessage } from "../client/index.ts";
import type { TreeWord } from "../tree/index.ts";
import { circleIn } from "./head_faults.ts";
import type { CurrentSentence, Page } from "./page_parts.ts";

export class FileReference {
  /** What the server was told of sentences, by their numbers, so that what it refuses is not told again. */
  private readonly told = new Map<number, string>();

  constructor(private readonly page: Pick<Page, "document" | "source">) {}

  /** The server may have forgotten everything. */
  forget(): void {
    this.told.clear();
  }

  /** The words of the file's tree with their heads; null where there is none to go by. */
  wordsOf(now: CurrentSentence): readonly TreeWord[] | null {
    const shown = this.page.source.of(now);
    if (!shown?.isOfFile || !now.sentence) return null;
    const { words } = shown.tree.analysis;
    const parsed = now.sentence.analysis.words;
    const isSame = words.length === parsed.length && words.every(({ form }, place) => form === parsed[place]!.form);
    const heads = headsOf(words);
    return isSame && heads.some((head) => head !== null) && !circleIn(heads) ? words : null;
  }

  /** Tells the server to judge by the file, or no longer, unless a message of its says that it does so. */
  ask(now: CurrentSentence, number: number, { reference }: StepsMessage): boolean {
    const words = this.wordsOf(now);
    if (!words && reference === "best") return false;
    const { document } = this.page;
    const heads = words && headsOf(words);
    const key = JSON.stringify([document.version, heads]);
    if (this.told.get(number) === key) return false;
    this.told.set(number, key);
    document.request(number, { type: "gold", heads });
    return true;
  }
}

/** How many arcs of a tree can be right once a step is made that can still attain some. */
export function arcsRight({ edges = [] }: StepsMessage, attained: number, words: readonly TreeWord[]): number {
  return attained + edges.filter(([head, child]) => words[child - 1]?.head === head).length;
}

/** As many as have a head. */
export function arcsInAll(words: readonly TreeWord[]): number {
  return headsOf(words).filter((head) => head !== null).length;
}

function headsOf(words: readonly TreeWord[]): (number | null)[] {
  return words.map(({ head }) => (typeof head === "number" ? head : null));
}
