/** What notebooks show of a widget: a tree for each analysis and, where there is a text to type, a box above them. */

import type { TreeAnalysis } from "../tree/analysis.ts";
import { defineDepTree, type DepTree } from "../tree/dep_tree.ts";

interface Traits {
  readonly analyses: readonly TreeAnalysis[];
  /** Of a widget to type in, as are the other two. */
  readonly text?: string;
  /** Counts code points, as Python does. */
  readonly cursor?: number;
  /** What is wrong with the text, for people. */
  readonly told?: string;
}

/** What is used of the model that anywidget hands in. */
interface Model {
  get<Name extends keyof Traits>(name: Name): Traits[Name];
  set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** Shows the model in an element; what comes back takes its ears away again. */
function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  defineDepTree();
  const stops = [showTrees(model, el)];
  if (model.get("text") !== undefined) stops.push(showText(model, el));
  return () => stops.forEach((stop) => stop());
}

function showTrees(model: Model, el: HTMLElement): () => void {
  const trees = document.createElement("div");
  el.append(trees);
  return followed(model, "analyses", () => {
    const analyses = model.get("analyses");
    while (trees.children.length > analyses.length) trees.lastElementChild!.remove();
    // By name, since another widget's bundle may have defined the element.
    while (trees.children.length < analyses.length) trees.append(document.createElement("dep-tree"));
    analyses.forEach((analysis, place) => ((trees.children[place] as DepTree).analysis = analysis));
  });
}

function showText(model: Model, el: HTMLElement): () => void {
  const box = document.createElement("textarea");
  box.rows = 3;
  box.setAttribute("aria-label", "Text");
  Object.assign(box.style, { boxSizing: "border-box", width: "100%", font: "inherit" });
  const told = document.createElement("div");
  told.setAttribute("role", "status");
  el.prepend(box, told);
  for (const event of ["input", "keyup", "click"]) box.addEventListener(event, () => say(model, box));
  // A notebook has commands on single letters.
  box.addEventListener("keydown", (event) => event.stopPropagation());
  const stops = [
    followed(model, "text", () => {
      if (box.value !== model.get("text")) box.value = model.get("text")!;
    }),
    followed(model, "told", () => (told.textContent = model.get("told")!)),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Tells the kernel what stands in the box; while it has not answered, anywidget keeps only the newest. */
function say(model: Model, box: HTMLTextAreaElement): void {
  const cursor = [...box.value.slice(0, box.selectionStart)].length;
  if (model.get("text") === box.value && model.get("cursor") === cursor) return;
  model.set("cursor", cursor);
  model.set("text", box.value);
  model.save_changes();
}

/** Does something now and whenever a trait has changed, until it is called off. */
function followed(model: Model, trait: keyof Traits, show: () => void): () => void {
  show();
  model.on(`change:${trait}`, show);
  return () => model.off(`change:${trait}`, show);
}

export default { render };
