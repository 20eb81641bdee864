/** The word or arc that the pointer, the focus or a finger is on: it lights up with all that hangs below it. */

import type { TreeGraph } from "./nodes.ts";

export interface Pointed {
  readonly kind: "word" | "arc" | "phrase";
  /** The number of the word, counted from 1; of an arc, that of its dependent; of a phrase 0. */
  readonly number: number;
  /** The label of a phrase. */
  readonly phrase?: string;
  readonly by: "pointer" | "focus" | "touch";
  /** Where it is in the window. */
  readonly box: DOMRect;
}

/** Another word or arc is pointed at, or none. */
export type PartPointed = CustomEvent<Pointed | null>;

interface Part {
  readonly kind: "word" | "arc";
  readonly by: Pointed["by"];
  readonly id: string;
}

export class Pointing {
  private graph: TreeGraph = { nodes: [], arcs: [] };
  private part: Part | null = null;
  private isTouched = false;

  constructor(
    private readonly svg: SVGSVGElement,
    private readonly tell: (pointed: Pointed | null) => void,
  ) {
    svg.addEventListener("pointerdown", ({ pointerType }) => {
      this.isTouched = pointerType === "touch";
      if (!this.isTouched) this.show(null);
    });
    svg.addEventListener("pointermove", (event) => this.notice(event));
    svg.addEventListener("pointerover", (event) => this.hovers(event) && this.point(event, "pointer"));
    svg.addEventListener("pointerleave", (event) => this.hovers(event) && this.show(this.focused()));
    svg.addEventListener("click", (event) => this.isTouched && this.point(event, "touch"));
    svg.addEventListener("keydown", ({ key }) => key === "Escape" && this.show(null));
  }

  /** Listens where the tree is, not on the picture itself: with such listeners browsers would give that the focus. */
  followFocus(root: ShadowRoot): void {
    root.addEventListener("focusin", () => this.show(this.focused() ?? this.part));
    root.addEventListener("focusout", () => this.part?.by === "focus" && this.show(null));
  }

  /** The tree has been drawn: what hangs below the part may be something else now. */
  follow(graph: TreeGraph): void {
    this.graph = graph;
    if (!this.part) return;
    if (placeOf(this.part, graph) < 0) this.show(null);
    else this.light();
  }

  /** Says of the part, for those who hear it named, what it is. */
  describe(text: string): void {
    if (this.part) this.elementsOf(this.part)[0]?.setAttribute("aria-description", text);
  }

  /** A mouse is used again where a finger was: it has moved. */
  private notice({ pointerType, movementX, movementY }: PointerEvent): void {
    if (pointerType !== "touch" && (movementX || movementY)) this.isTouched = false;
  }

  /** A pointer that is pressed drags something, and one that rests is moved over things when a finger scrolls them. */
  private hovers({ pointerType, buttons }: PointerEvent): boolean {
    return pointerType !== "touch" && buttons === 0 && !this.isTouched;
  }

  private point(event: Event, by: Pointed["by"]): void {
    const element = (event.target as Element).closest<SVGElement>(".word, .arc");
    const kind = element?.classList.contains("word") ? "word" : "arc";
    const next = element ? ({ kind, id: element.dataset.id!, by } as const) : null;
    this.show(next ?? (by === "pointer" ? this.focused() : null));
  }

  private focused(): Part | null {
    const { activeElement } = this.svg.getRootNode() as ShadowRoot;
    const word = activeElement?.closest<SVGElement>(".word:focus-visible");
    return word ? { kind: "word", id: word.dataset.id!, by: "focus" } : null;
  }

  private show(part: Part | null): void {
    if (part?.kind === this.part?.kind && part?.id === this.part?.id && part?.by === this.part?.by) return;
    if (this.part) for (const element of this.elementsOf(this.part)) element.removeAttribute("aria-description");
    this.part = part;
    this.light();
    this.tellAgain();
  }

