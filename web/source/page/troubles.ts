/** Says what has gone wrong with the text, in one polite sentence, until the server answers for it again. */

import type { ErrorMessage } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";

/** Requests that a newer text has overtaken: nobody misses their answers. */
const OVERTAKEN = new Set(["old_version", "unknown_sentence"]);

export function tellTroubles({ client, document }: Page): void {
  const place = part("trouble");
  const tell = ({ code, message }: ErrorMessage) => {
    if (!OVERTAKEN.has(code)) place.textContent = `The server says: ${sentence(message)}`;
  };
  client.failed.listen(tell);
  document.failed.listen(tell);
  document.answered.listen(() => (place.textContent &&= ""));
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
