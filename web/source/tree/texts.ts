/** The texts of the tree elements, which are in English where no page gives others. */

import all from "../texts/texts.json";
import { textsOf, type Phrases } from "../texts/texts.ts";

export type TextKey = Extract<keyof (typeof all)["texts"], `tree.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<TextKey>(all as unknown as Phrases);
