/** The tree of the current sentence. Cursor and tree show each other which word is meant. */

import { isComplete, type ClientDocument, type PlacedSentence, type TreewhileClient } from "../client/index.ts";
import type { DepTree, PhraseTree, WordChosen } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";
import { treeOf } from "./tree_of_sentence.ts";

const STAGES = { initial: "first guess", improved: "getting better", settled: "settled so far", final: "complete" };

export function showTree({ client, document, current, editor, view }: Page): void {
  const [tree, phrases] = [part<DepTree>("tree"), part<PhraseTree>("phrases")];
  let shown: PlacedSentence | null = null;
  const element = () => (view.shown === "dependencies" ? tree : phrases);
  const tellStage = () => showStage(shown && (stalenessOf(shown, client, document) || stageOf(shown)), isStale());
  const isStale = () => shown !== null && stalenessOf(shown, client, document) !== "";
  client.statusChanged.listen(tellStage);
  current.listen(({ sentence, cursor }) => {
    if (sentence !== shown) draw(element(), sentence);
    shown = sentence;
    tellStage();
    element().showWord(sentence && wordAt(sentence, cursor));
  });
  view.changed.listen(() => {
    tree.hidden = view.shown !== "dependencies";
    phrases.hidden = !tree.hidden;
    if (view.shown !== "dependencies") phrases.shape = view.shown;
    draw(element(), shown);
  });
  for (const one of [tree, phrases])
    one.addEventListener("wordchosen", (event) => {
      const word = shown?.words[(event as WordChosen).detail.number - 1];
      if (shown && word) editor.dispatch({ selection: { anchor: shown.from + word.to }, scrollIntoView: true });
    });
}

function draw(tree: DepTree | PhraseTree, sentence: PlacedSentence | null): void {
  tree.analysis = sentence ? treeOf(sentence) : { words: [] };
  part("hint").hidden = sentence !== null;
}

function showStage(told: string | null, isStale: boolean): void {
  const stage = part("stage");
  if (stage.textContent !== (told ?? "")) stage.textContent = told;
  part("tree-card").classList.toggle("stale", isStale);
}

function stageOf({ analysis, isTouched }: PlacedSentence): string {
  if (isTouched) return STAGES.initial;
  return isComplete(analysis) ? STAGES.final : STAGES[analysis.stage];
}

/** Why the tree may be behind; empty while the server answers. */
function stalenessOf(
  { isTouched }: PlacedSentence,
  { status }: TreewhileClient,
  { isCurrent }: ClientDocument,
): string {
  if (status.isAlive) return "";
  return isTouched || !isCurrent ? "not up to date: the server is away" : "as it was when the server was last there";
}

function wordAt(sentence: PlacedSentence, cursor: number): number | null {
  const place = cursor - sentence.from;
  const index = sentence.words.findLastIndex((word) => word.from <= place && place <= word.to);
  return index < 0 ? null : index + 1;
}
