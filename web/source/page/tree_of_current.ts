/** The tree of the current sentence. Cursor and tree show each other which word is meant. */

import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import {
  isComplete,
  type ClientDocument,
  type PlacedSentence,
  type PlacedWord,
  type TreewhileClient,
} from "../client/index.ts";
import type { DepTree, PhraseTree, TreeAnalysis, WordChosen } from "../tree/index.ts";
import type { AnnotatedSentence } from "./annotated_sentences.ts";
import { annotationsOf } from "./annotations_field.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

export function showTree({ client, document, current, editor, view, source }: Page): void {
  const [tree, phrases] = [part<DepTree>("tree"), part<PhraseTree>("phrases")];
  const ofThisSentence = part("tree-heading").textContent;
  let shown: PlacedSentence | null = null;
  let now: CurrentSentence | null = null;
  /** The id of the word that was chosen in the tree, until the cursor leaves it. */
  let chosen: number | null = null;
  const element = () => (view.shown === "dependencies" ? tree : phrases);
  const annotated = () => now && source.of(now);
  const staleness = () => (shown && !annotated()?.asOpened ? stalenessOf(shown, client, document) : "");
  const tellStage = () => {
    const behind = staleness() || (isBehind(editor, document) ? text("stage.composing") : "");
    const told = behind || originOf(annotated(), editor.state) || (shown && stageOf(shown));
    showStage(told, staleness() !== "");
    const isAnothers = shown && staleness() && isOfAnother(shown, editor.state);
    part("tree-heading").textContent = isAnothers ? text("stage.heading.another") : ofThisSentence;
  };
  client.statusChanged.listen(tellStage);
  current.listen((next) => {
    now = next;
    const sentence = source.of(now)?.tree ?? null;
    if (sentence !== shown) draw(element(), source.treeOf(now));
    shown = sentence;
    tellStage();
    const index = sentence ? indexAt(sentence, next.cursor, chosen) : -1;
    if (sentence?.words[index]?.id !== chosen) chosen = null;
    element().showWord(index < 0 ? null : index + 1);
  });
  source.changed.listen(() => {
    tree.hidden = view.shown !== "dependencies";
    phrases.hidden = !tree.hidden;
    if (view.shown !== "dependencies") phrases.shape = view.shown;
    shown = annotated()?.tree ?? null;
    draw(element(), now && source.treeOf(now));
    tellStage();
  });
  for (const one of [tree, phrases])
    one.addEventListener("wordchosen", (event) => {
      const word = shown?.words[(event as WordChosen).detail.number - 1];
      if (!shown || !word) return;
      chosen = word.id;
      editor.dispatch({ selection: { anchor: shown.from + word.to }, scrollIntoView: true });
    });
}

function draw(tree: DepTree | PhraseTree, analysis: TreeAnalysis | null): void {
  tree.analysis = analysis ?? { words: [] };
  part("hint").hidden = analysis !== null;
}

function showStage(told: string | null, isStale: boolean): void {
  const stage = part("stage");
  if (stage.textContent !== (told ?? "")) stage.textContent = told;
  part("tree-card").classList.toggle("stale", isStale);
}

/** Whether an input method composes what the document has not been told. */
function isBehind(editor: EditorView, document: ClientDocument): boolean {
  return editor.compositionStarted && editor.state.doc.toString() !== document.text;
}

/** Whether the cursor stands in a sentence after or before this one, by what ends sentences: the server cannot tell. */
function isOfAnother({ from, words }: PlacedSentence, { doc, selection }: EditorState): boolean {
  const cursor = selection.main.head;
  if (cursor < from) return /\S/.test(doc.sliceString(0, from));
  const last = from + (words.at(-1)?.from ?? 0);
  return /[.!?…。؟]\S*\s+\S|\n\s*\S/.test(doc.sliceString(last, cursor));
}

function stageOf(sentence: PlacedSentence): string {
  const { proven = false } = sentence.analysis;
  const stage = plainStageOf(sentence);
  return proven && !sentence.isTouched ? text("stage.proven", { stage }) : stage;
}

function plainStageOf({ analysis, isTouched }: PlacedSentence): string {
  if (isTouched) return text("stage.initial");
  if (isComplete(analysis)) return text("stage.final");
  if (analysis.stage === "initial") return text("stage.initial");
  return text(analysis.stage === "improved" ? "stage.improved" : "stage.settled");
}

/** What a file that was opened has to do with the tree; empty where it has nothing to do with it. */
function originOf(annotated: AnnotatedSentence | null, state: EditorState): string {
  const name = annotationsOf(state).file?.name ?? "";
  if (annotated?.asOpened) return text("stage.file", { name });
  if (!annotated?.isEdited) return "";
  const { parsedWords } = annotated;
  if (!parsedWords) return text("stage.file.edited", { name });
  return text("stage.file.parsed", { name, count: parsedWords });
}

/** Why the tree may be behind; empty while the server answers. */
function stalenessOf(
  { isTouched }: PlacedSentence,
  { status }: TreewhileClient,
  { isCurrent }: ClientDocument,
): string {
  if (status.isAlive) return "";
  return text(isTouched || !isCurrent ? "stage.away" : "stage.kept");
}

/** The index of the word at the cursor: of several that it touches, the one that was chosen, or else the first one. */
function indexAt({ from, words }: PlacedSentence, cursor: number, chosen: number | null): number {
  const touches = (word: PlacedWord) => from + word.from <= cursor && cursor <= from + word.to;
  const index = words.findIndex((word) => word.id === chosen && touches(word));
  return index < 0 ? words.findIndex(touches) : index;
}
