/** The committed parse beside the best one, on demand: a second document with the same text that stays at level L0. */

import {
  sentenceAt,
  type ClientDocument,
  type OptionChanges,
  type PlacedSentence,
  type WordView,
} from "../client/index.ts";
import type { DepTree } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";
import { treeOf } from "./tree_of_sentence.ts";
import { text, type TextKey } from "./texts.ts";

const MOST_NAMED = 8; // words in a sentence about them

export function compareCommitted({ client, document, current }: Page): void {
  const details = part<HTMLDetailsElement>("comparison");
  let committed: ClientDocument | null = null;
  let [opened, frame, cursor] = [0, 0, 0];
  let best: PlacedSentence | null = null;
  const draw = () => {
    frame = 0;
    if (committed) show(sentenceAt(committed.sentences, cursor), best);
  };
  const drawSoon = () => {
    if (committed) frame ||= requestAnimationFrame(draw);
  };
  details.ontoggle = () => {
    committed?.close();
    const model = document.model === null ? {} : { model: document.model };
    const options: OptionChanges = { levels: ["L0"], ...model };
    committed = details.open ? client.open(`committed-${++opened}`, document.text, options) : null;
    committed?.changed.listen(drawSoon);
    drawSoon();
  };
  document.changed.listen(() => {
    if (committed && committed.text !== document.text) committed.replaceText(document.text);
  });
  document.reopened.listen(() => document.model !== null && committed?.useModel(document.model));
  current.listen((now) => {
    [best, cursor] = [now.sentence, now.cursor];
    drawSoon();
  });
}

function show(committed: PlacedSentence | null, best: PlacedSentence | null): void {
  for (const [id, sentence] of Object.entries({ "committed-tree": committed, "best-tree": best }))
    part<DepTree>(id).analysis = sentence ? treeOf(sentence) : { words: [] };
  part("comparison-told").textContent = told(committed, best);
}

function told(committed: PlacedSentence | null, best: PlacedSentence | null): string {
  if (!committed || !best) return text("sentence.none");
  const differences = differencesOf(committed.analysis.words, best.analysis.words);
  return differences.length ? differences.join(" ") : text("comparison.same");
}

/** What is drawn of words and differs, a sentence for each kind of difference. */
function differencesOf(committed: readonly WordView[], best: readonly WordView[]): string[] {
  const where = (isSame: (word: WordView, other: WordView) => boolean) =>
    best.filter((word, place) => !committed[place] || !isSame(word, committed[place]));
  return [
    ...toldAt("comparison.arcs", where(hangsAlike), best),
    ...toldAt(
      "comparison.tags",
      where((word, { tag }) => word.tag === tag),
      best,
    ),
  ];
}

function hangsAlike({ head, label }: WordView, other: WordView): boolean {
  return head === other.head && label === other.label;
}

function toldAt(difference: TextKey, words: readonly WordView[], all: readonly WordView[]): string[] {
  if (!words.length) return [];
  const forms = words
    .slice(0, MOST_NAMED)
    .map(({ form }) => text("quoted", { form }))
    .join(", ");
  const named = words.length > MOST_NAMED ? text("list.and-more", { forms }) : forms;
  return [text(difference, { count: words.length, all: all.length, forms: named })];
}
