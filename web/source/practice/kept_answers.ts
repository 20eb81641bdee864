/** What learners have answered, which the browser keeps for its next visit, as far as it keeps anything. */

import { inBrowser } from "../page/kept_strings.ts";

/** An answer, or a hint that was taken. */
export interface KeptAnswer {
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly practice: "words" | "steps";
  readonly sentence: string;
  /** Of the sentence, as in HTML; empty if it is not known. */
  readonly lang: string;
  /** How often the sentence was begun. */
  readonly attempt: number;
  /** Of the word that the question is about, and its form. */
  readonly number: number;
  readonly word: string;
  readonly question: "head" | "role" | "step";
  /** The number of a head, a label, the name of a step, or "hint". */
  readonly answer: string;
  /** Such an answer that is right; several stand apart by spaces. */
  readonly expected: string;
  readonly isRight: boolean;
}

export type NewAnswer = Omit<KeptAnswer, "time">;

export const HINT = "hint";

const NAME = "treewhile-answers";
const MOST = 3000; // answers
const MOST_CHARACTERS = 1_000_000;
const TEXTS = ["practice", "sentence", "lang", "word", "question", "answer", "expected"] as const;

export class KeptAnswers {
  /** For browsers that keep nothing. */
  private answers: readonly KeptAnswer[] = [];

  /** All of them, the oldest first; other tabs may have added some. */
  get all(): readonly KeptAnswer[] {
    return readAnswers(inBrowser.get(NAME)) ?? this.answers;
  }

  add(answer: NewAnswer): void {
    this.write([...this.all, { time: Date.now(), ...answer }].slice(-MOST));
  }

  forget(): void {
    this.answers = [];
    inBrowser.set(NAME, null);
  }

  /** How often a sentence was begun. */
  attemptsAt(practice: KeptAnswer["practice"], sentence: string): number {
    return Math.max(0, ...this.of(practice, sentence).map(({ attempt }) => attempt));
  }

  /** Those to a sentence since it was begun last. */
  ofLastAttempt(practice: KeptAnswer["practice"], sentence: string): KeptAnswer[] {
    const last = this.attemptsAt(practice, sentence);
    return this.of(practice, sentence).filter(({ attempt }) => attempt === last);
  }

  private of(practice: KeptAnswer["practice"], sentence: string): KeptAnswer[] {
    return this.all.filter((one) => one.practice === practice && one.sentence === sentence);
  }

  /** The oldest ones go where there is no room for all. */
  private write(answers: readonly KeptAnswer[]): void {
    this.answers = answers;
    const written = JSON.stringify(answers);
    const isTaken = written.length <= MOST_CHARACTERS && inBrowser.set(NAME, written);
    if (isTaken || answers.length < 2) return;
    const left = answers.slice(Math.ceil(answers.length / 4));
    if (inBrowser.get(NAME) !== null) this.write(left);
  }
}

/** Null where nothing is kept, or something else. */
function readAnswers(written: string | null): KeptAnswer[] | null {
  if (written === null) return null;
  try {
    const read: unknown = JSON.parse(written);
    return Array.isArray(read) ? read.filter(isAnswer) : null;
  } catch {
    return null;
  }
}

function isAnswer(one: unknown): one is KeptAnswer {
  const answer = one as KeptAnswer | null;
  const hasNumbers = [answer?.time, answer?.attempt, answer?.number].every(Number.isFinite);
  return hasNumbers && TEXTS.every((name) => typeof answer![name] === "string");
}
