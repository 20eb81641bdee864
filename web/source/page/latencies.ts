/** How long the last words took, from their last letter to the first analysis and to the settled one. */

import type { ClientDocument } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

/** The times of a word, in milliseconds since its last letter. */
interface WordTimes {
  readonly start: number;
  readonly form: string;
  version: number;
  since: number;
  first: number | null;
  settled: number | null;
}

const MOST_BARS = 24;
const [WIDTH, HEIGHT] = [480, 96];

export function showLatencies({ document, editor }: Page): void {
  const details = part<HTMLDetailsElement>("latency");
  const words: WordTimes[] = [];
  let frame = 0;
  const drawSoon = () => {
    if (details.open) frame ||= requestAnimationFrame(() => (draw(words), (frame = 0)));
  };
  details.ontoggle = drawSoon;
  let seen = document.version;
  document.changed.listen(() => {
    const cursor = editor.state.selection.main.head;
    const isEdit = document.version !== seen;
    seen = document.version;
    note(words, document, cursor, isEdit ? editor.state.sliceDoc(Math.max(0, cursor - 40), cursor) : "");
    drawSoon();
  });
  document.answered.listen(({ version, milliseconds }) => {
    const word = words.find((one) => one.version === version);
    if (word) word.first = milliseconds;
    drawSoon();
  });
}

/** Notes a letter that was typed, or that everything is settled. */
function note(words: WordTimes[], document: ClientDocument, cursor: number, before: string): void {
  const form = /\S+$/.exec(before)?.[0];
  if (form) begin(words, document.version, cursor - form.length, form);
  const last = words.at(-1);
  if (last?.settled === null && document.isCurrent && isSettled(document))
    last.settled = performance.now() - last.since;
}

function begin(words: WordTimes[], version: number, start: number, form: string): void {
  if (words.at(-1)?.start === start) words.pop();
  words.push({ start, form, version, since: performance.now(), first: null, settled: null });
  if (words.length > MOST_BARS) words.shift();
}

function isSettled({ sentences }: ClientDocument): boolean {
  return sentences.every(({ analysis, isTouched }) => !isTouched && ["settled", "final"].includes(analysis.stage));
}

// --- the chart ------------------------------------------------------------------------------------------

function draw(words: readonly WordTimes[]): void {
  const chart = part<HTMLElement>("latency-chart");
  const highest = Math.max(10, ...words.map((word) => word.settled ?? word.first ?? 0));
  chart.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  chart.replaceChildren(...words.flatMap((word, place) => barsOf(word, place, highest)));
  const told = words.length ? summaryOf(words) : text("latency.none");
  chart.setAttribute("aria-label", told);
  part("latency-told").textContent = told;
  part("latency-highest").textContent = text("latency.milliseconds", { count: Math.round(highest) });
}

function barsOf({ form, first, settled }: WordTimes, place: number, highest: number): SVGElement[] {
  const left = (place * WIDTH) / MOST_BARS;
  return Object.entries({ settled, first }).flatMap(([kind, time]) =>
    time === null ? [] : [bar(kind, left, (HEIGHT * time) / highest, barTold(kind, form, time))],
  );
}

function barTold(kind: string, form: string, time: number): string {
  return text(kind === "first" ? "latency.bar.first" : "latency.bar.settled", { form, count: Math.round(time) });
}

function bar(kind: string, left: number, height: number, title: string): SVGElement {
  const box = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const place = { x: left + 2, y: HEIGHT - height, width: WIDTH / MOST_BARS - 4, height, class: kind };
  for (const [name, value] of Object.entries(place)) box.setAttribute(name, String(value));
  box.append(document.createElementNS("http://www.w3.org/2000/svg", "title"));
  box.firstElementChild!.textContent = title;
  return box;
}

function summaryOf(words: readonly WordTimes[]): string {
  const first = median(words.map((word) => word.first));
  const settled = words.map((word) => word.settled).filter((time) => time !== null);
  const about = { count: words.length, first, settled: median(settled), before: settled.length };
  return text("latency.median", about);
}

function median(times: readonly (number | null)[]): string {
  const known = times.filter((time) => time !== null).sort((one, other) => one - other);
  const middle = known[Math.floor(known.length / 2)];
  return middle === undefined
    ? text("latency.not-yet")
    : text("latency.milliseconds", { count: Math.round(10 * middle) / 10 });
}
