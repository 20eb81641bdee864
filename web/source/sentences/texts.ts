/** The texts of the list of sentences, which are loaded with it. */

import all from "../texts/texts.json";
import { textsOf, type Phrases } from "../texts/texts.ts";

export type SentencesKey = Extract<keyof (typeof all)["texts"], `sentences.${string}`>;

/** The build puts the English texts here. */
export const text = textsOf<SentencesKey>(all as unknown as Phrases);
