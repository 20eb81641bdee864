/** The practices, which are loaded when they are opened. */

import { Signal } from "../client/index.ts";
import type { GoldSentence } from "../practice/practice_sentences.ts";
import { LatePart } from "./late_parts.ts";
import { part, type Page } from "./page_parts.ts";

/** Sentences with trees that the reader has opened, for the practices, too. */
export const practiceOffered = new Signal<readonly GoldSentence[]>();

export function offerPractice({ client, document }: Page): void {
  let offered: readonly GoldSentence[] = [];
  practiceOffered.listen((others) => (offered = others));
  new LatePart(part<HTMLDetailsElement>("practice"), async () => {
    const { StepPractice } = await import("../practice/index.ts");
    return new StepPractice(client, offered);
  });
  new LatePart(part<HTMLDetailsElement>("word-practice"), async () => {
    const { WordPractice } = await import("../practice/index.ts");
    return new WordPractice(client, document, offered);
  });
}
