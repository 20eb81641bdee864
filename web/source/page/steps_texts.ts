/** The texts of the next steps, which are loaded with them. */

import all from "../texts/texts.json";
import { textsOf, type Phrases } from "../texts/texts.ts";

type StepsKey = Extract<keyof (typeof all)["texts"], `steps.${string}`>;

/** The build puts the English texts here. */
export const stepsText = textsOf<StepsKey>(all as unknown as Phrases);
