/** The sentences of a document with their newest analyses, while both the text and the sentences change. */

import { applyDelta, mapSentence, placeAnalysis, type PlacedSentence } from "./analyses.ts";
import type { Change } from "./changes.ts";
import { withKeptConflicts } from "./kept_conflicts.ts";
import type { AnalysisMessage, DeltaMessage, MovedMessage, SentencesMessage } from "./protocol.ts";

export class SentenceList {
  private entries: (PlacedSentence | null)[] = [];
  /** What stood before the document was opened again: shown until everything has its analysis. */
  private former: readonly PlacedSentence[] | null = null;
  private gone: PlacedSentence[] = [];
  private lastId = 0;
  private listed: readonly PlacedSentence[] | null = null;

  /** The analysed sentences, in the present text. The same list comes back until something changes. */
  get sentences(): readonly PlacedSentence[] {
    return (this.listed ??= this.former ?? this.entries.filter((entry) => entry !== null));
  }

  /** Whether all sentences that the server has found are analysed. */
  get isWhole(): boolean {
    return this.former === null && !this.entries.includes(null);
  }

  /** The analysed sentence with a number. */
  at(number: number): PlacedSentence | null {
    return this.entries[number] ?? null;
  }

  /** The number of an analysed sentence. */
  numberOf(sentence: PlacedSentence): number {
    return this.entries.indexOf(sentence);
  }

  /** The text changes here. */
  change(change: Change): void {
    const map = (entry: PlacedSentence) => mapSentence(entry, change);
    this.entries = this.entries.map((entry) => entry && map(entry));
    this.gone = this.gone.map(map);
    this.former = this.former?.map(map) ?? null;
    this.listed = null;
  }

  /** Begins anew, and goes on showing what is known until then. */
  restart(): void {
    this.former = this.sentences;
    this.gone = [...this.former];
    this.entries = [];
    this.listed = null;
  }

  /** Sentences come and go. */
  splice(message: SentencesMessage): void {
    this.fill(message.first);
    const gone = this.entries.splice(message.first, message.removed, ...Array<null>(message.added).fill(null));
    this.gone.push(...gone.filter((entry) => entry !== null));
    this.entries.length = Math.min(this.entries.length, message.count);
    this.fill(message.count);
    this.settle();
  }

  /** An edit has moved sentences from `sentence` on; where they stand in the present text is known already. */
  move({ sentence, words, units }: MovedMessage): void {
    this.entries = this.entries.map((entry, number) => {
      if (!entry || number < sentence) return entry;
      const { first_word, start } = entry.analysis;
      return { ...entry, analysis: { ...entry.analysis, first_word: first_word + words, start: start + units } };
    });
    this.listed = null;
  }

  /** Takes an analysis of the text as it was before some changes; false if it is a delta of an unknown one. */
  take(message: AnalysisMessage | DeltaMessage, since: readonly Change[]): boolean {
    const known = this.at(message.sentence);
    if (known && known.analysis.number >= message.number) return true;
    if (message.type === "delta" && known?.analysis.number !== message.base) return false;
    const analysis = message.type === "delta" ? applyDelta(known!.analysis, message) : message;
    this.fill(message.sentence + 1);
    this.entries[message.sentence] = this.placed(analysis, known, since);
    this.settle();
    return true;
  }

  private placed(analysis: AnalysisMessage, known: PlacedSentence | null, since: readonly Change[]): PlacedSentence {
    const bare = since.reduce(mapSentence, placeAnalysis(analysis));
    const near = this.gone.filter((entry) => entry.from < bare.to && entry.to > bare.from).reverse();
    const earlier = known ? [known, ...near] : near;
    const ids = idsByPlace(earlier);
    const words = bare.words.map((word) => {
      const place = bare.from + word.from;
      return { ...word, id: ids.get(place)?.shift() ?? ++this.lastId };
    });
    return withKeptConflicts({ ...bare, words }, earlier);
  }

  private fill(length: number): void {
    while (this.entries.length < length) this.entries.push(null);
  }

  private settle(): void {
    if (!this.entries.includes(null)) {
      this.former = null;
      this.gone = [];
    }
    this.listed = null;
  }
}

/** The ids of words by where these begin; several words may begin at one place. */
function idsByPlace(sentences: readonly PlacedSentence[]): Map<number, number[]> {
  const ids = new Map<number, number[]>();
  for (const sentence of sentences)
    for (const word of sentence.words) {
      const place = sentence.from + word.from;
      const before = ids.get(place);
      if (!before) ids.set(place, [word.id]);
      else if (!before.includes(word.id)) before.push(word.id);
    }
  return ids;
}
