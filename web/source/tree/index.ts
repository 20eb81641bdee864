/** The tree element: everything that others use of it. */

export { directionOf, type TreeAnalysis, type TreeConflict, type TreeVirtual, type TreeWord } from "./analysis.ts";
export { conlluOf } from "./conllu.ts";
export { defineDepTree, DepTree, type WordChosen } from "./dep_tree.ts";
export { layOut, METRICS, type Metrics, type ToLayOut, type TreeLayout } from "./layout.ts";
export { graphOf } from "./nodes.ts";
