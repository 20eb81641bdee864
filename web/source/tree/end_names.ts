/** The names of words at which arcs go on, where these leave their row or the view; a click leads to the word. */

import type { TreeGraph } from "./nodes.ts";
import type { OpenEnd } from "./open_ends.ts";
import { element, setAttributes, setText } from "./svg_elements.ts";
import { ELLIPSIS, type TextWidths } from "./text_widths.ts";

const PADDING = 4;
const HALF_HEIGHT = 7.5;
/** From the middle of a name to its base line. */
export const NAME_DROP = 3.5;

export interface EndName {
  readonly text: string;
  /** Of its middle. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The number of the word, counted from 1; 0 where it is still to come. */
  readonly number: number;
  readonly isStable: boolean;
  /** The dependent of the arc, where the name says its label as well. */
  readonly labelled: string | null;
}

/** What is written at open ends, none of it wider than the room that there is for one. */
export function namesOf(ends: readonly OpenEnd[], graph: TreeGraph, widths: TextWidths, room: number): EndName[] {
  return ends.map((end) => {
    const { arc, node, x, y, begins } = end;
    const { id, label, isStable } = graph.arcs[arc]!;
    const word = node === null ? ELLIPSIS : graph.nodes[node]!.form;
    const hasLabel = label !== "" && isCovered(end, widths.of(word, "name") + widths.of(label, "label") / 2);
    const text = widths.shortened(hasLabel ? `${label} \u00b7 ${word}` : word, "name", room);
    const width = widths.of(text, "name");
    const place = { x: begins ? x + width / 2 : x - width / 2, y, width };
    return { text, ...place, number: (node ?? -1) + 1, isStable, labelled: hasLabel ? id : null };
  });
}

/** Whether the label of an arc is out of sight, or would be so under the name. */
function isCovered({ label, x, begins }: OpenEnd, reach: number): boolean {
  return label !== null && (begins ? label < x + reach + 2 * PADDING : label > x - reach - 2 * PADDING);
}

export class EndNames {
  readonly group = element("g", { class: "names", "aria-hidden": "true" });
  private shown: SVGGElement[] = [];

  /** Draws the names over everything else of a picture; each has a frame where it stands inside the view. */
  draw(svg: SVGSVGElement, names: readonly EndName[], isFramed: boolean): void {
    while (this.shown.length > names.length) this.shown.pop()!.remove();
    names.forEach((name, place) => {
      const group = (this.shown[place] ??= this.group.appendChild(newName()));
      showName(group, name, isFramed);
    });
    if (svg.lastChild !== this.group) svg.append(this.group);
  }

  /** The number of the word whose name an event is about; 0 for none. */
  static numberAt({ target }: Event): number {
    return Number((target as Element).closest<SVGElement>(".name")?.dataset.number ?? 0);
  }
}

function newName(): SVGGElement {
  const group = element("g", {});
  group.append(element("rect", { height: 2 * HALF_HEIGHT }), element("text", {}));
  return group;
}

function showName(group: SVGGElement, name: EndName, isFramed: boolean): void {
  const { text, x, y, width, number, isStable, labelled } = name;
  const [frame, label] = [...group.children] as [SVGElement, SVGElement];
  const marks = `${isStable ? " stable" : ""}${isFramed ? " framed" : ""}`;
  setAttributes(group, { class: `name${marks}`, "data-number": number, "data-labels": labelled ?? "" });
  setAttributes(frame, { x: x - width / 2 - PADDING, y: y - HALF_HEIGHT, width: width + 2 * PADDING });
  setAttributes(label, { x, y: y + NAME_DROP });
  setText(label, text);
}

export const NAMES_STYLE = `
.name text { font-size: 11px; font-style: italic; fill: var(--tree-provisional); }
.name.stable text { fill: var(--tree-stable); }
.name rect { fill: var(--tree-background); rx: 4px; }
.name.framed rect { stroke: var(--tree-provisional); stroke-width: 1px; }
.name.framed.stable rect { stroke: var(--tree-stable); }
.name:not([data-number="0"]) { cursor: pointer; }
`;
