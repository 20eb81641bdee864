/** What the extension is configured with. */

import { Facet } from "@codemirror/state";
import type { ClientDocument } from "../client/index.ts";

/** The document that an editor shows, and that its edits go to. */
export const documentFacet = Facet.define<ClientDocument, ClientDocument | null>({
  combine: (documents) => documents[0] ?? null,
});
