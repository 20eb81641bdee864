/**
 * Dragging from a word to its head, by mouse, pen or finger: the arc that would be is drawn, and what cannot be is
 * crossed out. A finger drags from the current word alone, so that it scrolls from all others.
 */

import { OUTLINE_Y } from "./drawing.ts";
import { curve, footOf, type Place } from "./free_arcs.ts";
import type { TreeLayout } from "./layout.ts";
import { ARROW } from "./shapes.ts";
import { element, setAttributes } from "./svg_elements.ts";
import { text } from "./texts.ts";

/** The picture that words are dragged in. */
export interface Draggable {
  readonly layout: TreeLayout;
  /** How many of its nodes are words. */
  readonly words: number;
  /** Of each node's outline. */
  readonly outlines: readonly number[];
}

/** What dragging asks for and tells, by numbers of words from 1 on; 0 is the root. */
export interface DragListener {
  /** The number of the word that an event is about; null for none from which one may drag. */
  numberOf(event: PointerEvent): number | null;
  /** Why a word cannot hang on another one; null if it can. */
  obstacleTo(number: number, head: number): string | null;
  /** The pointer is over a head that cannot be, or no longer is. */
  hindered(reason: string): void;
  dropped(number: number, head: number): void;
  /** The pointer drags on. */
  dragged(event: PointerEvent): void;
}

const THRESHOLD = 6; // pixels from which on a press is a drag
const REACH = 24; // around words
const [PAD_WIDTH, PAD_HEIGHT] = [88, 44];

export class HeadDragging {
  private readonly overlay = element("g", { class: "dragging", "aria-hidden": "true" });
  private readonly line = element("path", { class: "line" });
  private readonly arrow = element("path", { class: "arrow", d: ARROW });
  private readonly target = element("rect", { class: "target" });
  private readonly pad = element("rect", { class: "pad", width: PAD_WIDTH, height: PAD_HEIGHT });
  private readonly padName = element("text", { class: "pad-name" });
  private readonly cross = element("text", { class: "cross" });
  /** The press from which a drag may come. */
  private pressed: (Place & { readonly number: number; readonly pointer: number }) | null = null;
  private isDragging = false;
  private head: number | null = null;
  private obstacle: string | null = null;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly picture: () => Draggable | null,
    private readonly listener: DragListener,
  ) {
    this.padName.textContent = text("tree.root");
    this.cross.textContent = "\u2715";
    this.overlay.append(this.pad, this.padName, this.line, this.arrow, this.target, this.cross);
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    svg.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("pointercancel", () => this.end());
    svg.ownerDocument.addEventListener("keydown", (event) => this.callOff(event), { capture: true });
  }

  private press(event: PointerEvent): void {
    const number = event.isPrimary && event.button === 0 ? this.listener.numberOf(event) : null;
    this.pressed = number === null ? null : { number, pointer: event.pointerId, x: event.clientX, y: event.clientY };
  }

  private move(event: PointerEvent): void {
    const { pressed } = this;
    if (!pressed || event.pointerId !== pressed.pointer) return;
    const isFar = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > THRESHOLD;
    if (!this.isDragging && isFar) this.begin(pressed.pointer);
    if (!this.isDragging) return;
    this.listener.dragged(event);
    this.follow(event, pressed.number);
  }

  private begin(pointer: number): void {
    this.isDragging = true;
    this.svg.setPointerCapture(pointer);
    this.svg.append(this.overlay);
  }

  private release(event: PointerEvent): void {
    const { pressed, isDragging, head, obstacle } = this;
    if (!pressed || event.pointerId !== pressed.pointer) return;
    this.end();
    if (!isDragging) return;
    // the click that ends a drag chooses no word
    const swallow = (click: Event) => click.stopPropagation();
    this.svg.addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => this.svg.removeEventListener("click", swallow, { capture: true }), 0);
    if (head !== null && obstacle === null) this.listener.dropped(pressed.number, head);
  }

  private callOff(event: KeyboardEvent): void {
    if (!this.isDragging || event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.end();
    this.listener.hindered("");
  }

  private end(): void {
    this.overlay.remove();
    this.pressed = this.head = this.obstacle = null;
    this.isDragging = false;
  }

  // --- what is drawn ------------------------------------------------------------------------------------

  private follow(event: PointerEvent, number: number): void {
    const picture = this.picture();
    if (!picture || number > picture.words) return this.end();
    const at = this.placeOf(event, picture.layout);
    const pad = padOver(number, picture.layout);
    const head = isWithin(at, pad) ? 0 : wordNear(at, number, picture);
    if (head !== this.head) {
      this.head = head;
      this.obstacle = head === null ? null : this.listener.obstacleTo(number, head);
      this.listener.hindered(this.obstacle ?? "");
    }
    this.draw(number, at, pad, picture);
  }

  private draw(number: number, at: Place, pad: Place, { layout, outlines }: Draggable): void {
    const { head } = this;
    const foot = footOf(number, layout);
    const end = head === null ? at : head === 0 ? { x: foot.x, y: pad.y + PAD_HEIGHT } : footOf(head, layout);
    const kind = `${head === 0 ? " root" : ""}${this.obstacle === null ? "" : " impossible"}`;
    this.overlay.setAttribute("class", `dragging${kind}`);
    setAttributes(this.line, { d: curve(end, foot) });
    setAttributes(this.arrow, { transform: `translate(${foot.x} ${foot.y})` });
    setAttributes(this.pad, { x: pad.x, y: pad.y });
    setAttributes(this.padName, { x: pad.x + PAD_WIDTH / 2, y: pad.y + PAD_HEIGHT / 2 + 4 });
    setAttributes(this.cross, { x: end.x, y: end.y - 6 });
    const width = head ? outlines[head - 1]! : 0;
    const height = layout.below - OUTLINE_Y + 1;
    setAttributes(this.target, { x: end.x - width / 2, y: end.y + OUTLINE_Y, width, height: width && height });
  }

  private placeOf({ clientX, clientY }: PointerEvent, { width }: TreeLayout): Place {
    const box = this.svg.getBoundingClientRect();
    const scale = box.width ? width / box.width : 1;
    return { x: (clientX - box.left) * scale, y: (clientY - box.top) * scale };
  }
}

/** The upper left corner of what stands for the root, above the middle of the arcs over a word. */
function padOver(number: number, layout: TreeLayout): Place {
  const { x, y } = footOf(number, layout);
  const left = Math.min(Math.max(x - PAD_WIDTH / 2, 0), Math.max(0, layout.width - PAD_WIDTH));
  return { x: left, y: y - PAD_HEIGHT - 22 };
}

function isWithin({ x, y }: Place, pad: Place): boolean {
  return x >= pad.x && x <= pad.x + PAD_WIDTH && y >= pad.y && y <= pad.y + PAD_HEIGHT;
}

/** The other word that is nearest, in the row whose words are at this height. */
function wordNear({ x, y }: Place, number: number, { layout, words, outlines }: Draggable): number | null {
  let [near, least] = [null as number | null, Infinity];
  layout.nodes.slice(0, words).forEach((node, place) => {
    const top = layout.rows[node.row]!.y;
    const down = Math.max(top - y, y - top - layout.below, 0);
    const beside = Math.max(Math.abs(x - node.x) - outlines[place]! / 2, 0);
    const away = Math.hypot(down, beside);
    if (place + 1 !== number && down <= REACH && beside <= REACH && away < least) [near, least] = [place + 1, away];
  });
  return near;
}
