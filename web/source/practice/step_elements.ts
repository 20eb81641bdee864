/** The elements of the practice of the parser's steps. */

import { adoptStyle, buttonOf, labelled, made, row, treeOf } from "../page/made_elements.ts";
import { stepTitle } from "../page/configurations.ts";
import { withQuotes } from "../extension/index.ts";
import type { TreeAnalysis } from "../tree/index.ts";
import { hintButton } from "./hint_button.ts";
import { text } from "./texts.ts";

/** How a step was; empty for what is said about none. */
export type Verdict = "right" | "wrong" | "";

export const WRONG = "✗";
const SIGNS: Readonly<Record<Verdict, string>> = { right: "✓ ", wrong: `${WRONG} `, "": "" };

export class StepElements {
  readonly sentences = made("select", { id: "practice-sentence" });
  readonly again = buttonOf("practice-again", text("practice.again"));
  readonly tree = treeOf("practice-tree");
  readonly board = made("div", { id: "practice-board" });
  readonly hint = hintButton("practice-hint");
  readonly plan = made("details", { id: "practice-plan", className: "more" });
  readonly planned = made("ol", { id: "practice-planned" });
  readonly score = made("p", { id: "practice-score", className: "told" });
  private readonly rightTree = treeOf("practice-right-tree");
  private readonly right = figureOf(captionOf(text("practice.steps.tree")), this.rightTree);
  private readonly caption = captionOf(text("practice.steps.made"));
  private readonly told = made("p", { id: "practice-told", className: "told" });

  constructor(details: HTMLElement) {
    const pair = made("div", { className: "pair" });
    pair.append(figureOf(this.caption, this.tree), this.right);
    this.told.setAttribute("role", "status");
    this.planned.setAttribute("aria-label", text("practice.steps.plan"));
    this.plan.append(made("summary", { textContent: text("practice.steps.plan") }), this.planned);
    adoptStyle(STYLE);
    details.append(
      made("p", { id: "practice-how", className: "told", textContent: howTold() }),
      row(labelled(text("practice.sentence"), this.sentences), this.again),
      pair,
      this.board,
      this.told,
      row(this.hint),
      this.plan,
      this.score,
    );
  }

  /** Words stand between asterisks. */
  tell(line: string, verdict: Verdict, lang: string): void {
    this.told.dataset.verdict = verdict;
    this.told.replaceChildren(SIGNS[verdict], ...withQuotes(line, lang));
  }

  /** Puts the right tree beside that of the learner; null where there is nothing to compare. */
  compare(analysis: TreeAnalysis | null, lang: string): void {
    this.right.hidden = this.caption.hidden = analysis === null;
    this.rightTree.lang = lang;
    if (analysis) this.rightTree.analysis = analysis;
  }

  plans(lines: readonly string[], lang: string): void {
    const items = lines.map((line) => {
      const item = made("li", {});
      item.append(...withQuotes(line, lang));
      return item;
    });
    this.planned.replaceChildren(...items);
  }
}

function howTold(): string {
  const [shift, left, right] = [stepTitle("shift"), stepTitle("reduce_left"), stepTitle("reduce_right")];
  return text("practice.steps.how", { shift, left, right });
}

function captionOf(textContent: string): HTMLElement {
  return made("figcaption", { textContent });
}

function figureOf(caption: HTMLElement, tree: HTMLElement): HTMLElement {
  const figure = made("figure", {});
  figure.append(caption, tree);
  return figure;
}

const STYLE = `
#practice label { display: flex; flex-wrap: wrap; align-items: center; gap: 0.375rem; min-width: 0; max-width: 100%; }
#practice-how { margin: 0 0 0.5rem; }
#practice-tree { --tree-changed: var(--bad); }
#practice-told { overflow-wrap: anywhere; }
#practice-told[data-verdict="right"] { color: var(--good); }
#practice-told[data-verdict="wrong"] { color: var(--bad); font-weight: 600; }
`;
