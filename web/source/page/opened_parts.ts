/** Parts that are loaded when they are opened, and begin with the present sentence. */

import { LatePart } from "./late_parts.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";

export function offerOpenedParts(page: Page): void {
  let now: CurrentSentence | null = null;
  page.current.listen((next) => (now = next));
  const offer = (id: string, load: (details: HTMLDetailsElement) => Promise<unknown>) => {
    const details = part<HTMLDetailsElement>(id);
    new LatePart(details, () => load(details));
  };
  offer("steps", async () => new (await import("../steps/next_steps.ts")).NextSteps(page, now));
  offer("comparison", async () => new (await import("./committed_and_best.ts")).CommittedAndBest(page, now));
  offer("sentences", async (details) => {
    return new (await import("../sentences/sentences_part.ts")).SentencesPart(page, details);
  });
}
