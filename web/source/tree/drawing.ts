/**
 * A tree in SVG: nodes and arcs are kept by their ids and patched, so that only what is new is drawn.
 *
 * What each element shows is remembered here: asking the browser costs more than most changes.
 */

import type { ArcPart, PlacedNode, TreeLayout } from "./layout.ts";
import type { TreeArc, TreeGraph, TreeNode } from "./nodes.ts";
import { ARROW, arcPath } from "./shapes.ts";

const SVG = "http://www.w3.org/2000/svg";
export const FORM_Y = 20;
export const TAG_Y = 36;
export const LABEL_DROP = 3.5;

interface RowGroups {
  readonly whole: SVGGElement;
  readonly arcs: SVGGElement;
  /** In the order of the sentence. */
  readonly words: SVGGElement;
}

interface Drawn {
  readonly group: SVGGElement;
  /** Those that it has unless it is lit. */
  readonly classes: string;
}

interface DrawnArc extends Drawn {
  readonly row: SVGGElement;
  /** Of what it comes from, "root" or "later". */
  readonly source: string;
  readonly arc: TreeArc;
  readonly part: ArcPart;
}

export class TreeDrawing {
  readonly svg = element("svg", {});
  private rows: RowGroups[] = [];
  private readonly words = new Map<string, Drawn>();
  private readonly arcs = new Map<string, DrawnArc>();

