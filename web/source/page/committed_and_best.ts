/** The committed parse beside the best one, on demand: a second document with the same text that stays at level L0. */

import { sentenceAt, type ClientDocument, type OptionChanges, type PlacedSentence } from "../client/index.ts";
import type { DepTree, TreeWord } from "../tree/index.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { treeOf } from "./tree_of_sentence.ts";
import { text, type TextKey } from "./texts.ts";

const MOST_NAMED = 8; // words in a sentence about them

export class CommittedAndBest {
  private readonly details = part<HTMLDetailsElement>("comparison");
  private readonly committedTree = part<DepTree>("committed-tree");
  private readonly bestTree = part<DepTree>("best-tree");
  private committed: ClientDocument | null = null;
  private opened = 0;
  private frame = 0;

  constructor(
    private readonly page: Page,
    private now: CurrentSentence | null,
  ) {
    const { document, current } = page;
    this.details.addEventListener("toggle", () => this.turn());
    document.changed.listen(() => this.follow());
    document.reopened.listen(() => document.model !== null && this.committed?.useModel(document.model));
    current.listen((now) => {
      this.now = now;
      this.drawSoon();
    });
    new ResizeObserver(() => this.drawSoon()).observe(this.details);
    this.turn();
  }

  /** Begins when it is opened, and ends when it is closed. */
  private turn(): void {
    const { client, document } = this.page;
    this.committed?.close();
    const model = document.model === null ? {} : { model: document.model };
    const options: OptionChanges = { levels: ["L0"], ...model };
    const name = `committed-${this.opened + 1}`;
    this.committed = this.details.open ? client.open(name, document.text, options) : null;
    if (this.committed) this.opened++;
    this.committed?.changed.listen(() => this.drawSoon());
    this.drawSoon();
  }

  private follow(): void {
    const { text } = this.page.document;
    if (this.committed && this.committed.text !== text) this.committed.replaceText(text);
  }

  private drawSoon(): void {
    if (this.committed) this.frame ||= requestAnimationFrame(() => this.draw());
  }

  private draw(): void {
    this.frame = 0;
    if (!this.committed) return;
    const best = this.now?.sentence ?? null;
    const committed = sentenceAt(this.committed.sentences, this.now?.cursor ?? 0);
    this.show(this.committedTree, committed);
    this.show(this.bestTree, best);
    const differences = differencesOf(this.committedTree.analysis.words, this.bestTree.analysis.words);
    for (const tree of [this.committedTree, this.bestTree]) tree.differing = differences.arcs;
    this.bestTree.leastLevels = this.committedTree.levels;
    this.committedTree.leastLevels = this.bestTree.levels;
    const isThere = committed !== null && best !== null;
    part("comparison-told").textContent = isThere ? told(differences, this.bestTree) : text("sentence.none");
  }

  private show(tree: DepTree, sentence: PlacedSentence | null): void {
    tree.analysis = sentence ? treeOf(sentence) : { words: [] };
  }
}

/** The numbers of words that differ in what is drawn of them. */
interface Differences {
  readonly arcs: readonly number[];
  readonly tags: readonly number[];
}

function differencesOf(committed: readonly TreeWord[], best: readonly TreeWord[]): Differences {
  const where = (isSame: (word: TreeWord, other: TreeWord) => boolean) =>
    best.flatMap((word, place) => (committed[place] && isSame(word, committed[place]) ? [] : [place + 1]));
  return {
    arcs: where((word, other) => word.head === other.head && word.label === other.label),
    tags: where((word, other) => word.tag === other.tag),
  };
}

/** A sentence for each kind of difference. */
function told({ arcs, tags }: Differences, { analysis: { words } }: DepTree): string {
  const sentences = [...toldAt("comparison.arcs", arcs, words), ...toldAt("comparison.tags", tags, words)];
  return sentences.length ? sentences.join(" ") : text("comparison.same");
}

function toldAt(difference: TextKey, numbers: readonly number[], all: readonly TreeWord[]): string[] {
  if (!numbers.length) return [];
  const forms = numbers
    .slice(0, MOST_NAMED)
    .map((number) => text("quoted", { form: all[number - 1]!.form }))
    .join(", ");
  const named = numbers.length > MOST_NAMED ? text("list.and-more", { forms }) : forms;
  return [text(difference, { count: numbers.length, all: all.length, forms: named })];
}
