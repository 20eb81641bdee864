/** A link that carries a text, its model and the part of the page that is open. What comes from elsewhere is bounded. No DOM. */

import { withoutControls } from "../client/index.ts";

const MOST_LINK = 8000; // characters, which all programs pass on
const MOST_NAME = 100; // characters

export interface Shared {
  readonly text: string;
  /** The name of a model; empty for the reader's own. */
  readonly model: string;
  /** The id of a part of the page; empty for none. */
  readonly part: string;
}

/** Null where the text is too long for a link. */
export function linkOf({ text, model, part }: Shared, address: string): string | null {
  const fields = new URLSearchParams({ text, ...(model && { model }), ...(part && { part }) });
  const link = `${address}#${fields}`;
  return link.length < MOST_LINK ? link : null;
}

/** What is in the part of an address from # on; null where it is no text, or longer than any link is made. */
export function readLink(hash: string): Shared | null {
  if (hash.length > MOST_LINK) return null;
  const fields = new URLSearchParams(hash.slice(1));
  const field = (name: string) => withoutControls(fields.get(name) ?? "").replace(/\r\n?/g, "\n");
  const [text, model, part] = [field("text"), field("model"), field("part")];
  if (!text.trim() || model.length > MOST_NAME || part.length > MOST_NAME) return null;
  return { text, model, part };
}
