/**
 * A game of questions about the words of a sentence: which word does this one belong to, and as what? It is a function
 * of what the learner did, so that a game that was kept goes on where it was. No DOM in it.
 */

import { baseOf, offeredLabels } from "./families.ts";
import { fewest, narrowedHeads, narrowedRoles, type Narrowed } from "./hints.ts";
import { HINT } from "./kept_answers.ts";
import type { GoldSentence } from "./practice_sentences.ts";
import { NO_TIES, type Arc, type Ties } from "./ties.ts";

export interface Question {
  readonly word: number;
  readonly kind: "head" | "role";
}

/** An answer, which is the number of a head or a label, or `HINT` for a hint that is taken. */
export interface Move extends Question {
  readonly answer: string;
}

export type Outcome = "right" | "equal" | "wrong" | "hint";

/** What is known of the question that is asked now. */
interface Asked extends Question {
  /** All answers to choose from, in their order. */
  readonly answers: readonly string[];
  /** Those that are right, the one of the tree first. */
  readonly right: readonly string[];
  hints: number;
  /** Those that no hint has left out, and that were not wrong. */
  open: ReadonlySet<string>;
}

export const MOST_HINTS = 3;

export class WordGame {
  /** What was answered rightly, by words. */
  readonly heads = new Map<number, number>();
  readonly roles = new Map<number, string>();
  readonly mistakes: Move[] = [];
  /** All hints that were taken. */
  hints = 0;
  asked: Asked | null;
  private rightAtOnce = 0;
  private isAtOnce = true;

  constructor(
    readonly sentence: GoldSentence,
    private readonly ties: Ties = NO_TIES,
  ) {
    this.asked = this.nextAsked();
  }

  /** Of all questions that are answered, and of those that were so at once, without a hint. */
  get score(): { right: number; answered: number; all: number } {
    const answered = this.heads.size + this.roles.size;
    return { right: this.rightAtOnce, answered, all: this.questions.length };
  }

  /** The heads as far as they are known, the tree's before those of the parser. */
  get bestHeads(): (number | null)[] {
    return this.sentence.words.map((_, index) => this.arcsOf(index + 1)[0]?.head ?? null);
  }

  /** Takes a move that is about the present question, and says what came of it; null for another one. */
  take({ word, kind, answer }: Move): Outcome | null {
    const { asked } = this;
    if (asked?.word !== word || asked.kind !== kind) return null;
    if (answer === HINT) return this.help(asked);
    if (!asked.answers.includes(answer)) return null;
    return asked.right.includes(answer) ? this.goOn(asked, answer) : this.refuse(asked, answer);
  }

  /** How the answers were narrowed by the first hint. */
  narrowed({ word, kind, answers, right }: Asked): Narrowed {
    if (kind === "role") return narrowedRoles(answers.indexOf(right[0]!), answers);
    return narrowedHeads(word, Number(right[0]), answers.map(Number));
  }

  private goOn(asked: Asked, answer: string): Outcome {
    if (asked.kind === "head") this.heads.set(asked.word, Number(answer));
    else this.roles.set(asked.word, answer);
    if (this.isAtOnce) this.rightAtOnce++;
    this.isAtOnce = true;
    this.asked = this.nextAsked();
    return answer === asked.right[0] ? "right" : "equal";
  }

  private refuse(asked: Asked, answer: string): Outcome {
    this.isAtOnce = false;
    this.mistakes.push({ word: asked.word, kind: asked.kind, answer });
    asked.open = new Set([...asked.open].filter((one) => one !== answer));
    return "wrong";
  }

  private help(asked: Asked): Outcome | null {
    if (asked.hints === MOST_HINTS) return null;
    this.isAtOnce = false;
    this.hints++;
    const left = this.leftBy(asked, ++asked.hints);
    asked.open = new Set([...asked.open].filter((answer) => left.includes(answer) || asked.right[0] === answer));
    return "hint";
  }

  private leftBy(asked: Asked, hint: number): string[] {
    const { kind, answers, right, open } = asked;
    if (hint === MOST_HINTS) return [right[0]!];
    const isHead = kind === "head";
    const keyOf = (answer: string) => (isHead ? Number(answer) : answers.indexOf(answer));
    const keys = hint === 1 ? this.narrowed(asked).left : fewest(keyOf(right[0]!), [...open].map(keyOf));
    return keys.map((key) => (isHead ? String(key) : answers[key]!));
  }

  // --- questions ----------------------------------------------------------------------------------------

  /** Punctuation is not asked about, nor a word of which nobody knows an arc. */
  private get questions(): Question[] {
    return this.sentence.words.flatMap((_, index) => {
      const word = index + 1;
      const [arc] = this.arcsOf(word);
      if (!arc || baseOf(arc.label) === "punct") return [];
      const hasRole = (this.heads.get(word) ?? arc.head) !== 0 && this.labelsOf(word).length > 0;
      const head = { word, kind: "head" } as const;
      return hasRole ? [head, { word, kind: "role" } as const] : [head];
    });
  }

  private nextAsked(): Asked | null {
    const next = this.questions.find(({ word, kind }) => !(kind === "head" ? this.heads : this.roles).has(word));
    if (!next) return null;
    const [answers, right] = next.kind === "head" ? this.headsFor(next.word) : this.rolesFor(next.word);
    return { ...next, answers, right, hints: 0, open: new Set(answers) };
  }

  private headsFor(word: number): [answers: string[], right: string[]] {
    const others = [...this.sentence.words.keys()].map((index) => index + 1).filter((number) => number !== word);
    const right = this.arcsOf(word).map(({ head }) => head);
    const isOffered = (number: number) =>
      baseOf(this.sentence.words[number - 1]!.label) !== "punct" || right.includes(number);
    return [[...others.filter(isOffered), 0].map(String), right.map(String)];
  }

  private rolesFor(word: number): [answers: string[], right: string[]] {
    const right = this.labelsOf(word);
    return [
      offeredLabels(
        right,
        this.sentence.words.map(({ label }) => label),
      ),
      right,
    ];
  }

  /** The roles of a word under the head that was answered, or else under its own. */
  private labelsOf(word: number): string[] {
    const arcs = this.arcsOf(word);
    const head = this.heads.get(word) ?? arcs[0]?.head;
    return arcs.flatMap((arc) => (arc.head === head && /^[a-z]/.test(arc.label) ? [arc.label] : []));
  }

  /** The arcs of a word that are right: that of the tree, and one that is as good; without a tree, the parser's. */
  private arcsOf(word: number): readonly Arc[] {
    const { head, label } = this.sentence.words[word - 1]!;
    const judged = this.ties.get(word) ?? [];
    if (head === null) return judged;
    const isAmong = judged.some((arc) => arc.head === head);
    return [{ head, label }, ...(isAmong ? judged.filter((arc) => arc.head !== head) : [])];
  }
}
