/** Says what has gone wrong with the text, in one polite sentence, until the server answers for it again. */

import type { ClientDocument, ErrorMessage } from "../client/index.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

/** Nothing takes this away but a text that has trees, or none: answers without a tree are what it explains. */
const UNREADABLE = "unsupported_script";

/** Requests that a newer text has overtaken: nobody misses their answers. */
const OVERTAKEN = new Set(["old_version", "unknown_sentence"]);

export function tellTroubles({ client, document }: Page): void {
  const place = part("trouble");
  let isUnreadable = false;
  const tell = ({ code, message }: ErrorMessage) => {
    isUnreadable ||= code === UNREADABLE;
    if (document.isTooLong) tellLength();
    else if (!OVERTAKEN.has(code)) place.textContent = text("trouble.server", { message: sentence(message) });
  };
  const tellLength = () => {
    const most = client.welcome?.limits.characters ?? 0;
    const told = text("trouble.long", { length: document.text.length, most });
    if (place.textContent !== told) place.textContent = told;
  };
  client.failed.listen(tell);
  document.failed.listen(tell);
  document.changed.listen(() => document.isTooLong && tellLength());
  client.welcomed.listen(() => document.isTooLong && tellLength());
  document.answered.listen(() => {
    isUnreadable &&= !hasTreesOrNothing(document);
    if (!isUnreadable) place.textContent &&= "";
  });
}

function hasTreesOrNothing(document: ClientDocument): boolean {
  return document.isCurrent && (document.sentences.length > 0 || !document.text.trim());
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
