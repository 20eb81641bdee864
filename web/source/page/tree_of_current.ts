/** The tree of the current sentence. Cursor and tree show each other which word is meant. */

import type { PlacedSentence } from "../client/index.ts";
import type { DepTree, WordChosen } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";
import { treeOf } from "./tree_of_sentence.ts";

const STAGES = { initial: "first guess", improved: "getting better", settled: "settled", final: "final" };

export function showTree({ current, editor }: Page): void {
  const tree = part<DepTree>("tree");
  let shown: PlacedSentence | null = null;
  current.listen(({ sentence, cursor }) => {
    if (sentence !== shown) draw(tree, sentence);
    shown = sentence;
    tree.showWord(sentence && wordAt(sentence, cursor));
  });
  tree.addEventListener("wordchosen", (event) => {
    const word = shown?.words[(event as WordChosen).detail.number - 1];
    if (shown && word) editor.dispatch({ selection: { anchor: shown.from + word.to }, scrollIntoView: true });
  });
}

function draw(tree: DepTree, sentence: PlacedSentence | null): void {
  tree.analysis = sentence ? treeOf(sentence) : { words: [] };
  part("hint").hidden = sentence !== null;
  part("stage").textContent = sentence ? STAGES[sentence.analysis.stage] : "";
}

function wordAt(sentence: PlacedSentence, cursor: number): number | null {
  const place = cursor - sentence.from;
  const index = sentence.words.findLastIndex((word) => word.from <= place && place <= word.to);
  return index < 0 ? null : index + 1;
}
