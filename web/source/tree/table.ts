/** An analysis as a table, for those who do not see the picture. */

import type { Head, TreeAnalysis } from "./analysis.ts";

/** What stands under the headings. */
type Cells = readonly [id: string, form: string, tag: string, relation: string, head: string];

const HEADINGS = ["ID", "Form", "Tag", "Relation", "Head"];

/** The table; it is patched, so that a screen reader that stands in it is not thrown out. */
export class TreeTable {
  readonly element = document.createElement("table");
  private readonly body = this.element.createTBody();
  private readonly shown: Cells[] = [];

  constructor() {
    this.element.setAttribute("aria-label", "Words and their heads");
    fillRow(this.element.createTHead().insertRow(), HEADINGS, "th");
  }

  fill(rows: readonly Cells[]): void {
    for (; this.shown.length > rows.length; this.shown.pop()) this.body.deleteRow(-1);
    rows.forEach((cells, index) => {
      if (this.shown[index]?.every((text, column) => text === cells[column])) return;
      fillRow(this.body.rows[index] ?? this.body.insertRow(), cells, "td");
      this.shown[index] = cells;
    });
  }
}

/** What a node of the picture is, in one phrase. */
export function description([, form, tag, relation, head]: Cells): string {
  return [form, tag, relation && `${relation} of ${head}`].filter(Boolean).join(", ");
}

/** The cells of each node. */
export function rowsOf(analysis: TreeAnalysis): Cells[] {
  const words = analysis.words.map(({ form, tag = "", head, label }, index): Cells => {
    return [String(index + 1), form, tag, label ?? "", told(head, analysis)];
  });
  const virtual = (analysis.virtual ?? []).map(({ node, tag, head, label }): Cells => {
    return [`expected ${node}`, "", tag, label ?? "", told(head, analysis)];
  });
  return [...words, ...virtual];
}

function told(head: Head, { words }: TreeAnalysis): string {
  if (head === null) return "";
  if (head === "later") return "a later word";
  if (head === 0) return "root";
  return head < 0 ? `expected ${-head}` : `${head} ${words[head - 1]?.form ?? ""}`;
}

function fillRow(row: HTMLTableRowElement, cells: readonly string[], name: "th" | "td"): void {
  cells.forEach((text, index) => {
    const cell = row.cells[index] ?? row.appendChild(document.createElement(name));
    if (cell.textContent !== text) cell.textContent = text;
  });
}
