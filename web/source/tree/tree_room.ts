/** The room that a tree is seen through: it scrolls, follows the current word, and is moved by dragging the ground. */

/** Part of a picture, in pixels of the screen. */
export interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const [EDGE, PUSH] = [32, 16];
const PADDING = 8; // px, beside the picture

export class TreeRoom {
  readonly element = document.createElement("div");
  /** What is seen, in pixels of the screen; known without asking the browser, which would have to lay out anew. */
  width = 0;
  height = 0;
  private left = 0;
  private top = 0;
  private frame = 0;

  /** Tells when something else of the picture is seen. */
  constructor(
    private readonly svg: SVGSVGElement,
    private readonly moved: () => void,
  ) {
    this.element.className = "room";
    this.element.append(svg);
    this.element.addEventListener("scroll", () => this.lookSoon());
    this.element.addEventListener("pointerdown", (event) => this.pressed(event));
  }

  /** Its height is given from outside, so that it scrolls in both directions; else it is as high as its picture. */
  set isBounded(isBounded: boolean) {
    this.element.classList.toggle("bounded", isBounded);
  }

  get isBounded(): boolean {
    return this.element.classList.contains("bounded");
  }

  /** From where to where the picture is seen, without the padding: pages may cut what stands out of the element. */
  get span(): { from: number; to: number } {
    return { from: this.left, to: this.left + this.width };
  }

  /**
   * Scrolls as little as is needed until a part of the picture is seen, and some of what is around it; says whether
   * anything else is seen then. Where the browser really stands is read in the next frame: now it would lay out anew.
   */
  show(part: Box, around: number): boolean {
    const left = nearest(this.left, this.width, part.left - around, part.right + around);
    const top = this.isBounded ? nearest(this.top, this.height, part.top, part.bottom) : this.top;
    if (left === this.left && top === this.top) return false;
    [this.left, this.top] = [left, top];
    this.moved();
    this.element.scrollTo(left, top);
    this.lookSoon();
    return true;
  }

  /** Scrolls on while something is dragged near an end of what is seen. */
  push(clientX: number): void {
    const { left, right } = this.element.getBoundingClientRect();
    if (clientX < left + EDGE) this.element.scrollLeft -= PUSH;
    else if (clientX > right - EDGE) this.element.scrollLeft += PUSH;
  }

  private lookSoon(): void {
    this.frame ||= requestAnimationFrame(() => this.scrolled());
  }

  private scrolled(): void {
    this.frame = 0;
    const { scrollLeft, scrollTop } = this.element;
    if (scrollLeft === this.left && scrollTop === this.top) return;
    [this.left, this.top] = [scrollLeft, scrollTop];
    this.moved();
  }

  /** Dragging the ground moves the picture, as a finger does without help. */
  private pressed(event: PointerEvent): void {
    const { target, pointerType, button, clientX, clientY } = event;
    const isGround = target === this.element || target === this.svg;
    if (!isGround || pointerType === "touch" || button !== 0) return;
    const [left, top] = [this.element.scrollLeft, this.element.scrollTop];
    const done = new AbortController();
    const move = (now: PointerEvent) =>
      this.element.scrollTo(left + clientX - now.clientX, top + clientY - now.clientY);
    const [{ ownerDocument }, { signal }] = [this.element, done];
    ownerDocument.addEventListener("pointermove", move, { signal });
    for (const end of ["pointerup", "pointercancel"])
      ownerDocument.addEventListener(end, () => done.abort(), { signal });
  }
}

/** Where a view begins that shows a span; of one that is longer than the view, its end. */
function nearest(now: number, size: number, from: number, to: number): number {
  const begin = from < now ? Math.max(0, from) : now;
  return to > begin + size ? to - size : begin;
}

export const ROOM_STYLE = `
.room { direction: ltr; overflow-x: auto; overflow-y: hidden; margin-inline: -${PADDING}px; padding: 4px ${PADDING}px; }
.room.bounded { box-sizing: border-box; height: 100%; overflow-y: auto; display: flex; flex-direction: column; scrollbar-gutter: stable; }
.room.bounded svg { flex: none; margin-block-start: auto; }
.room::-webkit-scrollbar { width: 10px; height: 10px; }
.room::-webkit-scrollbar-thumb { background: var(--tree-provisional); border-radius: 5px; }
@supports not selector(::-webkit-scrollbar) { .room { scrollbar-color: var(--tree-provisional) transparent; } }
`;
