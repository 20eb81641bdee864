/** The texts of the page, but for those that index.html alone has. */

import all from "../texts/texts.json";
import { textsOf, type Phrases } from "../texts/texts.ts";

export type TextKey = Exclude<keyof (typeof all)["texts"], `page.${string}` | `tree.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<TextKey>(all as unknown as Phrases);
