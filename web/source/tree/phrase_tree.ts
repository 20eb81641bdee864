/** `<phrase-tree>`: the phrases of a sentence that may go on growing, as brackets over its words or as a tree. */

import { directionOf, NOTHING, type TreeAnalysis } from "./analysis.ts";
import { coloursOf, ON_PAPER } from "./colours.ts";
import { FORM_Y, LEMMA_Y, OUTLINE_Y, outlineHeight, TAG_Y, type WordChosen } from "./drawing.ts";
import { ElementClass } from "./element_class.ts";
import { latexOfPhrases } from "./latex.ts";
import { writtenOf } from "./nodes.ts";
import { layOutPhrases, OPEN_MARK, roomBelow, type PhraseLayout, type PhraseShape } from "./phrase_layout.ts";
import { allPhrases, bracketsOf, phrasesOf, type Phrase } from "./phrases.ts";
import { pointAtPhrases } from "./phrase_pointing.ts";
import { pictureOfPhrases, pngOf, svgOf, type Picture } from "./pictures.ts";
import { TREE_STYLE } from "./style.ts";
import { ROOM_STYLE } from "./tree_room.ts";
import { element, setAttributes, setText } from "./svg_elements.ts";
import { PhraseTable } from "./table.ts";
import { TextWidths } from "./text_widths.ts";
import { text } from "./texts.ts";

const NARROWEST = 200;

const PHRASE_STYLE = `
${ROOM_STYLE}.room { max-height: 100%; overflow-y: auto; }
.room:focus-visible { outline: 2px solid var(--tree-stable); outline-offset: 2px; border-radius: 4px; }
.room svg { max-width: none; overflow: hidden; }
.label { fill: var(--tree-provisional); }
.label.stable { fill: var(--tree-stable); }
.line.stable { stroke: var(--tree-stable); stroke-dasharray: none; }
.later { fill: var(--tree-ghost); font-size: 16px; }
`;

/** Elements of one kind, in an order: kept and patched, since most stay as they are while a sentence grows. */
class Series<Kind extends SVGElement> {
  private readonly elements: Kind[] = [];

  constructor(
    private readonly group: SVGGElement,
    private readonly make: () => Kind,
  ) {}

  fill<Item>(items: readonly Item[], show: (element: Kind, item: Item, place: number) => void): void {
    while (this.elements.length > items.length) this.elements.pop()!.remove();
    items.forEach((item, place) => show((this.elements[place] ??= this.group.appendChild(this.make())), item, place));
  }
}

