/** Parses sentences whose words are given, as a file has them, one after the other: so each word has its counterpart. */

import type { TreewhileClient, ClientDocument, PlacedSentence, WordView } from "../client/index.ts";

const PATIENCE = 20_000; // milliseconds, for one sentence
const MOST_KEPT = 2_000; // sentences
const DONE = new Set(["settled", "final"]);

/** Whether nothing but an edit, or a later search, gives it another analysis. */
export function isDone({ analysis }: Pick<PlacedSentence, "analysis">): boolean {
  return DONE.has(analysis.stage);
}

/** The words of a sentence with their heads; null where the server gives none. */
export type Parse = readonly WordView[] | null;

export class ParsedWords {
  private readonly kept = new Map<string, Promise<Parse>>();
  private last: Promise<unknown> = Promise.resolve();
  private opened = 0;

  constructor(
    private readonly client: TreewhileClient,
    private readonly document: ClientDocument,
  ) {}

  of(forms: readonly string[]): Promise<Parse> {
    const key = JSON.stringify([this.document.model, forms]);
    const known = this.kept.get(key);
    if (known) return known;
    const parse = this.last.then(() => this.parse(forms));
    this.last = parse;
    if (this.kept.size >= MOST_KEPT) this.kept.delete([...this.kept.keys()][0]!);
    this.kept.set(key, parse);
    void parse.then((found) => found ?? this.kept.delete(key));
    return parse;
  }

  private parse(forms: readonly string[]): Promise<Parse> {
    if (!this.client.status.isAlive) return Promise.resolve(null);
    const { model } = this.document;
    const document = this.client.openWords(`compared-${++this.opened}`, forms, model === null ? {} : { model });
    document.finish();
    return new Promise<Parse>((resolve) => {
      document.changed.listen(() => {
        if (hasSettled(document)) resolve(wordsOf(document, forms.length));
      });
      document.failed.listen(() => resolve(null));
      setTimeout(() => resolve(null), PATIENCE);
    }).finally(() => document.close());
  }
}

/** Whether nothing but better analyses of the same words may come. */
export function hasSettled({ isAnswered, sentences: [sentence] }: ClientDocument): boolean {
  return sentence !== undefined && isAnswered && isDone(sentence);
}

/** So many words in one sentence; null where the server has parted or joined them. */
export function wordsOf({ sentences: [sentence, ...others] }: ClientDocument, count: number): Parse {
  const { words } = sentence!.analysis;
  return others.length || words.length !== count ? null : words;
}
