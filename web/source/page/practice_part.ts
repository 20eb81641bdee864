/** The practice, which is loaded when it is opened. */

import { Signal } from "../client/index.ts";
import { LatePart } from "./late_parts.ts";
import { part, type Page } from "./page_parts.ts";
import type { GoldSentence } from "./practice_sentences.ts";

/** Sentences with trees that the reader has opened, for the practice, too. */
export const practiceOffered = new Signal<readonly GoldSentence[]>();

export function offerPractice({ client }: Page): void {
  let offered: readonly GoldSentence[] = [];
  practiceOffered.listen((others) => (offered = others));
  new LatePart(part<HTMLDetailsElement>("practice"), async () => {
    const { startPractice } = await import("./practice.ts");
    startPractice(client, offered);
  });
}
