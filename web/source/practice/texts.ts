/** The texts of the practices, which are loaded with them. */

import all from "../texts/texts.json";
import { filledWith, textsOf, type Phrases } from "../texts/texts.ts";

export type PracticeKey = Extract<keyof (typeof all)["texts"], `practice.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<PracticeKey>(all as unknown as Phrases);

/** A text into which elements are filled. */
export function textWith(
  key: PracticeKey,
  parts: Readonly<Record<string, string | HTMLElement>>,
): (string | HTMLElement)[] {
  return filledWith(parts, (names) => text(key, names));
}
