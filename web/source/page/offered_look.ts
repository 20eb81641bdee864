/** "Look here", which is loaded when it is opened, or when the next doubtful word is asked for. */

import { LatePart } from "./late_parts.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";

export function offerLook(page: Page): void {
  let now: CurrentSentence | null = null;
  page.current.listen((next) => (now = next));
  const look = new LatePart(part<HTMLDetailsElement>("look"), async () => {
    const { LookHere } = await import("../look/look_part.ts");
    return new LookHere(page, now);
  });
  part("look-next").onclick = async () => (await look.get())?.next();
}
