/** The texts of links that carry a text, which are loaded with them. */

import all from "../texts/texts.json";
import { textsOf, type Phrases } from "../texts/texts.ts";

export type SharingKey = Extract<keyof (typeof all)["texts"], `sharing.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<SharingKey>(all as unknown as Phrases);
