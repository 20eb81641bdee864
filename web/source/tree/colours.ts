/** The colours of a tree, as custom properties that a page can set, and as they stand for pictures. */

export const COLOURS = {
  background: "--tree-background",
  ink: "--tree-ink",
  tag: "--tree-tag",
  stable: "--tree-stable",
  provisional: "--tree-provisional",
  ghost: "--tree-ghost",
  conflict: "--tree-conflict",
} as const;

export type Colours = Record<keyof typeof COLOURS, string>;

/** For paper. */
export const ON_PAPER: Colours = {
  background: "#ffffff",
  ink: "#000000",
  tag: "#475467",
  stable: "#1f4bb0",
  provisional: "#475467",
  ghost: "#475467",
  conflict: "#a8360a",
};

/** Those that hold for an element now. */
export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const entries = Object.entries(COLOURS).map(([name, property]) => [name, style.getPropertyValue(property).trim()]);
  return Object.fromEntries(entries) as Colours;
}
