/** The buttons below a practice that save or delete what was answered. */

import { save } from "../page/exports.ts";
import { buttonOf, made, row } from "../page/made_elements.ts";
import type { KeptAnswers } from "./kept_answers.ts";
import { csvOf } from "./results_csv.ts";
import { text } from "./texts.ts";

/** `of` is the id of the practice; `forgotten` is told once they are deleted. */
export function resultsBar(of: string, kept: KeptAnswers, forgotten = () => {}): HTMLElement {
  const told = made("span", { id: `${of}-results-told`, className: "told" });
  told.setAttribute("role", "status");
  const saving = buttonOf(`${of}-results`, text("practice.results"));
  const deleting = buttonOf(`${of}-forget`, text("practice.forget"));
  saving.onclick = () => (told.textContent = saved(kept));
  deleting.onclick = () => {
    if (!confirm(text("practice.forget.ask"))) return;
    kept.forget();
    told.textContent = text("practice.forgotten");
    forgotten();
  };
  return row(saving, deleting, told);
}

/** What is told of it. */
function saved(kept: KeptAnswers): string {
  const answers = kept.all;
  if (!answers.length) return text("practice.results.none");
  save(new Blob([csvOf(answers)], { type: "text/csv" }), "results.csv");
  return "";
}
