/** `<dep-tree>`: a dependency tree that may go on growing, as a custom element without any framework. */

import { directionOf, NOTHING, type TreeAnalysis } from "./analysis.ts";
import { coloursOf } from "./colours.ts";
import { conlluOf } from "./conllu.ts";
import { TreeDrawing } from "./drawing.ts";
import { ElementClass } from "./element_class.ts";
import { HeadDragging, type DragListener } from "./head_dragging.ts";
import { layOut, METRICS, METRICS_WITH_LEMMAS, type TreeLayout } from "./layout.ts";
import { graphOf, hasSamePlaces, type TreeGraph } from "./nodes.ts";
import { POINTING_STYLE, Pointing } from "./pointing.ts";
import { pictureOfArcs, pngOf, svgOf, type Picture } from "./pictures.ts";
import { TREE_STYLE } from "./style.ts";
import { SURENESS_STYLE } from "./sureness.ts";
import { rowsOf, TreeTable, type TableRow } from "./table.ts";
import { TextWidths } from "./text_widths.ts";
import { text } from "./texts.ts";
import { WordHints } from "./word_hints.ts";

const NARROWEST = 200;
const LIT = 1600; // milliseconds, of what has changed

/** Decides whether a word can hang on another one, or on the root, which is 0: null, or why it cannot. */
export type Obstacle = (number: number, head: number) => string | null;

/** Somebody has dragged a word to a head; 0 is the root. */
export type HeadChosen = CustomEvent<{ number: number; head: number }>;
/** The label of the arc to a word was clicked. */
export type LabelChosen = CustomEvent<{ number: number }>;
/** Over a head that cannot be the reason is told, and nothing elsewhere. */
export type HeadHindered = CustomEvent<{ reason: string }>;