export class PhraseTree extends ElementClass {
  private readonly svg = element("svg", { role: "img" });
  private readonly table = new PhraseTable();
  private readonly widths = new TextWidths();
  private readonly resized = new ResizeObserver(([{ contentRect }]) => this.fit(contentRect.width));
  private readonly lines = this.series(() => element("path", {}));
  private readonly labels = this.series(() => element("text", {}));
  private readonly words = this.series(newWord);
  private readonly marks = this.series(() => element("text", { class: "later" }));
  private shown: TreeAnalysis = NOTHING;
  private drawnAs: PhraseShape = "tree";
  private phrases: readonly (Phrase | number)[] = [];
  private current: number | null = null;
  private drawsLemmas = false;
  /** The place of the current word when it was brought into view; null if it is to be. */
  private followed: number | null = null;
  private readonly scroller = document.createElement("div");
  /** The room there is; 0 while the element is not shown. */
  private room = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(TREE_STYLE + PHRASE_STYLE);
    root.adoptedStyleSheets = [sheet];
    const unseen = document.createElement("div");
    [this.scroller.className, unseen.className] = ["room", "unseen"];
    Object.assign(this.scroller, { role: "group", ariaLabel: text("tree.picture"), tabIndex: 0 });
    this.scroller.append(this.svg);
    unseen.append(this.table.element);
    root.append(this.scroller, unseen);
    pointAtPhrases(this.svg, (detail) => this.dispatchEvent(new CustomEvent("partpointed", { detail, bubbles: true })));
    this.svg.addEventListener("mousedown", (event) => event.preventDefault());
    this.svg.addEventListener("click", (event) => this.clicked(event));
  }

  connectedCallback(): void {
    this.resized.observe(this);
  }

  disconnectedCallback(): void {
    this.resized.disconnect();
    this.room = 0;
  }

  /** What is drawn: an analysis with constituents as it comes over the wire, or any other one of this shape. */
  get analysis(): TreeAnalysis {
    return this.shown;
  }

  set analysis(analysis: TreeAnalysis) {
    this.shown = analysis;
    this.phrases = phrasesOf(analysis);
    this.render();
  }

  /** Brackets over the words, or a tree above them. */
  get shape(): PhraseShape {
    return this.drawnAs;
  }

  set shape(shape: PhraseShape) {
    this.drawnAs = shape;
    this.followed = null;
    this.render();
  }

  /** Whether the lemmas of words stand under their tags; there is room for those that are still to come. */
  get showsLemmas(): boolean {
    return this.drawsLemmas;
  }

  set showsLemmas(showsLemmas: boolean) {
    this.drawsLemmas = showsLemmas;
    this.render();
  }

  /** Shows a word, by its number, as the current one. */
  showWord(number: number | null): void {
    if (number === this.current) return;
    this.current = number;
    this.render();
  }

  /** The sentence in brackets, as treebanks of phrases have it. */
  toBrackets(): string {
    return bracketsOf(this.shown);
  }

  /** For the package forest. */
  toLaTeX(): string {
    return latexOfPhrases(this.shown);
  }

  /** The picture as an SVG file that needs nothing else. */
  toSVG(): string {
    return svgOf(this.picture());
  }

  toPNG(scale = 2): Promise<Blob> {
    return pngOf(this.picture(), scale);
  }

  /** The picture for paper of a width in px: dark on white. */
  toPaper(width: number): string {
    return svgOf(this.picture(width, ON_PAPER));
  }

  // --- drawing ------------------------------------------------------------------------------------------

  private series<Kind extends SVGElement>(make: () => Kind): Series<Kind> {
    return new Series(this.svg.appendChild(element("g", {})), make);
  }

  private fit(room: number): void {
    if (room !== this.room) this.followed = null;
    this.room = room;
    this.widths.readFont(this);
    this.render();
  }

  private render(): void {
    if (this.room === 0) return;
    const layout = this.laidOut(Math.max(this.room, NARROWEST));
    const { width, height } = layout;
    const direction = this.direction;
    setAttributes(this.svg, { width, height, viewBox: `0 0 ${width} ${height}`, direction, "aria-label": this.told });
    this.lines.fill(layout.lines, (line, { path, isStable }) => {
      setAttributes(line, { d: path, class: isStable ? "line stable" : "line" });
    });
    this.labels.fill(layout.labels, (label, { text, x, y, isStable }) => {
      setAttributes(label, { x, y, class: isStable ? "label stable" : "label" });
      setText(label, text);
    });
    this.words.fill(layout.words, (word, { x, y }, place) => this.showWordAt(word, place, x, y));
    this.marks.fill(layout.later ? [layout.later] : [], (mark, { x, y }) => {
      setAttributes(mark, { x, y: y + FORM_Y });
      setText(mark, OPEN_MARK);
    });
    this.table.fill(allPhrases(this.phrases), this.shown);
    this.follow(layout);
  }

  /** Brings the current word into view when it is another one, or has moved; a reader may scroll away from it. */
  private follow({ words, later, width }: PhraseLayout): void {
    const place = (this.current ?? 0) - 1;
    const x = words[place]?.x ?? null;
    if (x === this.followed) return;
    this.followed = x;
    if (x === null || width <= this.room) return;
    const half = this.widths.ofWord(this.shown.words[place]!.form) / 2;
    const isLast = later !== null && place === words.length - 1;
    const [left, right] = isLast ? [Math.min(x, later.x) - half, Math.max(x, later.x) + half] : [x - half, x + half];
    if (left < this.scroller.scrollLeft) this.scroller.scrollLeft = left;
    else if (right > this.scroller.scrollLeft + this.room) this.scroller.scrollLeft = right - this.room;
  }

  private showWordAt(group: SVGGElement, place: number, x: number, y: number): void {
    const written = writtenOf(this.shown.words[place]!, this.drawsLemmas);
    const [outline, form, tag, lemma] = [...group.children] as [SVGElement, SVGElement, SVGElement, SVGElement];
    const width = this.widths.ofOutline(written);
    const isCurrent = place + 1 === this.current;
    setAttributes(group, { class: isCurrent ? "word current" : "word", transform: `translate(${x} ${y})` });
    setAttributes(outline, { x: -width / 2, width, height: outlineHeight(roomBelow(this)) });
    setText(form, written.form);
    setText(tag, written.tag);
    setText(lemma, written.lemma);
  }

  private laidOut(width: number): PhraseLayout {
    const widths = this.shown.words.map(({ form }) => this.widths.ofWord(form));
    const { drawnAs: shape, phrases, direction, showsLemmas } = this;
    return layOutPhrases({ shape, phrases, widths, width, direction, showsLemmas });
  }

  private get direction(): "ltr" | "rtl" {
    return this.dir === "rtl" || this.dir === "ltr" ? this.dir : directionOf(this.shown.words);
  }

  private get told(): string {
    const phrases = allPhrases(this.phrases);
    const open = phrases.filter((phrase) => phrase.isOpen).length;
    return phrases.length ? text("tree.phrases", { count: phrases.length, open }) : text("tree.phrases.none");
  }

  private picture(width = this.clientWidth || Number.MAX_SAFE_INTEGER, colours = coloursOf(this)): Picture {
    this.widths.readFont(this);
    const layout = this.laidOut(width);
    const words = this.shown.words.map((word) => writtenOf(word, this.drawsLemmas));
    return pictureOfPhrases(words, layout, colours, this.widths.family);
  }

  private clicked({ target }: Event): void {
    const group = (target as Element).closest(".word");
    const number = group ? [...group.parentElement!.children].indexOf(group) + 1 : 0;
    if (number === 0) return;
    this.showWord(number);
    const id = String(this.shown.words[number - 1]!.id ?? number);
    const chosen: WordChosen = new CustomEvent("wordchosen", { detail: { id, number }, bubbles: true });
    this.dispatchEvent(chosen);
  }
}

function newWord(): SVGGElement {
  const group = element("g", {});
  group.append(
    element("rect", { class: "outline", y: OUTLINE_Y }),
    element("text", { class: "form", y: FORM_Y }),
    element("text", { class: "tag", y: TAG_Y }),
    element("text", { class: "lemma", y: LEMMA_Y }),
  );
  return group;
}

/** Makes the element known under its name, once. */
export function definePhraseTree(): void {
  if (!customElements.get("phrase-tree")) customElements.define("phrase-tree", PhraseTree);
}
