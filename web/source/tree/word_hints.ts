/** Keys that stand over the words of a tree, and over the root: each chooses its word. */

import type { TreeLayout } from "./layout.ts";
import { element } from "./svg_elements.ts";

const [LETTER, HEIGHT] = [10, 17];

export class WordHints {
  private readonly group = element("g", { class: "hints", "aria-hidden": "true" });

  /** Draws the keys of words by their numbers; 0 is the root, which stands above word `dependent`. */
  draw(svg: SVGSVGElement, layout: TreeLayout, hints: ReadonlyMap<number, string>, dependent: number): void {
    const badges = [...hints].flatMap(([number, keys]) => {
      const node = layout.nodes[(number || dependent) - 1];
      const row = node && layout.rows[node.row]!;
      return node && row ? badge(keys, node.x, number ? row.y - 6 : row.y - 52) : [];
    });
    this.group.replaceChildren(...badges);
    if (svg.lastChild !== this.group) svg.append(this.group);
  }

  remove(): void {
    this.group.remove();
  }
}

function badge(keys: string, x: number, y: number): SVGElement[] {
  const width = LETTER * keys.length + 8;
  const text = element("text", { x, y: y + 4 });
  text.textContent = keys;
  return [element("rect", { x: x - width / 2, y: y - HEIGHT / 2, width, height: HEIGHT }), text];
}
