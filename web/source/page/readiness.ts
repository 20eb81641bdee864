/** What a server that is still getting ready waits for, and how far it is. */

import { part, type Page } from "./page_parts.ts";

export function showReadiness({ client }: Page): void {
  const bar = part<HTMLProgressElement>("readiness-bar");
  const told = part("readiness-told");
  client.readinessChanged.listen((readiness) => {
    part("readiness").hidden = readiness === null;
    if (readiness?.share) bar.value = readiness.share;
    else bar.removeAttribute("value"); // nobody knows how long it takes
    const waitsFor = readiness?.waits_for ?? "";
    if (told.textContent !== waitsFor) told.textContent = waitsFor;
  });
}
