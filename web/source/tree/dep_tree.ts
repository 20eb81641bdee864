/** `<dep-tree>`: a dependency tree that may go on growing, as a custom element without any framework. */

import { directionOf, NOTHING, type TreeAnalysis } from "./analysis.ts";
import { coloursOf, ON_PAPER, type Colours } from "./colours.ts";
import { conlluOf } from "./conllu.ts";
import { TreeDrawing } from "./drawing.ts";
import { ElementClass } from "./element_class.ts";
import { EndNames, namesOf, NAMES_STYLE } from "./end_names.ts";
import { HeadDragging, type DragListener } from "./head_dragging.ts";
import { latexOf } from "./latex.ts";
import { COMPACT_METRICS, layOut, METRICS, type Metrics, type TreeLayout, withLemmas } from "./layout.ts";
import { graphOf, hasSamePlaces, type TreeGraph } from "./nodes.ts";
import { endsOfRows, endsOfView } from "./open_ends.ts";
import { POINTING_STYLE, Pointing } from "./pointing.ts";
import { pictureOfArcs, pngOf, svgOf, type Picture } from "./pictures.ts";
import { TREE_STYLE } from "./style.ts";
import { RivalArc, type Rival } from "./rival_arc.ts";
import { SURENESS_STYLE } from "./sureness.ts";
import { rowsOf, TreeTable, type TableRow } from "./table.ts";
import { TextWidths } from "./text_widths.ts";
import { ROOM_STYLE, TreeRoom } from "./tree_room.ts";
import { text } from "./texts.ts";
import { WordHints } from "./word_hints.ts";

const NARROWEST = 200;
const LIT = 1600; // milliseconds, of what has changed
const MOST_MARGIN = 64; // px, for names beside rows
const LEAST_LEVEL = 17; // px, between arcs that have to share a low room
const ZOOMS = [3, 2.5, 2, 1.75, 1.5, 1.25, 1, 0.85, 0.7, 0.6, 0.5, 0.4];

