/**
 * A tree in SVG: nodes and arcs are kept by their ids and patched, so that only what is new is drawn.
 */

import { LEMMA_DROP, type ArcPart, type TreeLayout } from "./layout.ts";
import { isSameNode, type TreeArc, type TreeGraph, type TreeNode } from "./nodes.ts";
import { ARROW, arcPath } from "./shapes.ts";
import { weightOf } from "./sureness.ts";
import { element, setAttributes, setStyle, setText } from "./svg_elements.ts";

export const FORM_Y = 20;
export const TAG_Y = 36;
export const LEMMA_Y = TAG_Y + LEMMA_DROP;
export const OUTLINE_Y = 3;
export const LABEL_DROP = 3.5;

/**
 * A word was chosen; `number` counts from 1, beyond the words come virtual nodes. Keys move the focus along; the
 * pointer leaves it where it is, so that typing goes on.
 */
export type WordChosen = CustomEvent<{ id: string; number: number }>;

interface RowGroups {
  readonly whole: SVGGElement;
  readonly arcs: SVGGElement;
  /** In the order of the sentence. */
  readonly words: SVGGElement;
}

interface Drawn {
  readonly group: SVGGElement;
  /** Those that it has unless it is lit. */
  classes: string;
  /** Those that it has now. */
  worn: string;
}

interface DrawnWord extends Drawn {
  /** Outline, form, tag and lemma. */
  readonly parts: readonly [SVGElement, SVGElement, SVGElement, SVGElement];
  tabindex: number;
  shows: ShownWord | null;
}

interface ShownWord {
  readonly node: TreeNode;
  readonly x: number;
  readonly outline: { readonly x: number; readonly width: number; readonly height: number };
  readonly told: string;
}

interface DrawnArc extends Drawn {
  /** Line, what the pointer can take hold of, arrow and label. */
  readonly parts: readonly [SVGElement, SVGElement, SVGElement, SVGElement];
  row: SVGGElement | null;
  shows: ShownArc | null;
}

interface ShownArc {
  /** Of what it comes from, "root" or "later". */
  readonly source: string;
  readonly arc: TreeArc;
  readonly part: ArcPart;
}

export class TreeDrawing {
  readonly svg = element("svg", {});
  private rows: RowGroups[] = [];
  private readonly words = new Map<string, DrawnWord>();
  private readonly arcs = new Map<string, DrawnArc>();

  /** Enlarges what is drawn; this has to follow `draw`. */
  scale({ width, height }: TreeLayout, zoom: number): void {
    setAttributes(this.svg, { width: width * zoom, height: height * zoom, viewBox: `0 0 ${width} ${height}` });
  }

  /** Draws; `outlines` has the width of each node's outline, `told` says what it is. `light` has to follow. */
  draw(graph: TreeGraph, layout: TreeLayout, outlines: readonly number[], told: readonly string[]): void {
    this.drawRows(layout);
    const keys = layout.parts.map((part) => keyOf(part, graph));
    keepOnly(this.words, new Set(graph.nodes.map((node) => node.id)));
    keepOnly(this.arcs, new Set(keys));
    layout.parts.forEach((part, index) => this.drawPart(keys[index]!, part, graph));
    graph.nodes.forEach((node, place) => {
      const width = outlines[place]!;
      const outline = { x: -width / 2, width, height: outlineHeight(layout.below) };
      this.drawNode({ node, x: layout.nodes[place]!.x, outline, told: told[place]! });
    });
    this.putIntoRows(graph, layout);
    while (this.rows.length > layout.rows.length) this.rows.pop()!.whole.remove();
  }

  /** Hides the labels of arcs that are told elsewhere, by the words to which the arcs lead. */
  hideLabels(hidden: ReadonlySet<string | null>): void {
    for (const { shows, parts } of this.arcs.values())
      setStyle(parts[3], "display", hidden.has(shows!.arc.id) ? "none" : "");
  }

  /** The group of a word, which can have the focus. */
  word(id: string): SVGGElement | undefined {
    return this.words.get(id)?.group;
  }

  /** The group of each part of the arc to a word. */
  arcsTo(id: string): SVGGElement[] {
    return [...this.arcs.values()].filter(({ shows }) => shows?.arc.id === id).map(({ group }) => group);
  }

  /** The word to which an arc leads, by one of its groups. */
  dependentOf(arc: Element): string | undefined {
    return [...this.arcs.values()].find(({ group }) => group === arc)?.shows?.arc.id;
  }