export class DepTree extends ElementClass {
  private readonly drawing = new TreeDrawing();
  private readonly table = new TreeTable();
  private readonly widths = new TextWidths();
  private readonly resized = new ResizeObserver(([{ contentRect }]) => this.fit(contentRect.width));
  private shown: TreeAnalysis = NOTHING;
  /** The room there is; 0 while the element is not shown. */
  private room = 0;
  private graph: TreeGraph = graphOf(NOTHING);
  private rows: readonly TableRow[] = [];
  private layout: TreeLayout | null = null;
  private current: string | null = null;
  private drawsLemmas = false;
  private drawsConfidence = false;
  private readonly pointing = new Pointing(this.drawing.svg, (detail) =>
    this.dispatchEvent(new CustomEvent("partpointed", { detail, bubbles: true })),
  );
  private outlines: readonly number[] = [];
  private marked: readonly number[] = [];
  private obstacle: Obstacle | null = null;
  private readonly hints = new WordHints();
  private hinted: { readonly keys: ReadonlyMap<number, string>; readonly dependent: number } | null = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(TREE_STYLE + SURENESS_STYLE + POINTING_STYLE);
    root.adoptedStyleSheets = [sheet];
    const unseen = document.createElement("div");
    unseen.className = "unseen";
    unseen.append(this.table.element);
    this.drawing.svg.setAttribute("role", "graphics-document");
    this.drawing.svg.setAttribute("aria-label", text("tree.name"));
    root.append(this.drawing.svg, unseen);
    this.pointing.followFocus(root);
    this.drawing.svg.addEventListener("keydown", (event) => this.keyPressed(event));
    this.drawing.svg.addEventListener("mousedown", (event) => this.keepFocus(event));
    this.drawing.svg.addEventListener("click", (event) => this.clicked(event));
    new HeadDragging(this.drawing.svg, () => this.dragPicture, this.dragListener);
  }

  connectedCallback(): void {
    this.resized.observe(this);
  }

  disconnectedCallback(): void {
    this.resized.disconnect();
    this.room = 0;
  }

  /** What is drawn: an analysis as it comes over the wire, or any other one of this shape. */
  get analysis(): TreeAnalysis {
    return this.shown;
  }

  set analysis(analysis: TreeAnalysis) {
    const before = this.graph;
    this.shown = analysis;
    this.takeShown();
    if (this.graph.nodes[0]?.id !== before.nodes[0]?.id) this.layout = null;
    this.render(hasSamePlaces(this.graph, before));
  }

  /** Whether the lemmas of words stand under their tags; there is room for those that are still to come. */
  get showsLemmas(): boolean {
    return this.drawsLemmas;
  }

  set showsLemmas(showsLemmas: boolean) {
    if (showsLemmas === this.drawsLemmas) return;
    this.drawsLemmas = this.table.showsLemmas = showsLemmas;
    this.takeShown();
    this.render(false);
  }

  /** Whether lines are the heavier the surer their arcs are. */
  get showsConfidence(): boolean {
    return this.drawsConfidence;
  }

  set showsConfidence(showsConfidence: boolean) {
    if (showsConfidence === this.drawsConfidence) return;
    this.drawsConfidence = showsConfidence;
    this.takeShown();
    this.render(true);
  }

  /** Explains the word or arc that is pointed at to those who hear its name. */
  describePointed(text: string): void {
    this.pointing.describe(text);
  }

  /** Shows a word, by its number, as the current one. */
  showWord(number: number | null): void {
    const current = number === null ? null : (this.graph.nodes[number - 1]?.id ?? null);
    if (current === this.current) return;
    this.current = current;
    this.drawing.light(current, this.graph);
  }

  /** The number of the current word. */
  get currentWord(): number | null {
    const place = this.graph.nodes.findIndex((node) => node.id === this.current);
    return place < 0 || place >= this.shown.words.length ? null : place + 1;
  }

  /** Chooses a word, as a click on it does. */
  chooseWord(number: number): void {
    this.choose(number - 1);
  }

  focusWord(number: number): void {
    const id = this.graph.nodes[number - 1]?.id;
    if (id !== undefined) this.drawing.word(id)?.focus({ preventScroll: true });
  }

  // --- corrections --------------------------------------------------------------------------------------

  /** While this is set, words can be dragged to heads, and labels clicked. */
  set obstacleTo(obstacle: Obstacle | null) {
    this.obstacle = obstacle;
    this.drawing.svg.classList.toggle("correctable", obstacle !== null);
  }

  /** Lights up for a moment what has changed: arcs to words, and words, by their numbers. */
  lightChanges(arcs: readonly number[], words: readonly number[]): void {
    const ids = (numbers: readonly number[]) => numbers.flatMap((number) => this.graph.nodes[number - 1]?.id ?? []);
    const groups = [
      ...ids(arcs).flatMap((id) => this.drawing.arcsTo(id)),
      ...ids(words).flatMap((id) => this.drawing.word(id) ?? []),
    ];
    const now = String(performance.now());
    for (const group of groups) group.dataset.changed = now;
    const dim = () => groups.forEach(({ dataset }) => dataset.changed === now && delete dataset.changed);
    if (groups.length) setTimeout(dim, LIT);
  }

  /** Marks the arcs to some words, by their numbers, as others than in a tree that this one is compared with. */
  set differing(numbers: readonly number[]) {
    this.marked = numbers;
    this.markDiffering();
  }

  private markDiffering(): void {
    const ids = new Set(this.marked.map((number) => this.graph.nodes[number - 1]?.id));
    for (const { id } of this.graph.nodes)
      for (const group of this.drawing.arcsTo(id)) group.toggleAttribute("data-differing", ids.has(id));
  }

  /** Shows the keys by which the head of a word can be chosen, by the numbers of heads; null shows none. */
  showHints(dependent: number, keys: ReadonlyMap<number, string> | null): void {
    this.hinted = keys && { keys, dependent };
    if (!keys) this.hints.remove();
    this.drawHints();
  }

  private drawHints(): void {
    const { hinted, layout } = this;
    if (hinted && layout) this.hints.draw(this.drawing.svg, layout, hinted.keys, hinted.dependent);
  }

  private get dragPicture() {
    const { layout, outlines } = this;
    return layout && { layout, outlines, words: this.shown.words.length };
  }

  private get dragListener(): DragListener {
    return {
      numberOf: (event) => {
        const word = this.obstacle && wordAt(event);
        if (!word || (event.pointerType === "touch" && !word.classList.contains("current"))) return null;
        const place = this.graph.nodes.findIndex((node) => node.id === word.dataset.id);
        return place >= 0 && place < this.shown.words.length ? place + 1 : null;
      },
      obstacleTo: (number, head) => this.obstacle?.(number, head) ?? null,
      hindered: (reason) => this.tell("headhindered", { reason }),
      dropped: (number, head) => this.tell("headchosen", { number, head }),
    };
  }

  private tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  toConllu(): string {
    return conlluOf(this.shown);
  }

  /** The picture as an SVG file that needs nothing else. */
  toSVG(): string {
    return svgOf(this.picture());
  }

  toPNG(scale = 2): Promise<Blob> {
    return pngOf(this.picture(), scale);
  }

  // --- drawing ------------------------------------------------------------------------------------------

  private takeShown(): void {
    this.graph = graphOf(this.shown, this.drawsLemmas, this.drawsConfidence);
    this.rows = rowsOf(this.shown, this.rows, this.drawsLemmas);
  }

  /** Only here is the browser asked for places and styles: while a tree grows, it would have to work them out anew. */
  private fit(room: number): void {
    this.room = room;
    this.widths.readFont(this);
    this.render(false);
  }

  /** The layout stays where it would be the same: as long as room, font, direction, forms and arcs are. */
  private render(mayStay: boolean): void {
    if (this.room === 0) return;
    const isTurned = this.drawing.svg.getAttribute("direction") !== this.direction;
    if (isTurned) this.drawing.svg.setAttribute("direction", this.direction);
    if (isTurned || !mayStay || !this.layout)
      this.layout = this.laidOut(Math.max(this.room, NARROWEST), this.layout?.rows.map((row) => row.levels) ?? []);
    this.outlines = this.graph.nodes.map((node) => this.widths.ofOutline(node));
    const told = this.rows.map((row) => row.description);
    this.drawing.draw(this.graph, this.layout, this.outlines, told);
    if (this.marked.length) this.markDiffering();
    this.drawHints();
    this.drawing.light(this.current, this.graph);
    this.pointing.follow(this.graph);
    this.table.fill(this.rows);
  }

  private laidOut(width: number, levelsBefore: readonly number[]): TreeLayout {
    const { nodes, arcs } = this.graph;
    const tree = {
      arcs,
      width,
      levelsBefore,
      direction: this.direction,
      widths: nodes.map((node) => this.widths.ofWord(node.form)),
      labelWidths: arcs.map((arc) => this.widths.of(arc.label, "label")),
    };
    return layOut(tree, this.drawsLemmas ? METRICS_WITH_LEMMAS : METRICS);
  }

  private get direction(): "ltr" | "rtl" {
    return this.dir === "rtl" || this.dir === "ltr" ? this.dir : directionOf(this.shown.words);
  }

  private picture(): Picture {
    this.widths.readFont(this);
    const layout = this.laidOut(this.clientWidth || Number.MAX_SAFE_INTEGER, []);
    return pictureOfArcs(this.graph, layout, coloursOf(this), this.widths.family);
  }

  // --- keys and pointer ---------------------------------------------------------------------------------

  private keyPressed(event: KeyboardEvent): void {
    const place = this.graph.nodes.findIndex((node) => node.id === this.current);
    const next = this.placeAfterKey(event.key, Math.max(0, place));
    if (next === null) return;
    event.preventDefault();
    this.choose(next);
    this.drawing.word(this.graph.nodes[next]!.id)?.focus({ preventScroll: true });
  }

  /** Words, which can have the focus, would take it from a text; where nothing has it, they do. */
  private keepFocus(event: Event): void {
    const { activeElement, body } = this.ownerDocument;
    if (wordAt(event) && activeElement !== body && activeElement !== this) event.preventDefault();
  }

  private placeAfterKey(key: string, place: number): number | null {
    const last = this.graph.nodes.length - 1;
    const [forward, back] = this.direction === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
    if (key === forward) return Math.min(place + 1, last);
    if (key === back) return Math.max(place - 1, 0);
    if (key === "Home") return 0;
    if (key === "End") return last;
    if (key === "ArrowUp") return this.headOf(place);
    return key === "ArrowDown" ? this.firstDependentOf(place) : null;
  }

  private headOf(place: number): number {
    const source = this.graph.arcs.find((arc) => arc.dependent === place)?.source;
    return typeof source === "number" ? source : place;
  }

  private firstDependentOf(place: number): number {
    return this.graph.arcs.find((arc) => arc.source === place)?.dependent ?? place;
  }

  private clicked(event: Event): void {
    const label = this.obstacle && (event.target as Element).closest(".arc .label");
    const dependent = label && this.drawing.dependentOf(label.parentElement!);
    const number = this.graph.nodes.findIndex(({ id }) => id === dependent) + 1;
    if (number) return this.tell("labelchosen", { number });
    const id = wordAt(event)?.dataset.id;
    const place = this.graph.nodes.findIndex((node) => node.id === id);
    if (place >= 0) this.choose(place);
  }

  private choose(place: number): void {
    const node = this.graph.nodes[place];
    if (!node) return;
    this.showWord(place + 1);
    this.tell("wordchosen", { id: node.id, number: place + 1 });
  }
}

function wordAt({ target }: Pick<Event, "target">): SVGElement | null {
  return (target as Element).closest<SVGElement>(".word");
}

/** Makes the element known under its name, once. */
export function defineDepTree(): void {
  if (!customElements.get("dep-tree")) customElements.define("dep-tree", DepTree);
}
