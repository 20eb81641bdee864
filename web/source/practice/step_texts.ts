/** What the practice of steps says: what a step does, what it loses, hints, and a plan with reasons. */

import type { ChoiceView, Head, PlannedView, StepName, StepsMessage } from "../client/index.ts";
import type { Glossary } from "../glossary/glossary.ts";
import { stepTitle } from "../page/configurations.ts";
import { marked, toldByCodes, type StepWords } from "../page/step_words.ts";
import { text as pageText } from "../page/texts.ts";
import { listed } from "../texts/texts.ts";
import type { GoldSentence, GoldWord } from "./practice_sentences.ts";
import { nudgeOf, wordsConcerned } from "./step_hints.ts";
import type { Answer, Score } from "./step_game.ts";
import { text } from "./texts.ts";

type Arc = Pick<PlannedView, "step" | "head" | "child">;

/** Tells about one sentence by its tree, in words of the glossary as far as that is there. */
export class StepTexts {
  private readonly nodes: StepWords;

  constructor(
    private readonly sentence: GoldSentence,
    private readonly glossary: Glossary | null,
  ) {
    this.nodes = { words: sentence.words, virtual: [] };
  }

  /** What a step would do, without telling whether it is right. */
  does({ step, head, child }: Arc, { front }: StepsMessage): string {
    return toldByCodes({ step, head, child, label: null }, front, this.nodes);
  }

  /** Whether a step was right, and what a wrong one loses. */
  judgement({ step, before, isOptimal }: Answer): string {
    const others = before.optimal.filter((one) => one !== step).map((one) => this.named(one, before));
    const choices = listed(others, "disjunction");
    if (!isOptimal) return this.loss(choiceOf(step, before), choices);
    const done = this.done(choiceOf(step, before), before.front);
    return others.length ? text("practice.steps.right.ties", { done, others: choices }) : right(done);
  }

  hint(hints: number, place: StepsMessage): string {
    const { words } = this.sentence;
    if (hints === 1) return text(`practice.steps.hint.${nudgeOf(place, words)}`);
    const concerned = wordsConcerned(place, words).map((node) => this.quoted(node));
    if (hints === 2) return text("practice.steps.hint.words", { words: listed(concerned) });
    const steps = place.optimal.map((step) => this.named(step, place));
    return text("practice.steps.hint.told", { step: listed(steps, "disjunction") });
  }

  plan(plan: readonly PlannedView[]): string[] {
    return plan.map((planned) => (planned.child === null ? this.taking(planned, plan) : this.done(planned, null)));
  }

  score({ optimal, steps, arcs, arcsInAll, hints }: Score): string {
    const score = text("practice.score", { optimal, steps, arcs, all: arcsInAll });
    return hints ? `${score} ${text("practice.hints", { count: hints })}` : score;
  }

  private named(step: StepName, before: StepsMessage): string {
    return text("practice.steps.step", { title: stepTitle(step), does: this.does(choiceOf(step, before), before) });
  }

  private loss({ loses }: ChoiceView, best: string): string {
    if (!loses.length) return text("practice.steps.worse", { best });
    const arcs = loses.map(([head, child]) =>
      pageText("step.under", { child: this.quoted(child), head: this.quoted(head) }),
    );
    return text("practice.steps.wrong", { arcs: listed(arcs), best, count: arcs.length });
  }

  /** A step with the role of its arc, or with the reason for an arc that the tree does not have. */
  private done({ step, head, child }: Arc, taken: Head): string {
    const word = typeof child === "number" ? this.sentence.words[child - 1] : undefined;
    const isRight = word?.head === head;
    const label = word && isRight ? this.role(word) : null;
    const done = toldByCodes({ step, head, child, label }, taken, this.nodes);
    if (!word || isRight || word.head === null) return done;
    const key = crosses(Number(child), this.sentence.words) ? "crossing-arc" : "lost-arc";
    return text(`practice.steps.${key}`, { done, head: this.quoted(word.head) });
  }

  /** A word that is taken for an arc that the plan makes: to a word before it, if there is one, or from one. */
  private taking({ step, word }: PlannedView, plan: readonly PlannedView[]): string {
    const done = toldByCodes({ step, head: null, child: null, label: null }, word, this.nodes);
    const arcs = plan.filter((arc) => this.isOfTree(arc) && Number(arc.head) > 0);
    const dependent = arcs.find(({ head, child }) => head === word && Number(child) < Number(word));
    if (dependent) return text("practice.steps.take.head", { done, word: this.quoted(dependent.child) });
    const own = arcs.find(({ head, child }) => child === word && Number(head) < Number(word));
    return own ? text("practice.steps.take.child", { done, word: this.quoted(own.head) }) : done;
  }

  private isOfTree({ head, child }: Arc): boolean {
    return typeof child === "number" && this.sentence.words[child - 1]?.head === head;
  }

  private quoted(node: Head): string {
    return marked(node, this.nodes);
  }

  private role({ label }: GoldWord): string {
    return this.glossary?.relation(label)?.[0] ?? label;
  }
}

function right(done: string): string {
  return text("practice.steps.right", { done });
}

function choiceOf(step: StepName, { choices }: StepsMessage): ChoiceView {
  return choices.find((choice) => choice.step === step)!;
}

/** Whether the arc to a word crosses another one of its tree. */
export function crosses(child: number, words: readonly Pick<GoldWord, "head">[]): boolean {
  const spans = words.map(({ head }, index) => (head === null ? null : [head, index + 1].sort((a, b) => a - b)));
  const [from, to] = (spans[child - 1] ?? []) as [number, number];
  return spans.some((span) => {
    const [start, end] = (span ?? []) as [number, number];
    return (from < start && start < to && to < end) || (start < from && from < end && end < to);
  });
}
