/** The texts of the tree elements, which are in English where no page gives others. */

import all from "../texts/texts.json";
import { textsOf, type Phrases, type Values } from "../texts/texts.ts";

/** Not the keys that there are: the types of the package would need the file of texts. */
type TextKey = `tree.${string}`;

/** The build puts the English texts here. */
export const text: (key: TextKey, values?: Values) => string = textsOf(all as unknown as Phrases);
