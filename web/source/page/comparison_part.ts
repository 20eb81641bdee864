/** The comparison of a file with the parser, which is loaded when it is opened; there is none without a file. */

import { LatePart } from "./late_parts.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";

export function offerComparison(page: Page): void {
  const details = part<HTMLDetailsElement>("compare");
  let now: CurrentSentence | null = null;
  page.current.listen((next) => (now = next));
  const follow = () => (details.hidden = !page.parts.annotations.shown);
  page.fileChanged.listen(follow);
  follow();
  new LatePart(details, async () => {
    const { Comparison } = await import("./tree_comparison.ts");
    return new Comparison(page, now);
  });
}
