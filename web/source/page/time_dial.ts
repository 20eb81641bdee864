/** The time dial: how long a word may be refined, how soon arcs are firm, which levels work, what is foretold. */

import type { Level, OptionChanges } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";

/** What the page begins with: arcs become solid while one types. */
export const FIRST_OPTIONS: OptionChanges = { stability: 0.25 };

/** Seconds a word, from left to right; null is no limit. */
const LIMITS = [0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, null] as const;

export function offerTimeDial({ document }: Page): void {
  const limit = part<HTMLInputElement>("time-limit");
  const stability = part<HTMLInputElement>("stability");
  limit.max = limit.value = String(LIMITS.length - 1);
  stability.value = String(FIRST_OPTIONS.stability);
  const tell = () => {
    part("time-limit-told").textContent = limitTold(LIMITS[Number(limit.value)] ?? null);
    part("stability-told").textContent = stabilityTold(Number(stability.value));
    limit.setAttribute("aria-valuetext", part("time-limit-told").textContent);
    stability.setAttribute("aria-valuetext", part("stability-told").textContent);
  };
  tell();
  part("dial").addEventListener("input", (event) => {
    tell();
    document.setOptions(changed((event.target as HTMLElement).id));
  });
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
  if (limit === null) return "as long as it takes";
  return limit ? `${1000 * limit} ms a word` : "no time: committed steps only";
}

function stabilityTold(stability: number): string {
  return stability ? String(stability) : "0: nothing is promised";
}
