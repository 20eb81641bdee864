/** How the tree is laid out, as its reader chooses: rows, room, punctuation, size. */

import type { DepTree, Manner } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";

/** Choices that were made; where no number of rows was chosen, that goes by the room. */
export interface ChosenManner extends Partial<Omit<Manner, "isInOneRow">> {
  readonly rows?: string;
  readonly zoom?: number;
}

const TREES = ["tree", "compared-tree", "committed-tree", "best-tree"];
/** Where several rows would hold a few words each. */
const NARROW = "(max-width: 46rem)";

/** Shows choices that were kept, before the page uses them. */
export function showChosenManner({ rows = "", isCompact = false, foldsPunctuation = false, zoom }: ChosenManner): void {
  part<HTMLSelectElement>("rows").value = rows;
  part<HTMLInputElement>("compact").checked = isCompact;
  part<HTMLInputElement>("fold").checked = foldsPunctuation;
  if (zoom) part<DepTree>("tree").zoom = zoom;
}

export function offerManners({ keeper, view }: Page): void {
  const tree = part<DepTree>("tree");
  const [rows, compact, fold] = [part<HTMLSelectElement>("rows"), checkbox("compact"), checkbox("fold")];
  const narrow = matchMedia(NARROW);
  const show = () => {
    const isInOneRow = rows.value === "" ? narrow.matches : rows.value === "one";
    const manner = { isInOneRow, isCompact: compact.checked, foldsPunctuation: fold.checked };
    for (const id of TREES) part<DepTree>(id).manner = manner;
  };
  const note = () => {
    const { zoom } = tree;
    const manner = { rows: rows.value, isCompact: compact.checked, foldsPunctuation: fold.checked, zoom };
    keeper.note({ manner });
  };
  for (const choice of [rows, compact, fold])
    choice.onchange = () => {
      show();
      note();
    };
  narrow.onchange = show;
  tree.isBounded = true;
  tree.addEventListener("zoomed", note);
  part("smaller").onclick = () => tree.zoomStep(-1);
  part("larger").onclick = () => tree.zoomStep(1);
  part("whole").onclick = () => tree.fitIntoRoom();
  view.changed.listen(() => {
    for (const one of document.querySelectorAll<HTMLElement>(".of-arcs")) one.hidden = view.shown !== "dependencies";
  });
  show();
}

function checkbox(id: string): HTMLInputElement {
  return part<HTMLInputElement>(id);
}
