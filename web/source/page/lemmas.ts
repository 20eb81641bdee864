/** Lemmas under the tags of the tree, on demand: without it the server is not asked for any. */

import type { DepTree, PhraseTree } from "../tree/index.ts";
import { whenModelIsKnown } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";

export function offerLemmas({ client, document, keeper }: Page): void {
  const choice = part<HTMLInputElement>("lemmas");
  let isKnown = false;
  const show = () => {
    for (const id of ["tree", "phrases"]) part<DepTree | PhraseTree>(id).showsLemmas = isKnown && choice.checked;
  };
  choice.onchange = () => {
    keeper.note({ lemmas: choice.checked });
    document.setOptions({ lemmas: choice.checked });
    show();
  };
  whenModelIsKnown(client, document, ({ abilities }, model) => {
    isKnown = abilities[model]?.includes("lemmas") ?? false;
    part("lemmas-choice").hidden = !isKnown;
    show();
  });
}
