/** The tree element: everything that others use of it. */

export {
  directionOf,
  type TreeAnalysis,
  type TreeConflict,
  type TreeConstituent,
  type TreeVirtual,
  type TreeWord,
} from "./analysis.ts";
export { columnsOf, conlluOf } from "./conllu.ts";
export {
  defineDepTree,
  DepTree,
  type HeadChosen,
  type HeadHindered,
  type LabelChosen,
  type Manner,
  type Obstacle,
} from "./dep_tree.ts";
export type { WordChosen } from "./drawing.ts";
export { finishedHeads, type FinishedHead } from "./finished_heads.ts";
export { layOut, METRICS, METRICS_WITH_LEMMAS, type Metrics, type ToLayOut, type TreeLayout } from "./layout.ts";
export { graphOf } from "./nodes.ts";
export type { PartPointed, Pointed } from "./pointing.ts";
export { layOutPhrases, PHRASE_METRICS, type PhraseLayout, type PhraseShape } from "./phrase_layout.ts";
export { definePhraseTree, PhraseTree } from "./phrase_tree.ts";
export { speak, type Phrases as Texts } from "../texts/texts.ts";
export { allPhrases, bracketsOf, phrasesOf, type Phrase } from "./phrases.ts";
