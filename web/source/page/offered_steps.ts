/** Buttons that lead from sentence to sentence of a file, and the number of the present one. */

import type { Stop } from "../client/index.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";

export function offerStepping({ current, parts, stepping, fileChanged }: Page): void {
  const number = part<HTMLInputElement>("sentence-number");
  const count = part("sentence-count");
  let now: CurrentSentence | null = null;
  let stop: Stop = () => {};
  const showCount = () => {
    const sliced = parts.annotations.shown?.sliced;
    count.textContent = sliced ? `of ${sliced.count.toLocaleString("en")}${sliced.isWhole ? "" : " so far"}` : "";
  };
  const showNumber = () => {
    const place = stepping.numberOf(now?.annotated ?? null);
    number.value = place === null ? "" : String(place);
    part("sentence-name").textContent = now?.annotated?.firstOfFile ? idOf(now.annotated.firstOfFile) : "";
  };
  const follow = () => {
    const sliced = parts.annotations.shown?.sliced;
    part("stepping").hidden = !sliced;
    stop();
    stop = sliced?.grown.listen(showCount) ?? (() => {});
    showCount();
    showNumber();
  };
  const go = async (told: Promise<string>) => {
    part("stepping-told").textContent = "";
    part("stepping-told").textContent = await told;
    showNumber();
  };
  current.listen((next) => {
    now = next;
    if (document.activeElement !== number) showNumber();
  });
  fileChanged.listen(follow);
  follow();
  part("sentence-before").onclick = () => void go(stepping.step(-1));
  part("sentence-after").onclick = () => void go(stepping.step(1));
  number.onchange = () => void go(stepping.goTo(Number(number.value)));
}

/** Empty for a sentence that has none. */
function idOf({ source }: { source: string }): string {
  return /^#\s*sent_id\s*=\s*(.*?)\s*$/m.exec(source)?.[1] ?? "";
}