  /** Tells what is pointed at, as after something else has come in its way, or has gone. */
  tellAgain(): void {
    const { part } = this;
    const place = part ? placeOf(part, this.graph) : -1;
    this.tell(part && place >= 0 ? { kind: part.kind, number: place + 1, by: part.by, box: this.boxOf(part) } : null);
  }

  private light(): void {
    const lit = this.part ? litBy(this.part, this.graph) : new Map<string, string>();
    for (const element of this.svg.querySelectorAll<SVGElement>(".word, .arc")) {
      const how = lit.get(keyOf(element));
      if (how === undefined) element.removeAttribute("data-lit");
      else element.setAttribute("data-lit", how);
    }
  }

  private elementsOf({ kind, id }: Part): SVGElement[] {
    const all = [...this.svg.querySelectorAll<SVGElement>(`.${kind}`)];
    return all.filter((element) => element.dataset.id === id);
  }

  /** Of an arc it is the label's, or that of the name that tells it, since a whole arc may span the picture. */
  private boxOf(part: Part): DOMRect {
    const elements = this.elementsOf(part);
    const labels = elements.map((element) => element.querySelector(".label")).filter((label) => label?.textContent);
    const names = part.kind === "arc" ? [...this.svg.querySelectorAll<SVGElement>(".name")] : [];
    const name = names.find(({ dataset }) => dataset.labels === part.id);
    return (name ?? labels[0] ?? elements[0]!).getBoundingClientRect();
  }
}

function keyOf(element: SVGElement): string {
  return `${element.classList.contains("word") ? "word" : "arc"} ${element.dataset.id}`;
}

function placeOf({ kind, id }: Pick<Part, "kind" | "id">, { nodes, arcs }: TreeGraph): number {
  if (kind === "word") return nodes.findIndex((node) => node.id === id);
  return arcs.find((arc) => arc.id === id)?.dependent ?? -1;
}

/** How words and arcs are lit: the arc into the part, what hangs below it, and the head that it hangs on. */
export function litBy({ kind, id }: Pick<Part, "kind" | "id">, graph: TreeGraph): Map<string, string> {
  const { nodes, arcs } = graph;
  const place = placeOf({ kind, id }, graph);
  const below = placesBelow(place, graph);
  const lit = new Map<string, string>();
  for (const one of below) lit.set(`word ${nodes[one]!.id}`, "below");
  for (const arc of arcs) if (arc.dependent !== place && below.has(arc.dependent)) lit.set(`arc ${arc.id}`, "below");
  const own = arcs.find((arc) => arc.dependent === place);
  if (own) lit.set(`arc ${own.id}`, "own");
  if (typeof own?.source === "number") lit.set(`word ${nodes[own.source]!.id}`, "head");
  lit.set(`word ${nodes[place]!.id}`, "own");
  return lit;
}

/** The places of a subtree, that of its head included; circles, which a file may have, end. */
function placesBelow(place: number, { arcs }: TreeGraph): Set<number> {
  const below = new Set([place]);
  for (let count = 0; count !== below.size;) {
    count = below.size;
    for (const { source, dependent } of arcs) if (typeof source === "number" && below.has(source)) below.add(dependent);
  }
  return below;
}

export const POINTING_STYLE = `
.reach { fill: none; stroke: none; stroke-width: 11px; pointer-events: stroke; }
.label { cursor: default; }
.arc[data-lit] .line { stroke-width: calc(var(--weight) + 0.9px); }
.arc[data-lit="own"] .line, .arc[data-lit="own"] .label, .arc[data-lit="own"] .arrow { --tree-provisional: var(--tree-ink); --tree-stable: var(--tree-ink); }
.arc[data-lit] .label { font-weight: 700; }
.word[data-lit="below"] .outline { fill: color-mix(in srgb, var(--tree-stable) 12%, transparent); }
.word[data-lit="own"] .outline { fill: color-mix(in srgb, var(--tree-stable) 26%, transparent); }
.word[data-lit="head"] .outline { stroke: var(--tree-stable); stroke-width: 1.5px; }
`;
