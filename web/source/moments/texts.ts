/** The texts of the moments, which are loaded with them. */

import all from "../texts/texts.json";
import { filledWith, textsOf, type Phrases } from "../texts/texts.ts";

export type MomentKey = Extract<keyof (typeof all)["texts"], `moments.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<MomentKey>(all as unknown as Phrases);

/** A text into which elements are filled. */
export function textWith(
  key: MomentKey,
  parts: Readonly<Record<string, string | HTMLElement>>,
): (string | HTMLElement)[] {
  return filledWith(parts, (names) => text(key, names));
}