/** How a tree is laid out. */
export interface Manner {
  /** One row that scrolls, or as many as the words need. */
  readonly isInOneRow: boolean;
  readonly isCompact: boolean;
  /** Punctuation stands close to words, without tags and arcs. */
  readonly foldsPunctuation: boolean;
}

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
  private readonly names = new EndNames();
  /** As wide as there is room; 0 while the element is not shown. */
  private readonly room = new TreeRoom(this.drawing.svg, () => this.drawNames());
  private readonly resized = new ResizeObserver(([{ contentRect }]) => this.fit(contentRect));
  private shown: TreeAnalysis = NOTHING;
  private laidOutAs: Manner = { isInOneRow: false, isCompact: false, foldsPunctuation: false };
  private scale = 1;
  /** Where the current word was when it was brought into view. */
  private followed = "";
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
  private least: readonly number[] = [];
  private obstacle: Obstacle | null = null;
  private readonly rivalArc = new RivalArc();
  private shownRival: Rival | null = null;
  private readonly hints = new WordHints();
  private hinted: { readonly keys: ReadonlyMap<number, string>; readonly dependent: number } | null = null;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(TREE_STYLE + SURENESS_STYLE + POINTING_STYLE + NAMES_STYLE + ROOM_STYLE);
    root.adoptedStyleSheets = [sheet];
    const unseen = document.createElement("div");
    unseen.className = "unseen";
    unseen.append(this.table.element);
    this.drawing.svg.setAttribute("role", "graphics-document");
    this.drawing.svg.setAttribute("aria-label", text("tree.name"));
    root.append(this.room.element, unseen);
    this.pointing.followFocus(root);
    this.drawing.svg.addEventListener("keydown", (event) => this.keyPressed(event));
    this.drawing.svg.addEventListener("mousedown", (event) => this.keepFocus(event));
    this.drawing.svg.addEventListener("click", (event) => this.clicked(event));
    this.room.element.addEventListener("wheel", (event) => this.turned(event), { passive: false });
    new HeadDragging(this.drawing.svg, () => this.dragPicture, this.dragListener);
  }

  connectedCallback(): void {
    this.resized.observe(this.room.element);
  }

  disconnectedCallback(): void {
    this.resized.disconnect();
    this.room.width = 0;
  }

  /** What is drawn: an analysis as it comes over the wire, or any other one of this shape. */
  get analysis(): TreeAnalysis {
    return this.shown;
  }

  set analysis(analysis: TreeAnalysis) {
    const before = this.graph;
    this.shown = analysis;
    this.shownRival = null;
    this.takeShown();
    if (this.graph.nodes[0]?.id !== before.nodes[0]?.id) [this.layout, this.least] = [null, []];
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

  /** How it is laid out; what is not said stays as it was. */
  get manner(): Manner {
    return this.laidOutAs;
  }

  set manner(manner: Partial<Manner>) {
    this.laidOutAs = { ...this.laidOutAs, ...manner };
    this.layout = null;
    this.takeShown();
    this.render(false);
  }

  /** Its height is given by a style from outside: the tree stands at the bottom, and scrolls where it is higher. */
  set isBounded(isBounded: boolean) {
    this.room.isBounded = isBounded;
    this.render(false);
  }

  /** How much larger than usual it is drawn. */
  get zoom(): number {
    return this.scale;
  }

  set zoom(zoom: number) {
    this.scale = Math.min(Math.max(zoom, ZOOMS.at(-1)!), ZOOMS[0]!);
    this.render(false);
    this.tell("zoomed", {});
  }

  /** Goes to the next larger size, or to the next smaller one. */
  zoomStep(by: 1 | -1): void {
    const sizes =
      by > 0 ? [...ZOOMS].reverse().filter((size) => size > this.scale) : ZOOMS.filter((size) => size < this.scale);
    this.zoom = sizes[0] ?? this.scale;
  }

  /** Makes it so large that all of it is seen, but not larger than usual. */
  fitIntoRoom(): void {
    const { width, height, isBounded } = this.room;
    const fits = (size: number) => {
      const picture = this.laidOut(width / size, [], Infinity);
      return picture.width * size <= width && (!isBounded || picture.height * size <= height);
    };
    this.zoom = ZOOMS.find((size) => size <= 1 && fits(size)) ?? 0;
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
    this.follow();
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

  /** How many levels of arcs there is room for over each row. */
  get levels(): readonly number[] {
    return this.layout?.rows.map((row) => row.levels) ?? [];
  }

  /** There is room for so many until another sentence comes: as in a tree that this one is compared with. */
  set leastLevels(levels: readonly number[]) {
    this.least = levels;
    if (levels.some((least, row) => least > (this.levels[row] ?? least))) this.render(false);
  }

  /** Marks some words and the arcs to them, by their numbers, as others than in a tree that this one is compared with. */
  set differing(numbers: readonly number[]) {
    this.marked = numbers;
    this.markDiffering();
  }

  private markDiffering(): void {
    const ids = new Set(this.marked.map((number) => this.graph.nodes[number - 1]?.id));
    for (const { id } of this.graph.nodes)
      for (const group of [this.drawing.word(id), ...this.drawing.arcsTo(id)])
        group?.toggleAttribute("data-differing", ids.has(id));
  }

  /** Lights the arc to a word, and draws another one that it might have beside it, until another analysis is drawn. */
  set rival(rival: Rival | null) {
    this.shownRival = rival;
    this.drawRival();
  }

  private drawRival(): void {
    const { layout, graph, shownRival: rival } = this;
    const doubted = rival && graph.nodes[rival.number - 1]?.id;
    for (const { id } of graph.nodes)
      for (const group of this.drawing.arcsTo(id)) group.toggleAttribute("data-doubted", id === doubted);
    if (rival && layout) this.rivalArc.draw(this.drawing.svg, layout, rival);
    else this.rivalArc.remove();
  }

  /** Shows the keys by which the head of a word can be chosen, by the numbers of heads; null shows none. */
  showHints(dependent: number, keys: ReadonlyMap<number, string> | null): void {
    const isNew = keys === null || !this.isHinted;
    this.hinted = keys && { keys, dependent };
    if (!keys) this.hints.remove();
    this.drawHints();
    if (isNew) this.pointing.tellAgain();
  }

  /** Whether words show keys, which nothing should cover. */
  get isHinted(): boolean {
    return this.hinted !== null;
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
      dragged: (event) => this.room.push(event.clientX),
    };
  }

  private tell(name: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }

  toConllu(): string {
    return conlluOf(this.shown);
  }

  /** For the package tikz-dependency. */
  toLaTeX(): string {
    return latexOf(this.shown);
  }

  /** The picture as an SVG file that needs nothing else. */
  toSVG(): string {
    return svgOf(this.picture());
  }

  /** The picture for paper of a width in px: dark on white, in rows. */
  toPaper(width: number): string {
    return svgOf(this.pictureOf(this.laidOut(width, [], Infinity, false), ON_PAPER));
  }

  /** Another element with the same font, for pictures of other analyses: outside of a page it draws nothing. */
  twin(): DepTree {
    const twin = new DepTree();
    twin.widths.family = this.widths.family;
    return twin;
  }

  toPNG(scale = 2): Promise<Blob> {
    return pngOf(this.picture(), scale);
  }

  // --- drawing ------------------------------------------------------------------------------------------

  private takeShown(): void {
    const { foldsPunctuation } = this.laidOutAs;
    this.graph = graphOf(this.shown, this.drawsLemmas, this.drawsConfidence, foldsPunctuation);
    this.rows = rowsOf(this.shown, this.rows, this.drawsLemmas);
  }

  /** Only here is the browser asked for places and styles: while a tree grows, it would have to work them out anew. */
  private fit({ width, height }: DOMRectReadOnly): void {
    if (width === this.room.width && (height === this.room.height || !this.room.isBounded)) return;
    [this.room.width, this.room.height] = [width, height];
    this.widths.readFont(this);
    this.render(false);
  }

  /** The layout stays where it would be the same: as long as room, font, direction, forms and arcs are. */
  private render(mayStay: boolean): void {
    if (this.room.width === 0) return;
    const isTurned = this.drawing.svg.getAttribute("direction") !== this.direction;
    if (isTurned) this.drawing.svg.setAttribute("direction", this.direction);
    if (isTurned || !mayStay || !this.layout)
      this.layout = this.laidOut(this.room.width / this.scale, this.levelsBefore);
    this.outlines = this.graph.nodes.map((node) => this.widths.ofOutline(node));
    const told = this.rows.map((row) => row.description);
    this.drawing.draw(this.graph, this.layout, this.outlines, told);
    this.drawing.scale(this.layout, this.scale);
    if (this.marked.length) this.markDiffering();
    if (this.shownRival || this.rivalArc.isDrawn) this.drawRival();
    this.drawHints();
    this.drawing.light(this.current, this.graph);
    this.pointing.follow(this.graph);
    this.table.fill(this.rows);
    if (!this.follow()) this.drawNames();
  }

  /** Rows do not become lower while a sentence grows. */
  private get levelsBefore(): readonly number[] {
    const { levels, least } = this;
    return (least.length > levels.length ? least : levels).map((__, row) =>
      Math.max(levels[row] ?? 0, least[row] ?? 0),
    );
  }

  /** Where a single row is higher than the room that it has, its arcs come nearer to each other. */
  private laidOut(
    room: number,
    levelsBefore: readonly number[],
    height = this.room.isBounded ? this.room.height / this.scale : Infinity,
    isInOneRow = this.laidOutAs.isInOneRow,
  ): TreeLayout {
    const { nodes, arcs } = this.graph;
    const { isCompact } = this.laidOutAs;
    const width = Math.max(room, NARROWEST);
    const tree = {
      arcs,
      width,
      isInOneRow,
      margin: isInOneRow ? 0 : marginOf(width),
      levelsBefore,
      direction: this.direction,
      widths: nodes.map((node) => this.widths.ofNode(node, isCompact)),
      labelWidths: arcs.map((arc) => this.widths.of(arc.label, "label")),
    };
    const layout = layOut(tree, this.metrics);
    const [row] = layout.rows;
    if (!isInOneRow || !row || layout.height <= height) return layout;
    const { below, gap } = this.metrics;
    const level = Math.max(LEAST_LEVEL, Math.floor((height - below - gap) / row.levels));
    return layOut(tree, { ...this.metrics, level: Math.min(level, this.metrics.level) });
  }

  private get metrics(): Metrics {
    const metrics = this.laidOutAs.isCompact ? COMPACT_METRICS : METRICS;
    return this.drawsLemmas ? withLemmas(metrics) : metrics;
  }

  /** Writes at the ends of rows, or of what is seen of one row, where arcs go on. */
  private drawNames(): void {
    const { layout, graph, room, scale } = this;
    if (!layout || room.width === 0) return;
    const { isInOneRow } = this.laidOutAs;
    const { from, to } = room.span;
    const view = { from: from / scale, to: to / scale };
    const names = isInOneRow
      ? namesOf(endsOfView(layout, graph.arcs, this.isTurned, view), graph, this.widths, (view.to - view.from) / 2.5)
      : this.namesOfRows(layout, room.width / scale);
    this.names.draw(this.drawing.svg, names, isInOneRow);
    this.drawing.hideLabels(new Set(names.map(({ labelled }) => labelled)));
  }

  private namesOfRows(layout: TreeLayout, width: number) {
    const ends = endsOfRows(layout, this.graph.arcs, this.isTurned);
    return namesOf(ends, this.graph, this.widths, marginOf(width) - 6);
  }

  /**
   * Brings the current word into view when it is another one, or has moved; a reader may scroll away from it. Whether
   * anything else is seen then.
   */
  private follow(): boolean {
    const { layout, scale, room } = this;
    const place = this.graph.nodes.findIndex((node) => node.id === this.current);
    const node = layout?.nodes[place];
    const at = node ? `${node.x} ${node.row} ${layout.height} ${scale} ${room.width} ${room.height}` : "";
    if (at === this.followed) return false;
    this.followed = at;
    const row = node && layout?.rows[node.row];
    if (!row) return false;
    const [half, top] = [this.outlines[place]! / 2, row.y - (row.levels + 1) * this.metrics.level];
    const [left, right, bottom] = [node.x - half, node.x + half, row.y + layout.below + 4];
    const box = { left: left * scale, right: right * scale, top: top * scale, bottom: bottom * scale };
    return room.show(box, Math.min(MOST_MARGIN, room.width / 5));
  }

  private get direction(): "ltr" | "rtl" {
    return this.dir === "rtl" || this.dir === "ltr" ? this.dir : directionOf(this.shown.words);
  }

  private get isTurned(): boolean {
    return this.direction === "rtl";
  }

  private picture(): Picture {
    this.widths.readFont(this);
    const width = this.clientWidth || Number.MAX_SAFE_INTEGER;
    return this.pictureOf(this.laidOut(width, [], Infinity), coloursOf(this));
  }

  private pictureOf(layout: TreeLayout, colours: Colours): Picture {
    const names = this.namesOfRows(layout, layout.width);
    return pictureOfArcs(this.graph, layout, names, colours, this.widths.family);
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

  private turned(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.zoom = this.scale * Math.exp(-event.deltaY / 400);
  }

  private clicked(event: Event): void {
    const beyond = EndNames.numberAt(event);
    if (beyond) return this.choose(beyond - 1);
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

/** Beside rows of words, for names; rows that are as wide as all words have none. */
function marginOf(width: number): number {
  return Math.min(MOST_MARGIN, Math.floor(width / 6));
}

function wordAt({ target }: Pick<Event, "target">): SVGElement | null {
  return (target as Element).closest<SVGElement>(".word");
}

/** Makes the element known under its name, once. */
export function defineDepTree(): void {
  if (!customElements.get("dep-tree")) customElements.define("dep-tree", DepTree);
}
