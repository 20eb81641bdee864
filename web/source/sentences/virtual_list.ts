/** A list box of any length: only the rows in sight are elements. Keys lead through all of them. */

import { made } from "../page/made_elements.ts";

const ROW = 3.25; // of the font of the page: a line and a smaller one
const MORE = 4; // rows above and below those in sight

/** Fills an element with what a row says now. */
type Fill = (item: HTMLLIElement, place: number) => void;

export class VirtualList {
  readonly element = made("div", { className: "virtual" });
  private readonly list = made("ul", { tabIndex: 0, role: "listbox" });
  private readonly items = new Map<number, HTMLLIElement>();
  private readonly row = ROW * parseFloat(getComputedStyle(document.documentElement).fontSize);
  private length = 0;
  private active = 0;
  private selected = -1;

  constructor(
    private readonly id: string,
    private readonly fill: Fill,
    /** Rows from one place to before another are in sight. */
    private readonly seen: (from: number, to: number) => void,
    private readonly chosen: (place: number) => void,
  ) {
    this.list.id = id;
    this.element.append(this.list);
    this.element.addEventListener("scroll", () => this.draw());
    this.list.addEventListener("keydown", (event) => this.press(event));
    this.list.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  set labelledBy(id: string) {
    this.list.setAttribute("aria-labelledby", id);
  }

  /**
   * So many rows there are, one of which is where the cursor is; -1 for none of them. It comes into sight, unless keys
   * lead elsewhere in the list.
   */
  show(length: number, selected: number): void {
    this.length = length;
    const isElsewhere = selected !== this.selected && selected >= 0 && !this.list.matches(":focus");
    this.selected = selected;
    this.active = isElsewhere ? selected : Math.max(0, Math.min(this.active, length - 1));
    this.list.style.height = `${length * this.row}px`;
    if (isElsewhere) this.reveal(selected);
    else this.draw();
  }

  /** Brings a row into sight. */
  reveal(place: number): void {
    const { scrollTop, clientHeight } = this.element;
    const [top, bottom] = [place * this.row, (place + 1) * this.row];
    if (top < scrollTop) this.element.scrollTop = top;
    else if (bottom > scrollTop + clientHeight) this.element.scrollTop = bottom - clientHeight;
    this.draw();
  }

  private get inSight(): { from: number; to: number } {
    const { scrollTop, clientHeight } = this.element;
    const from = Math.floor(scrollTop / this.row);
    return { from, to: Math.min(this.length, Math.ceil((scrollTop + clientHeight) / this.row)) };
  }

  private draw(): void {
    const { from, to } = this.inSight;
    const [first, end] = [Math.max(0, from - MORE), Math.min(this.length, to + MORE)];
    for (const [place, item] of this.items) if (place < first || place >= end) this.remove(place, item);
    for (let place = first; place < end; place++) this.drawRow(place);
    if (this.items.has(this.active)) this.list.setAttribute("aria-activedescendant", this.idOf(this.active));
    else this.list.removeAttribute("aria-activedescendant");
    this.seen(from, to);
  }

  private remove(place: number, item: HTMLLIElement): void {
    item.remove();
    this.items.delete(place);
  }

  private drawRow(place: number): void {
    const item = this.items.get(place) ?? this.newItem(place);
    item.setAttribute("aria-selected", String(place === this.selected));
    item.setAttribute("aria-setsize", String(this.length));
    item.classList.toggle("active", place === this.active);
    this.fill(item, place);
  }

  private newItem(place: number): HTMLLIElement {
    const item = made("li", { id: this.idOf(place), role: "option" });
    item.setAttribute("aria-posinset", String(place + 1));
    Object.assign(item.style, { top: `${place * this.row}px`, height: `${this.row}px` });
    this.items.set(place, item);
    const next = [...this.items.keys()].filter((other) => other > place);
    this.list.insertBefore(item, next.length ? this.items.get(Math.min(...next))! : null);
    return item;
  }

  private idOf(place: number): string {
    return `${this.id}-${place}`;
  }

  private press(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.length) return;
    const place = this.placeAfter(event.key);
    if (place === null && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    if (place === null) return this.chosen(this.active);
    this.active = Math.max(0, Math.min(place, this.length - 1));
    this.reveal(this.active);
  }

  private placeAfter(key: string): number | null {
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.row) - 1);
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (key === "Home") return 0;
    if (key === "End") return this.length - 1;
    return key in steps ? this.active + steps[key]! : null;
  }

  private click({ target }: Event): void {
    const item = (target as Element).closest("li");
    const [place] = [...this.items].find(([, one]) => one === item) ?? [];
    if (place === undefined) return;
    this.active = place;
    this.chosen(place);
  }
}

export const LIST_STYLE = `
.virtual { height: min(26rem, 50vh); overflow-y: auto; border: 1px solid var(--edge); border-radius: 8px; }
.virtual ul { position: relative; margin: 0; padding: 0; list-style: none; }
.virtual li { position: absolute; inset-inline: 0; box-sizing: border-box; padding: 0.2rem 0.75rem; cursor: pointer;
  overflow: hidden; border-block-end: 1px solid var(--edge); }
.virtual li > * { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 1.4; }
.virtual small { color: var(--soft); font-size: 0.8rem; }
.virtual [aria-selected="true"] { background: var(--present); box-shadow: inset 3px 0 var(--accent); }
.virtual ul:focus-visible { outline: none; }
.virtual ul:focus-visible .active { outline: 2px solid var(--accent); outline-offset: -2px; }
`;