  /** Shows one word as the current one, with its arcs. */
  light(id: string | null, graph: TreeGraph): void {
    const place = graph.nodes.findIndex((node) => node.id === id);
    const focusable = place < 0 ? graph.nodes[0]?.id : id;
    for (const [key, word] of this.words) {
      wear(word, key === id ? `${word.classes} current` : word.classes);
      const tabindex = key === focusable ? 0 : -1;
      if (word.tabindex !== tabindex) word.group.setAttribute("tabindex", String((word.tabindex = tabindex)));
    }
    for (const drawn of this.arcs.values()) {
      const { dependent, source } = drawn.shows!.arc;
      const isLit = place >= 0 && (dependent === place || source === place);
      wear(drawn, isLit ? `${drawn.classes} lit` : drawn.classes);
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
    const drawn = known(this.arcs, key, newArc);
    if (drawn.row !== row) row.append(drawn.group);
    const before = drawn.shows;
    drawn.row = row;
    drawn.shows = { source, arc, part };
    if (before?.source === source && isDrawnAlike(before, drawn.shows)) return;
    const isMoving = before && (before.source !== source || before.part.level !== part.level);
    const fixed = `${arc.isFixed ? " fixed" : ""}${arc.isLabelFixed ? " named" : ""}`;
    drawn.classes = `arc${arc.isStable ? " stable" : ""}${fixed}${isMoving ? " moving" : ""}${weightOf(arc)}`;
    setAttributes(drawn.group, { "data-id": arc.id });
    drawArc(drawn, part, arc);
  }

  private drawNode(shown: ShownWord): void {
    const { node, x, told } = shown;
    const drawn = known(this.words, node.id, newWord);
    const { group, parts, shows } = drawn;
    if (shows && isSameWord(shows, shown)) return;
    drawn.shows = shown;
    const marks = `${node.isInConflict ? " conflict" : ""}${node.isTagFixed ? " tagged" : ""}`;
    drawn.classes = `word${node.isVirtual ? " ghost" : ""}${marks}`;
    setAttributes(group, { "data-id": node.id, "aria-label": told });
    setStyle(group, "transform", `translate(${x}px, 0)`);
    const [outline, form, tag, lemma] = parts;
    setAttributes(outline, shown.outline);
    setText(form, node.form);
    setText(tag, node.tag);
    setText(lemma, node.lemma);
  }

  /** Moves only words that are not in their place: one that has the focus would lose it. */
  private putIntoRows({ nodes }: TreeGraph, layout: TreeLayout): void {
    let row = -1;
    let next: ChildNode | null = null;
    layout.nodes.forEach((placed, place) => {
      const words = this.rows[placed.row]!.words;
      if (placed.row !== row) next = words.firstChild;
      row = placed.row;
      const { group } = this.words.get(nodes[place]!.id)!;
      if (next === group) next = group.nextSibling;
      else words.insertBefore(group, next);
    });
  }
}

function isSameWord(one: ShownWord, other: ShownWord): boolean {
  const [a, b] = [one.outline, other.outline];
  if (one.x !== other.x || a.width !== b.width || a.height !== b.height || one.told !== other.told) return false;
  return isSameNode(one.node, other.node);
}

/** Whether a part looks the same inside its row. */
function isDrawnAlike({ arc: arcA, part: partA }: ShownArc, { arc: arcB, part: partB }: ShownArc): boolean {
  if (arcA.isStable !== arcB.isStable || arcA.label !== arcB.label) return false;
  if (weightOf(arcA) !== weightOf(arcB)) return false;
  if (arcA.isFixed !== arcB.isFixed || arcA.isLabelFixed !== arcB.isLabelFixed) return false;
  if (partA.from !== partB.from || partA.to !== partB.to || partA.y !== partB.y) return false;
  if (partA.arrow !== partB.arrow || partA.label !== partB.label || partA.isLabelAbove !== partB.isLabelAbove)
    return false;
  return partA.standsAtFrom === partB.standsAtFrom && partA.standsAtTo === partB.standsAtTo;
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

function known<D extends Drawn>(drawn: Map<string, D>, key: string, make: () => D): D {
  const found = drawn.get(key) ?? make();
  drawn.set(key, found);
  return found;
}

function newArc(): DrawnArc {
  const line = element("path", { class: "line" });
  const arrow = element("path", { class: "arrow", d: ARROW });
  const label = element("text", { class: "label" });
  const reach = element("path", { class: "reach" });
  const parts: DrawnArc["parts"] = [line, reach, arrow, label];
  return { ...grouped(parts, { "aria-hidden": "true" }), row: null, shows: null };
}

function newWord(): DrawnWord {
  const outline = element("rect", { class: "outline", y: OUTLINE_Y });
  const form = element("text", { class: "form", y: FORM_Y });
  const tag = element("text", { class: "tag", y: TAG_Y });
  const lemma = element("text", { class: "lemma", y: LEMMA_Y });
  const parts: DrawnWord["parts"] = [outline, form, tag, lemma];
  return { ...grouped(parts, { role: "graphics-symbol", tabindex: -1 }), tabindex: -1, shows: null };
}

function grouped<Parts extends readonly SVGElement[]>(
  parts: Parts,
  attributes: Record<string, string | number>,
): Drawn & { readonly parts: Parts } {
  const group = element("g", attributes);
  group.append(...parts);
  return { group, parts, classes: "", worn: "" };
}

function drawArc({ parts: [line, reach, arrow, label] }: DrawnArc, part: ArcPart, arc: TreeArc): void {
  for (const path of [line, reach]) setAttributes(path, { d: arcPath(part) });
  setStyle(arrow, "display", part.arrow === null ? "none" : "");
  setStyle(arrow, "transform", `translate(${part.arrow ?? 0}px, 0)`);
  setStyle(label, "transform", `translate(${part.label ?? 0}px, ${labelY(part)}px)`);
  setText(label, part.label === null ? "" : arc.label);
}

/** Of the outlines of words, which have so much room below the base line. */
export function outlineHeight(below: number): number {
  return below - OUTLINE_Y + 1;
}

/** The base line of a label: on the arc, or above it. */
export function labelY(part: ArcPart): number {
  return part.isLabelAbove ? part.y - 4 : part.y + LABEL_DROP;
}

function wear(drawn: Drawn, classes: string): void {
  if (drawn.worn !== classes) drawn.group.setAttribute("class", (drawn.worn = classes));
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
