/** The next steps, which are loaded when they are opened. */

import { LatePart } from "./late_parts.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";

export function offerNextSteps(page: Page): void {
  let now: CurrentSentence | null = null;
  page.current.listen((next) => (now = next));
  new LatePart(part<HTMLDetailsElement>("steps"), async () => {
    const { NextSteps } = await import("../steps/next_steps.ts");
    return new NextSteps(page, now);
  });
}
