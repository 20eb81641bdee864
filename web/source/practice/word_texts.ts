/** What the practice of words and their roles says: questions, hints, and why an answer was wrong. */

import type { Glossary } from "../glossary/glossary.ts";
import { text as pageText } from "../page/texts.ts";
import { listed } from "../texts/texts.ts";
import { MOST_HINTS, type Move, type Outcome, type WordGame } from "./word_game.ts";
import { reasonAgainst } from "./reasons.ts";
import { text } from "./texts.ts";

/** Tells about one game, in words of the glossary as far as that is there. */
export class WordTexts {
  constructor(
    private readonly game: WordGame,
    private readonly glossary: Glossary | null,
  ) {}

  question(): string {
    const { asked, score } = this.game;
    if (!asked) return text(score.all ? "practice.words.done" : "practice.words.nothing");
    const about = { form: this.form(asked.word), place: score.answered + 1, all: score.all };
    if (asked.kind === "head") return text("practice.words.asks-head", about);
    return text("practice.words.asks-role", { ...about, head: this.form(this.game.heads.get(asked.word)!) });
  }

  score(): string {
    const { right, answered } = this.game.score;
    const { hints } = this.game;
    return [
      text("practice.words.score", { right, answered }),
      ...(hints ? [text("practice.hints", { count: hints })] : []),
    ].join(" ");
  }

  /** As it stands on a button. */
  answer(kind: Move["kind"], answer: string): string {
    if (kind === "role") return this.role(answer);
    return answer === "0" ? text("practice.words.root") : this.form(Number(answer));
  }

  /** What came of a move, by the game after it. */
  outcome(move: Move, outcome: Outcome): string {
    if (outcome === "hint") return this.hint();
    const about = this.about(move);
    if (outcome === "wrong") return move.kind === "role" ? text("practice.words.not-role", about) : this.why(move);
    if (move.kind === "role") return text("practice.words.right.role", about);
    if (outcome === "equal") return text("practice.words.right.as-good", about);
    return text(move.answer === "0" ? "practice.words.right.root" : "practice.words.right.head", about);
  }

  /** The sentence that explains a role; empty for what has none. */
  explanation({ kind, answer }: Pick<Move, "kind" | "answer">): string {
    return (kind === "role" && this.glossary?.relation(answer)?.[1]) || "";
  }

  /** What was wrong, once it may be told what is right. */
  mistake({ word, kind, answer }: Move): string {
    const { heads, roles } = this.game;
    const right = kind === "head" ? heads.get(word)! : this.role(roles.get(word)!);
    const about = { form: this.form(word), head: this.form(heads.get(word)!), wrong: this.answer(kind, answer) };
    if (kind === "role") return text("practice.words.mistake.role", { ...about, right });
    if (right === 0) return text("practice.words.mistake.root", about);
    return text(answer === "0" ? "practice.words.mistake.no-root" : "practice.words.mistake.head", about);
  }

  private about({ word, kind, answer }: Move): Record<string, string> {
    const head = kind === "head" ? Number(answer) : this.game.heads.get(word)!;
    return { form: this.form(word), head: this.form(head), role: kind === "role" ? this.role(answer) : "" };
  }

  private why(move: Move): string {
    const reason = reasonAgainst(move.word, Number(move.answer), this.game.bestHeads);
    const about = this.about(move);
    if (reason.kind !== "elsewhere") return text(`practice.words.not.${reason.kind}`, about);
    if (reason.top === 0) return text("practice.words.not.apart", about);
    return text("practice.words.not.elsewhere", { ...about, top: this.form(reason.top) });
  }

  private hint(): string {
    const { asked } = this.game;
    const choices = [...asked!.open].map((answer) => this.answer(asked!.kind, answer));
    if (asked!.hints === MOST_HINTS) return text("practice.words.hint.told", { answer: choices[0]! });
    if (asked!.hints > 1) return text("practice.words.hint.among", { answers: listed(choices, "disjunction") });
    const { by } = this.game.narrowed(asked!);
    return text(`practice.words.hint.${by}`, { form: this.form(asked!.word) });
  }

  private form(number: number): string {
    return number ? (this.game.sentence.words[number - 1]?.form ?? String(number)) : pageText("node.root");
  }

  private role(label: string): string {
    return this.glossary?.relation(label)?.[0] ?? label;
  }
}
