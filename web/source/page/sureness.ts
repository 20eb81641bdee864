/** How sure the arcs are, as the weight of their lines, on demand. */

import type { DepTree } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";

const TREES = ["tree", "committed-tree", "best-tree"];

export function offerSureness({ keeper, view }: Page): void {
  const choice = part<HTMLInputElement>("sureness");
  const show = () => {
    for (const id of TREES) part<DepTree>(id).showsConfidence = choice.checked;
  };
  choice.onchange = () => {
    keeper.note({ sureness: choice.checked });
    show();
  };
  view.changed.listen(() => (part("sureness-choice").hidden = view.shown !== "dependencies"));
  show();
}