  /** Draws; `outlines` has half the width of each node's outline, `told` says what it is. `light` has to follow. */
  draw(graph: TreeGraph, layout: TreeLayout, outlines: readonly number[], told: readonly string[]): void {
    const { width, height } = layout;
    setAttributes(this.svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    this.drawRows(layout);
    const keys = layout.parts.map((part) => keyOf(part, graph));
    keepOnly(this.words, new Set(graph.nodes.map((node) => node.id)));
    keepOnly(this.arcs, new Set(keys));
    layout.parts.forEach((part, index) => this.drawPart(keys[index]!, part, graph));
    const inRows: number[] = [];
    graph.nodes.forEach((node, place) => {
      const placed = layout.nodes[place]!;
      const inRow = (inRows[placed.row] = (inRows[placed.row] ?? -1) + 1);
      this.drawNode(node, placed, outlines[place]!, inRow, told[place]!);
    });
    while (this.rows.length > layout.rows.length) this.rows.pop()!.whole.remove();
  }

  /** The group of a word, which can have the focus. */
  word(id: string): SVGGElement | undefined {
    return this.words.get(id)?.group;
  }

  /** Shows one word as the current one, with its arcs. */
  light(id: string | null, graph: TreeGraph): void {
    const place = graph.nodes.findIndex((node) => node.id === id);
    const focusable = place < 0 ? graph.nodes[0]?.id : id;
    for (const [key, word] of this.words) {
      setAttributes(word.group, {
        class: key === id ? `${word.classes} current` : word.classes,
        tabindex: key === focusable ? 0 : -1,
      });
    }
    for (const { group, classes, arc } of this.arcs.values()) {
      const isLit = place >= 0 && (arc.dependent === place || arc.source === place);
      setAttributes(group, { class: isLit ? `${classes} lit` : classes });
    }
  }

  private drawRows({ rows }: TreeLayout): void {
    while (this.rows.length < rows.length) this.rows.push(rowGroups(this.svg));
    rows.forEach(({ y }, row) => setStyle(this.rows[row]!.whole, "transform", `translate(0, ${y}px)`));
  }

  private drawPart(key: string, part: ArcPart, graph: TreeGraph): void {
    const arc = graph.arcs[part.arc]!;
    const source = sourceId(arc, graph);
    const row = this.rows[part.row]!.arcs;
    const known = this.arcs.get(key);
    const group = known?.group ?? arcGroup();
    if (known?.row !== row) row.append(group);
    const isSame = known?.source === source && isDrawnAlike(known, arc, part);
    const isMoving = known && (known.source !== source || known.part.level !== part.level);
    const classes = isSame ? known.classes : `arc${arc.isStable ? " stable" : ""}${isMoving ? " moving" : ""}`;
    this.arcs.set(key, { group, row, source, classes, arc, part });
    if (!isSame) drawArc(group, part, arc);
  }

  private drawNode(node: TreeNode, { row, x }: PlacedNode, halfWidth: number, inRow: number, told: string): void {
    const group = this.words.get(node.id)?.group ?? wordGroup();
    const words = this.rows[row]!.words;
    if (words.children[inRow] !== group) words.insertBefore(group, words.children[inRow] ?? null);
    const classes = `word${node.isVirtual ? " ghost" : ""}${node.isInConflict ? " conflict" : ""}`;
    this.words.set(node.id, { group, classes });
    setAttributes(group, { "data-id": node.id, "aria-label": told });
    setStyle(group, "transform", `translate(${x}px, 0)`);
    const [outline, form, tag] = group.children as unknown as [SVGElement, SVGElement, SVGElement];
    setAttributes(outline, { x: -halfWidth, width: 2 * halfWidth });
    setText(form, node.form);
    setText(tag, node.tag);
  }
}

/** What the drawing of a part depends on, inside its row. */
const SHAPE = ["from", "to", "y", "arrow", "label", "standsAtFrom", "standsAtTo", "isLabelAbove"] as const;

function isDrawnAlike(known: DrawnArc, arc: TreeArc, part: ArcPart): boolean {
  if (known.arc.isStable !== arc.isStable || known.arc.label !== arc.label) return false;
  return SHAPE.every((name) => known.part[name] === part[name]);
}

/** The part at the dependent has its arc's key wherever it is, so that it can move between rows. */
function keyOf(part: ArcPart, graph: TreeGraph): string {
  return `${graph.arcs[part.arc]!.id} ${part.label === null ? part.row : "arrow"}`;
}

function rowGroups(svg: SVGSVGElement): RowGroups {
  const [whole, arcs, words] = [element("g", {}), element("g", {}), element("g", {})];
  whole.append(arcs, words);
  svg.append(whole);
  return { whole, arcs, words };
}

function arcGroup(): SVGGElement {
  const group = element("g", { "aria-hidden": "true" });
  group.append(
    element("path", { class: "line" }),
    element("path", { class: "arrow", d: ARROW }),
    element("text", { class: "label" }),
  );
  return group;
}

function wordGroup(): SVGGElement {
  const group = element("g", { role: "graphics-symbol", tabindex: -1 });
  const outline = element("rect", { class: "outline", y: 3, height: 38 });
  group.append(outline, element("text", { class: "form", y: FORM_Y }), element("text", { class: "tag", y: TAG_Y }));
  return group;
}

function drawArc(group: SVGGElement, part: ArcPart, arc: TreeArc): void {
  const [line, arrow, label] = group.children as unknown as [SVGElement, SVGElement, SVGElement];
  setAttributes(line, { d: arcPath(part) });
  setStyle(arrow, "display", part.arrow === null ? "none" : "");
  setStyle(arrow, "transform", `translate(${part.arrow ?? 0}px, 0)`);
  setStyle(label, "transform", `translate(${part.label ?? 0}px, ${labelY(part)}px)`);
  setText(label, part.label === null ? "" : arc.label);
}

/** The base line of a label: on the arc, or above it. */
export function labelY(part: ArcPart): number {
  return part.isLabelAbove ? part.y - 4 : part.y + LABEL_DROP;
}

function sourceId({ source }: TreeArc, graph: TreeGraph): string {
  return typeof source === "number" ? graph.nodes[source]!.id : source;
}

function keepOnly(drawn: Map<string, Drawn>, kept: ReadonlySet<string>): void {
  for (const [key, { group }] of drawn)
    if (!kept.has(key)) {
      group.remove();
      drawn.delete(key);
    }
}

/** What elements show: values by attribute, property of style, or "text". */
const shown = new WeakMap<Element, Record<string, string | number>>();

function isShown(node: Element, name: string, value: string | number): boolean {
  let values = shown.get(node);
  if (!values) shown.set(node, (values = {}));
  if (values[name] === value) return true;
  values[name] = value;
  return false;
}

function setText(node: SVGElement, text: string): void {
  if (!isShown(node, "text", text)) node.textContent = text;
}

function setStyle(node: SVGElement, name: "transform" | "display", value: string): void {
  if (!isShown(node, name, value)) node.style[name] = value;
}

function setAttributes(node: Element, attributes: Record<string, string | number>): void {
  for (const name in attributes)
    if (!isShown(node, name, attributes[name]!)) node.setAttribute(name, String(attributes[name]));
}

function element<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const node = document.createElementNS(SVG, name);
  setAttributes(node, attributes);
  return node;
}
