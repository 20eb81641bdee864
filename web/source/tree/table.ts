/** An analysis as tables, for those who do not see the picture. */

import type { Head, TreeAnalysis } from "./analysis.ts";
import type { Phrase } from "./phrases.ts";
import { text } from "./texts.ts";
import { language, listed } from "../texts/texts.ts";

/** A node in words. */
export interface TableRow {
  /** What stands under the headings. */
  readonly cells: readonly string[];
  /** All of it in one phrase. */
  readonly description: string;
  readonly node: RowNode;
}

/** What a row is made of: as long as it stays the same, so does the row. */
interface RowNode {
  /** Of a word from 1 on, -k of virtual node k. */
  readonly number: number;
  readonly form: string;
  readonly tag: string;
  /** Null where no lemmas are shown. */
  readonly lemma: string | null;
  readonly label: string | null;
  readonly head: Head;
  readonly headForm: string;
  /** What somebody has decided about it, in words. */
  readonly fixed: string;
}

/** The table; it is patched, so that a screen reader that stands in it is not thrown out. */
export class TreeTable {
  readonly element = document.createElement("table");
  private readonly body = this.element.createTBody();
  private readonly headings = headingsOf(this.element, headings(false));
  private shown: readonly TableRow[] = [];

  constructor() {
    this.element.setAttribute("aria-label", text("tree.table"));
  }

  set showsLemmas(showsLemmas: boolean) {
    fillRow(this.headings, headings(showsLemmas), "th");
  }

  fill(rows: readonly TableRow[]): void {
    for (let more = this.shown.length - rows.length; more > 0; more--) this.body.deleteRow(-1);
    rows.forEach((row, index) => {
      const known = this.shown[index];
      if (row !== known) fillRow(known ? this.body.rows[index]! : this.body.insertRow(), row.cells, "td");
    });
    this.shown = rows;
  }
}

/** Phrases as a table, outer ones first. */
export class PhraseTable {
  readonly element = document.createElement("table");
  private readonly body = this.element.createTBody();

  constructor() {
    this.element.setAttribute("aria-label", text("tree.phrases.table"));
    headingsOf(this.element, [text("tree.heading.phrase"), text("tree.heading.words"), text("tree.heading.state")]);
  }

  fill(phrases: readonly Phrase[], { words }: TreeAnalysis): void {
    while (this.body.rows.length > phrases.length) this.body.deleteRow(-1);
    phrases.forEach(({ label, first, last, isOpen }, index) => {
      const forms = words.slice(first, last + 1).map((word) => word.form);
      const cells = [label, forms.join(" "), text(isOpen ? "tree.phrase.open" : "tree.phrase.ended")];
      fillRow(this.body.rows[index] ?? this.body.insertRow(), cells, "td");
    });
  }
}

function headings(showsLemmas: boolean): string[] {
  return [
    text("tree.heading.id"),
    text("tree.heading.form"),
    text("tree.heading.tag"),
    ...(showsLemmas ? [text("tree.heading.lemma")] : []),
    text("tree.heading.relation"),
    text("tree.heading.head"),
  ];
}

/** The row of each node; those of `before` that still hold are kept. */
export function rowsOf(analysis: TreeAnalysis, before: readonly TableRow[], showsLemmas: boolean): TableRow[] {
  const { words, virtual = [] } = analysis;
  const row = (node: RowNode, index: number) => {
    const known = before[index];
    return known && isSame(known.node, node) ? known : rowOf(node);
  };
  const headForm = (head: Head) => (typeof head === "number" && head > 0 ? (words[head - 1]?.form ?? "") : "");
  return [
    ...words.map(({ form, tag = "", lemma, head, label, fixed }, index) => {
      const shown = showsLemmas ? (lemma ?? "") : null;
      const about = { number: index + 1, form, tag, lemma: shown, label, head, headForm: headForm(head) };
      return row({ ...about, fixed: fixedTold(fixed ?? []) }, index);
    }),
    ...virtual.map(({ node, tag, head, label }, index) => {
      const lemma = showsLemmas ? "" : null;
      const about = { number: -node, form: "", tag, lemma, label, head, headForm: headForm(head) };
      return row({ ...about, fixed: "" }, words.length + index);
    }),
  ];
}

function isSame(one: RowNode, other: RowNode): boolean {
  if (one.number !== other.number || one.form !== other.form || one.tag !== other.tag) return false;
  if (one.lemma !== other.lemma || one.fixed !== other.fixed) return false;
  return one.label === other.label && one.head === other.head && one.headForm === other.headForm;
}

function rowOf(node: RowNode): TableRow {
  const { number, form, tag, lemma, fixed } = node;
  const [relation, head] = [node.label ?? "", told(node)];
  const description = [
    form,
    tag,
    lemma && text("tree.lemma", { lemma }),
    relation && text("tree.relation", { relation, head }),
    fixed && text("tree.fixed", { parts: fixed }),
  ]
    .filter(Boolean)
    .join(", ");
  const id = number > 0 ? String(number) : text("tree.expected", { number: -number });
  const lemmas = lemma === null ? [] : [lemma];
  return { cells: [id, form, tag, ...lemmas, relation, head], description, node };
}

function fixedTold(parts: readonly ("head" | "label" | "tag")[]): string {
  return listed(parts.map((part) => text(`tree.fixed.${part}`)));
}

function told({ head, headForm }: RowNode): string {
  if (head === null) return "";
  if (head === "later") return text("tree.later");
  if (head === 0) return text("tree.root");
  return head < 0 ? text("tree.expected", { number: -head }) : `${head} ${headForm}`;
}

/** In the language of the reader, whatever that of the words is. */
function headingsOf(table: HTMLTableElement, headings: readonly string[]): HTMLTableRowElement {
  const row = table.createTHead().insertRow();
  row.lang = language();
  fillRow(row, headings, "th");
  return row;
}

function fillRow(row: HTMLTableRowElement, cells: readonly string[], name: "th" | "td"): void {
  while (row.cells.length > cells.length) row.deleteCell(-1);
  cells.forEach((text, index) => {
    const cell = row.cells[index] ?? row.appendChild(document.createElement(name));
    if (cell.textContent !== text) cell.textContent = text;
  });
}
