/** Buttons that lead from sentence to sentence of a file, and the number of the present one. */

import type { Stop } from "../client/index.ts";
import { filterOf, QUICK, type FilterKind } from "./filters.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

const HINTS: Readonly<Record<string, string>> = { tag: "NOUN", label: "obj", word: "to", unsure: "50%" };

export function offerStepping(page: Page): void {
  const { current, parts, stepping, fileChanged } = page;
  const number = part<HTMLInputElement>("sentence-number");
  const count = part("sentence-count");
  let now: CurrentSentence | null = null;
  let stop: Stop = () => {};
  const showCount = () => {
    const sliced = parts.annotations.shown?.sliced;
    const told = sliced?.isWhole ? "stepping.of" : "stepping.of.so-far";
    count.textContent = sliced ? text(told, { count: sliced.count }) : "";
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
  offerFilter(page, (told) => go(told));
  part("sentence-before").onclick = () => void go(stepping.step(-1));
  part("sentence-after").onclick = () => void go(stepping.step(1));
  number.onchange = () => void go(stepping.goTo(Number(number.value)));
}

/** Lets one go to some sentences alone, and tells how many they are. */
function offerFilter(
  { stepping, parser, parts, current, fileChanged }: Page,
  go: (told: Promise<string>) => void,
): void {
  const kind = part<HTMLSelectElement>("filter-kind");
  const wanted = part<HTMLInputElement>("filter-text");
  let now: CurrentSentence | null = null;
  let counted = parts.annotations.shown?.sliced;
  current.listen((next) => (now = next));
  const tell = (told: string) => (part("filter-told").textContent = told);
  const count = async () => {
    tell("");
    if (QUICK.has(kind.value))
      for await (const found of stepping.counted()) tell(text("count.sentences", { count: found }));
  };
  const take = async () => {
    const chosen = kind.value as FilterKind;
    wanted.hidden = !(chosen in HINTS);
    wanted.placeholder = HINTS[chosen] ?? "";
    stepping.filter = filterOf(chosen, wanted.value, parser);
    void count();
    const { filter } = stepping;
    const isShown = await stepping.isWanted(now?.annotated ?? null);
    if (!isShown && stepping.filter === filter) go(stepping.step(1));
  };
  kind.onchange = () => {
    wanted.value = "";
    void take();
  };
  wanted.onchange = () => void take();
  fileChanged.listen(() => {
    const { sliced } = parts.annotations.shown ?? {};
    if (sliced !== counted && stepping.filter) void count();
    counted = sliced;
  });
  stepping.looked.listen((looked) => QUICK.has(kind.value) || tell(text("stepping.looked", { count: looked })));
}

/** Empty for a sentence that has none. */
function idOf({ source }: { source: string }): string {
  return /^#\s*sent_id\s*=\s*(.*?)\s*$/m.exec(source)?.[1] ?? "";
}
