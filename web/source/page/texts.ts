/** The texts of the page, but for those that index.html alone has. */

import all from "../texts/texts.json";
import { textsOf, type Phrases } from "../texts/texts.ts";

export type TextKey = Exclude<keyof (typeof all)["texts"], `page.${string}` | `tree.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<TextKey>(all as unknown as Phrases);

/** A text into which elements are filled. */
export function textWith(
  key: TextKey,
  parts: Readonly<Record<string, string | HTMLElement>>,
): (string | HTMLElement)[] {
  const names = Object.fromEntries(Object.keys(parts).map((name) => [name, `{${name}}`]));
  const pieces = text(key, names).split(/\{(\w+)\}/);
  return pieces.map((piece, place) => (place % 2 ? parts[piece]! : piece)).filter((piece) => piece !== "");
}
