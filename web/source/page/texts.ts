/** The texts of the page, but for those that index.html alone has. */

import all from "../texts/texts.json";
import { filledWith, textsOf, type Phrases } from "../texts/texts.ts";

export type TextKey = Exclude<
  keyof (typeof all)["texts"],
  | `page.${string}`
  | `tree.${string}`
  | `moments.${string}`
  | `practice.${string}`
  | `steps.${string}`
  | `look.${string}`
  | `sharing.${string}`
  | `sentences.${string}`
>;

/** The build puts the English texts here. */
export const text = textsOf<TextKey>(all as unknown as Phrases);

/** A text into which elements are filled. */
export function textWith(
  key: TextKey,
  parts: Readonly<Record<string, string | HTMLElement>>,
): (string | HTMLElement)[] {
  return filledWith(parts, (names) => text(key, names));
}
