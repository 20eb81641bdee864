/** Elements that parts of the page make themselves, once they are loaded. */

import type { DepTree } from "../tree/index.ts";

export function made<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
): HTMLElementTagNameMap[Tag] {
  return Object.assign(document.createElement(tag), properties);
}

export function treeOf(id: string): DepTree {
  return Object.assign(document.createElement("dep-tree") as DepTree, { id });
}

export function buttonOf(id: string, label: string): HTMLButtonElement {
  return made("button", { id, type: "button", textContent: label });
}

export function labelled(name: string, field: HTMLElement): HTMLLabelElement {
  const label = made("label", {});
  label.append(name, " ", field);
  return label;
}

export function row(...children: readonly HTMLElement[]): HTMLDivElement {
  const row = made("div", { className: "row" });
  row.append(...children);
  return row;
}

/** From now on the page has a style that belongs to one of its parts. */
export function adoptStyle(style: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
}
