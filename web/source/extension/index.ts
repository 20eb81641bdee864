/** The CodeMirror 6 extension: everything that others use of it. */

import type { Extension } from "@codemirror/state";
import type { ClientDocument } from "../client/index.ts";
import { analysesField } from "./analyses_field.ts";
import { cleanInput } from "./clean_input.ts";
import { expectedWords } from "./expected_words.ts";
import { explanations } from "./explanations.ts";
import { documentFacet } from "./facet.ts";
import { marks, markStyle } from "./marks.ts";
import { subscription } from "./subscription.ts";

export { sentencesOf } from "./analyses_field.ts";
export { endsMark, setEnds, type Ends } from "./ends_mark.ts";
export { conflictsOf, type ExplainedConflict } from "./explanations.ts";
export { withQuotes } from "./quotes.ts";

/** Makes an editor the place where a document is written; the document becomes the editor's text. */
export function treewhile(document: ClientDocument): Extension {
  return [
    documentFacet.of(document),
    analysesField,
    cleanInput,
    marks,
    markStyle,
    expectedWords,
    explanations,
    subscription,
  ];
}
