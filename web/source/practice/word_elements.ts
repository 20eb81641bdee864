/** The elements of the practice of words and their roles. */

import { adoptStyle, buttonOf, labelled, made, row, treeOf } from "../page/made_elements.ts";
import { hintButton } from "./hint_button.ts";
import { text } from "./texts.ts";

export class WordElements {
  readonly sentences = made("select", { id: "word-practice-sentence" });
  readonly again = buttonOf("word-practice-again", text("practice.again"));
  readonly tree = treeOf("word-practice-tree");
  readonly told = made("p", { id: "word-practice-told", className: "told" });
  readonly asked = made("p", { id: "word-practice-asked", className: "told" });
  readonly answers = made("div", { id: "word-practice-answers", className: "row" });
  readonly hint = hintButton("word-practice-hint");
  readonly score = made("p", { id: "word-practice-score", className: "told" });
  readonly wrong = made("ul", { id: "word-practice-wrong" });
  readonly open = buttonOf("word-practice-open", text("practice.words.open"));
  private readonly wrongHeading = made("h4", { id: "word-practice-wrong-heading" });

  constructor(details: HTMLElement) {
    const said = made("div", {});
    said.setAttribute("role", "status");
    said.append(this.told, this.asked);
    this.answers.setAttribute("aria-labelledby", this.asked.id);
    this.wrongHeading.textContent = text("practice.words.wrong");
    this.wrong.setAttribute("aria-labelledby", this.wrongHeading.id);
    adoptStyle(STYLE);
    details.append(
      made("p", { className: "told", textContent: text("practice.words.how") }),
      row(labelled(text("practice.sentence"), this.sentences), this.again),
      this.tree,
      said,
      this.answers,
      row(this.hint),
      this.score,
      this.wrongHeading,
      this.wrong,
      row(this.open),
    );
  }

  /** What went wrong is listed at the end, where nothing is asked any more. */
  showEnd(isEnd: boolean, mistakes: readonly string[]): void {
    this.answers.hidden = this.hint.hidden = isEnd;
    this.wrongHeading.hidden = this.wrong.hidden = !isEnd || !mistakes.length;
    this.wrong.replaceChildren(...mistakes.map((told) => made("li", { textContent: told })));
  }
}

const STYLE = `
#word-practice label { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem; min-width: 0; max-width: 100%; }
#word-practice select { max-width: 100%; min-width: 0; }
#word-practice-asked { color: var(--ink); font-weight: 600; }
#word-practice-told, #word-practice-asked { overflow-wrap: anywhere; }
#word-practice-answers button { max-width: 100%; overflow-wrap: anywhere; text-align: start; }
#word-practice-answers .says { display: block; max-width: 15rem; font-size: 0.75rem; color: var(--soft); }
#word-practice-answers [aria-disabled="true"] { border-style: dashed; color: var(--soft); text-decoration: line-through; }
#word-practice-wrong { margin: 0.25rem 0 0; padding-inline-start: 1.25rem; font-size: 0.9rem; overflow-wrap: anywhere; }
`;
