/** What else a word of the shown sentence could hang on, and as what, as the server tells it. */

import type { AlternativeView } from "../client/index.ts";
import type { Pointed } from "../tree/index.ts";
import { marginsIn } from "./margins.ts";
import type { CurrentSentence, Page } from "./page_parts.ts";

/** Nothing where the tree is not the parser's, or is hidden, or not settled. */
export async function alternativesTo(
  page: Page,
  now: CurrentSentence | null,
  { kind, number }: Pick<Pointed, "kind" | "number">,
): Promise<readonly AlternativeView[]> {
  const { source } = page;
  const shown = now && source.of(now);
  if (kind === "phrase" || !shown || shown.isOfFile || source.blind.hides(shown)) return [];
  const margins = marginsIn(page);
  const all = margins.isReady(shown.tree) ? await margins.of(shown.tree) : null;
  return all?.find(({ word }) => word === number)?.alternatives ?? [];
}
