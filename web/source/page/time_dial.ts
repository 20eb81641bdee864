/** The time dial: how long a word may be refined, how soon arcs are firm, which levels work, what is foretold. */

import type { Level, OptionChanges } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";
import { number } from "../texts/texts.ts";

/** What the page begins with: arcs become solid while one types, and the parser keeps up with the last word. */
const FIRST_OPTIONS: OptionChanges = { stability: 0.25, risk: 1 };

/** The options of a page that was turned to others before. */
export function optionsAfter(kept: OptionChanges): OptionChanges {
  return { ...FIRST_OPTIONS, ...kept };
}

/** Seconds a word, from left to right; null is no limit. */
const LIMITS = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, null] as const;

export function offerTimeDial({ document, keeper }: Page): void {
  const limit = part<HTMLInputElement>("time-limit");
  const stability = part<HTMLInputElement>("stability");
  let options = keeper.options;
  turnTo(optionsAfter(options));
  const tell = () => {
    part("time-limit-told").textContent = limitTold(LIMITS[Number(limit.value)] ?? null);
    part("stability-told").textContent = stabilityTold(Number(stability.value));
    limit.setAttribute("aria-valuetext", part("time-limit-told").textContent);
    stability.setAttribute("aria-valuetext", part("stability-told").textContent);
  };
  tell();
  part("dial").addEventListener("input", (event) => {
    tell();
    const changes = changed((event.target as HTMLElement).id);
    options = { ...options, ...changes };
    keeper.note({ options });
    document.setOptions(changes);
  });
}

function turnTo({
  time_limit = null,
  stability,
  prediction = "virtual",
  levels = ["L0", "L1", "L2"],
}: OptionChanges): void {
  const limit = part<HTMLInputElement>("time-limit");
  limit.max = String(LIMITS.length - 1);
  limit.value = String(
    Math.max(
      0,
      LIMITS.findIndex((one) => one === time_limit),
    ),
  );
  part<HTMLInputElement>("stability").value = String(stability);
  part<HTMLSelectElement>("prediction").value = prediction;
  for (const level of ["L1", "L2"] as const) part<HTMLInputElement>(`level-${level}`).checked = levels.includes(level);
}

/** The option that an element stands for. */
function changed(id: string): OptionChanges {
  if (id === "time-limit") return { time_limit: LIMITS[Number(part<HTMLInputElement>(id).value)] ?? null };
  if (id === "stability") return { stability: Number(part<HTMLInputElement>(id).value) };
  if (id === "prediction") {
    return { prediction: part<HTMLSelectElement>(id).value as NonNullable<OptionChanges["prediction"]> };
  }
  const levels = (["L1", "L2"] as Level[]).filter((level) => part<HTMLInputElement>(`level-${level}`).checked);
  return { levels: ["L0", ...levels] };
}

function limitTold(limit: number | null): string {
  if (limit === null) return text("dial.unlimited");
  return limit ? text("dial.limit", { milliseconds: 1000 * limit }) : text("dial.no-time");
}

function stabilityTold(stability: number): string {
  return stability ? number(stability) : text("dial.nothing-promised");
}
