/** The texts of "Look here", which are loaded with it. */

import all from "../texts/texts.json";
import { filledWith, textsOf, type Phrases } from "../texts/texts.ts";

export type LookKey = Extract<keyof (typeof all)["texts"], `look.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<LookKey>(all as unknown as Phrases);

/** A text into which elements are filled. */
export function textWith(
  key: LookKey,
  parts: Readonly<Record<string, string | HTMLElement>>,
): (string | HTMLElement)[] {
  return filledWith(parts, (names) => text(key, names));
}
