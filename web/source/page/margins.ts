/**
 * Margins of arcs, which tell how sure these are, and their best rivals: asked for when somebody wants them, and once
 * for each settled analysis.
 */

import type { ClientDocument, MarginView, PlacedSentence, TreewhileClient } from "../client/index.ts";
import type { Page } from "./page_parts.ts";
import { hasSettled, isDone, wordsOf } from "./parsed_words.ts";

/** Of all words of a sentence, the least sure first; null where the server does not tell them. */
export type Margins = readonly MarginView[] | null;

interface Asked {
  readonly version: number;
  readonly sentence: number;
  readonly take: (margins: Margins) => void;
}

/** Margins in the analyses of a text. */
export class ParserMargins {
  private asked: Asked | null = null;
  /** By the number of an analysis, the last one that was asked about. */
  private known: { readonly analysis: number; readonly margins: Promise<Margins> } | null = null;

  constructor(
    private readonly client: TreewhileClient,
    private readonly document: ClientDocument,
  ) {
    document.margins.listen(({ version, sentence, arcs }) => {
      if (version === this.asked?.version && sentence === this.asked.sentence) this.end(arcs);
    });
    document.failed.listen(({ code, version, sentence }) => {
      if (version !== this.asked?.version || (sentence ?? this.asked?.sentence) !== this.asked?.sentence) return;
      if (code !== "bad_fix") this.end(null);
    });
    document.reopened.listen(() => this.forget());
    client.welcomed.listen(() => this.forget());
    document.changed.listen(() => this.asked && this.asked.version !== document.version && this.forget());
  }

  /** Whether a sentence has a settled analysis, which can be asked about. */
  isReady(sentence: PlacedSentence): boolean {
    const { client, document } = this;
    const isNewest = document.isCurrent && document.numberOf(sentence) >= 0 && !sentence.isTouched;
    return client.status.isAlive && isNewest && isDone(sentence);
  }

  /** Of a sentence that is ready; they never come where the text has changed meanwhile. */
  of(sentence: PlacedSentence): Promise<Margins> {
    const { number: analysis } = sentence.analysis;
    if (this.known?.analysis !== analysis) {
      this.known = { analysis, margins: this.ask(this.document.numberOf(sentence)) };
    }
    return this.known.margins;
  }

  private ask(sentence: number): Promise<Margins> {
    return new Promise((take) => {
      this.asked = { version: this.document.version, sentence, take };
      this.document.request(sentence, { type: "ask_margins" });
    });
  }

  private end(margins: Margins): void {
    this.asked?.take(margins);
    this.asked = null;
  }

  /** What is not answered may be asked again. */
  private forget(): void {
    this.known = this.asked = null;
  }
}

const OF_DOCUMENTS = new WeakMap<ClientDocument, ParserMargins>();

/** Those of a text, which all parts of the page share, so that nothing is asked twice. */
export function marginsIn({ client, document }: Pick<Page, "client" | "document">): ParserMargins {
  const known = OF_DOCUMENTS.get(document) ?? new ParserMargins(client, document);
  OF_DOCUMENTS.set(document, known);
  return known;
}

let opened = 0;

/** Asks for those of a sentence whose words are given, once its analysis has settled; what this returns calls that off. */
export function askForMargins(
  client: TreewhileClient,
  model: string | null,
  forms: readonly string[],
  take: (margins: Margins) => void,
): () => void {
  const document = client.openWords(`margins-${++opened}`, forms, model === null ? {} : { model });
  document.finish();
  let [isAsked, isOpen] = [false, true];
  const close = () => {
    if (isOpen) document.close();
    isOpen = false;
  };
  document.changed.listen(() => {
    if (isAsked || !hasSettled(document) || !wordsOf(document, forms.length)) return;
    isAsked = true;
    document.request(0, { type: "ask_margins" });
  });
  document.reopened.listen(() => (isAsked = false));
  document.margins.listen(({ arcs }) => {
    close();
    take(arcs);
  });
  document.failed.listen(() => {
    close();
    take(null);
  });
  return close;
}
