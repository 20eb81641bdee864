/** A list to choose from by digit, by typing, by arrows or by pointer. */

import { NUMBERED } from "./likely_labels.ts";
import { part } from "./page_parts.ts";
import type { Key } from "./word_keys.ts";

export class Chooser {
  private readonly place = part("chooser");
  private readonly input = part<HTMLInputElement>("chooser-text");
  private readonly list = part("chooser-list");
  private names: readonly string[] = [];
  private shown: readonly string[] = [];
  private active = 0;
  private end: (name: string | null) => void = () => {};

  constructor() {
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("keydown", (event) => this.press(event));
    this.place.addEventListener("focusout", ({ relatedTarget }) => {
      if (!this.place.contains(relatedTarget as Node | null)) this.close(null);
    });
    // the list never takes the focus: then the text would lose it, and close
    this.list.addEventListener("mousedown", (event) => event.preventDefault());
    this.list.addEventListener("click", (event) => {
      const option = (event.target as Element).closest<HTMLElement>("[role=option]");
      if (option) this.close(this.shown[Number(option.dataset.place)] ?? null);
    });
    part("chooser-cancel").onclick = () => this.close(null);
  }

  get isOpen(): boolean {
    return !this.place.hidden;
  }

  /** The name that is chosen; null for none. It takes of the keys that were pressed before it was open. */
  choose(told: string, names: readonly string[], early: Key[]): Promise<string | null> {
    this.close(null);
    this.names = names;
    this.input.value = "";
    part("chooser-told").textContent = told;
    this.place.hidden = false;
    this.show();
    if (!matchMedia("(pointer: coarse)").matches) this.input.focus({ preventScroll: true });
    const chosen = new Promise<string | null>((resolve) => (this.end = resolve));
    while (this.isOpen && early.length) this.take(early.shift()!.key);
    return chosen;
  }

  close(name: string | null): void {
    if (!this.isOpen) return;
    this.place.hidden = true;
    this.end(name);
  }

  private take(key: string): void {
    if (/^[1-9]$/.test(key)) return this.close(this.shown[Number(key) - 1] ?? null);
    if (key === "Enter") return this.close(this.shown[this.active] ?? null);
    if (key === "Escape") return this.close(null);
    if (key.length > 1) return;
    this.input.value += key;
    this.show();
  }

  private press(event: KeyboardEvent): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) this.activate((this.active + step + this.shown.length) % Math.max(1, this.shown.length));
    else if (/^([1-9]|Enter|Escape)$/.test(event.key)) this.take(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private show(): void {
    this.shown = matching(this.names, this.input.value.trim().toLowerCase());
    this.list.replaceChildren(...this.shown.map(optionOf));
    part("chooser-none").hidden = this.shown.length > 0;
    this.activate(0);
  }

  private activate(place: number): void {
    this.active = place;
    [...this.list.children].forEach((option, index) => option.setAttribute("aria-selected", String(index === place)));
    this.list.children[place]?.scrollIntoView({ block: "nearest" });
    if (this.shown.length) this.input.setAttribute("aria-activedescendant", `chosen-${place}`);
    else this.input.removeAttribute("aria-activedescendant");
  }
}

/** Those that begin with a text, then those that have it. */
function matching(names: readonly string[], text: string): string[] {
  const begin = names.filter((name) => name.toLowerCase().startsWith(text));
  return [...begin, ...names.filter((name) => !begin.includes(name) && name.toLowerCase().includes(text))];
}

function optionOf(name: string, place: number): HTMLElement {
  const option = document.createElement("li");
  option.id = `chosen-${place}`;
  option.setAttribute("role", "option");
  option.dataset.place = String(place);
  const key = document.createElement("kbd");
  key.textContent = place < NUMBERED ? String(place + 1) : "";
  key.setAttribute("aria-hidden", "true");
  option.append(key, name);
  return option;
}
