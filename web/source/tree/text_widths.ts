/** How wide texts are in the fonts of a tree; each is measured once. */

import type { TreeNode, WrittenWord } from "./nodes.ts";
import { FONTS } from "./style.ts";

export const LEAST_WIDTH = 62; // of a word with its gap: tags and most labels fit, so only forms move words
const GAP = 22;
const COMPACT = { least: 46, gap: 12 };
const FOLDED_GAP = 6;

export const ELLIPSIS = "\u2026";

export class TextWidths {
  private readonly measure = document.createElement("canvas").getContext("2d")!;
  private readonly known = {
    form: new Map<string, number>(),
    tag: new Map<string, number>(),
    lemma: new Map<string, number>(),
    label: new Map<string, number>(),
    name: new Map<string, number>(),
  };
  family = "";

  /** Reads the font of an element, which asks the browser. */
  readFont(element: Element): void {
    const family = getComputedStyle(element).fontFamily;
    if (family !== this.family) for (const known of Object.values(this.known)) known.clear();
    this.family = family;
  }

  of(text: string, font: keyof typeof FONTS): number {
    const known = this.known[font].get(text);
    if (known !== undefined) return known;
    const { size, weight } = FONTS[font];
    this.measure.font = `${weight} ${size}px ${this.family}`;
    const width = Math.ceil(this.measure.measureText(text).width);
    this.known[font].set(text, width);
    return width;
  }

  /** Of what is drawn around a word. */
  ofOutline({ form, tag, lemma }: WrittenWord): number {
    return Math.max(this.of(form, "form"), this.of(tag, "tag"), this.of(lemma, "lemma")) + 14;
  }

  /** Of a word, the gap to its neighbours included. */
  ofWord(form: string, isCompact = false): number {
    const { least, gap } = isCompact ? COMPACT : { least: LEAST_WIDTH, gap: GAP };
    return Math.max(least, this.of(form, "form") + gap);
  }

  /** Of a node: punctuation that is folded stands close to the words around it. */
  ofNode({ form, isFolded }: TreeNode, isCompact: boolean): number {
    return isFolded ? this.of(form, "form") + FOLDED_GAP : this.ofWord(form, isCompact);
  }

  /** A text, shortened where it is wider than the room there is. */
  shortened(text: string, font: keyof typeof FONTS, room: number): string {
    if (this.of(text, font) <= room) return text;
    const letters = [...text];
    while (letters.length > 1 && this.of(letters.join("") + ELLIPSIS, font) > room) letters.pop();
    return letters.join("") + ELLIPSIS;
  }
}
