/** An arc that a word might have instead of its own, drawn over the tree. */

import { curve, footOf, middleOf } from "./free_arcs.ts";
import type { TreeLayout } from "./layout.ts";
import { ARROW } from "./shapes.ts";
import { element, setAttributes, setText } from "./svg_elements.ts";

/** By the numbers of words; the head 0 is the root. */
export interface Rival {
  readonly number: number;
  readonly head: number;
  readonly label: string;
}

const ROOT = 52; // above the foot of an arc

export class RivalArc {
  private readonly line = element("path", { class: "line" });
  private readonly arrow = element("path", { class: "arrow", d: ARROW });
  private readonly label = element("text", { class: "label" });
  private readonly group = element("g", { class: "rival", "aria-hidden": "true" });

  constructor() {
    this.group.append(this.line, this.arrow, this.label);
  }

  draw(svg: SVGSVGElement, layout: TreeLayout, { number, head, label }: Rival): void {
    const foot = footOf(number, layout);
    const from = head ? footOf(head, layout) : { x: foot.x, y: foot.y - ROOT };
    const { x, y } = middleOf(from, foot);
    setAttributes(this.line, { d: curve(from, foot) });
    setAttributes(this.arrow, { transform: `translate(${foot.x} ${foot.y})` });
    setAttributes(this.label, { x, y: y - 3 });
    setText(this.label, label);
    if (svg.lastChild !== this.group) svg.append(this.group);
  }

  get isDrawn(): boolean {
    return this.group.parentNode !== null;
  }

  remove(): void {
    this.group.remove();
  }
}
