/** The analyses as they have come, with the time of each, so that it can be shown later how a tree came about. No DOM in it. */

import type { BrokenView, ClientDocument, PlacedSentence } from "../client/index.ts";

export interface RecordedAnalysis {
  /** In milliseconds, from any beginning. */
  readonly time: number;
  readonly sentence: PlacedSentence;
  /** The text of the sentence; null where it had been edited before its analysis came. */
  readonly text: string | null;
  /** The constraints that it breaks, where the server was asked for them. */
  readonly broken: readonly BrokenView[] | null;
}

/** How much is kept; a word of an analysis takes about 200 bytes. */
export interface Room {
  readonly analyses: number;
  readonly words: number;
}

export const ROOM: Room = { analyses: 1000, words: 40_000 };
/** Sentences with more words are not recorded. */
export const MOST_WORDS = 1000;
const KEPT = 0.75; // of the room, so that it is not made for each analysis anew

export class RecordedAnalyses {
  private all: RecordedAnalysis[] = [];
  private words = 0;

  constructor(
    document: ClientDocument,
    private readonly now: () => number,
    private readonly room = ROOM,
  ) {
    document.analysed.listen((sentence) => this.take(sentence, document.text));
    document.constraints.listen(({ sentence, broken }) => {
      const place = this.all.findLastIndex((one) => one.sentence.analysis.sentence === sentence);
      if (place >= 0) this.all[place] = { ...this.all[place]!, broken };
    });
  }

  /** Those of a sentence, the first one first: they share words with it. */
  of({ words }: PlacedSentence): RecordedAnalysis[] {
    const ids = new Set(words.map(({ id }) => id));
    return this.all.filter(({ sentence }) => sentence.words.some(({ id }) => ids.has(id)));
  }

  private take(sentence: PlacedSentence, text: string): void {
    const { length } = sentence.analysis.words;
    if (length > MOST_WORDS) return;
    const own = sentence.isTouched ? null : copied(text.slice(sentence.from, sentence.to));
    this.all.push({ time: this.now(), sentence, text: own, broken: null });
    this.words += length;
    if (this.all.length > this.room.analyses || this.words > this.room.words) this.makeRoom();
  }

  private makeRoom(): void {
    const { analyses, words } = this.room;
    this.all = thinned(this.all, { analyses: KEPT * analyses, words: KEPT * words });
    this.words = wordsIn(this.all);
  }
}

/** What there is room for: intermediate analyses go first, then all others, the oldest first. */
export function thinned(all: readonly RecordedAnalysis[], room: Room): RecordedAnalysis[] {
  const kept = new Set(all);
  let words = wordsIn(all);
  for (const one of [...intermediates(all), ...all]) {
    if (kept.size <= room.analyses && words <= room.words) break;
    if (kept.delete(one)) words -= one.sentence.analysis.words.length;
  }
  return [...kept];
}

/** Those that were followed by a better one of the same text. */
function intermediates(all: readonly RecordedAnalysis[]): RecordedAnalysis[] {
  const versionOf = ({ sentence: { analysis } }: RecordedAnalysis) => `${analysis.version} ${analysis.sentence}`;
  const last = new Map(all.map((one) => [versionOf(one), one]));
  return all.filter((one) => last.get(versionOf(one)) !== one);
}

function wordsIn(all: readonly RecordedAnalysis[]): number {
  return all.reduce((sum, { sentence }) => sum + sentence.analysis.words.length, 0);
}

/** A string of its own: a piece of a text would keep the whole text in memory. */
function copied(piece: string): string {
  return JSON.parse(JSON.stringify(piece)) as string;
}
