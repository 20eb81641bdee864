/** Gold heads and steps by hand of a document: a server that has lost them is told again. */

import type { PlacedSentence } from "./analyses.ts";
import type { SentenceRequest, SentencesMessage, StepName, StepsMessage } from "./protocol.ts";

type Configuration = Pick<StepsMessage, "stack" | "front">;

/** What was done with a sentence. */
interface Followed {
  /** Its words, as they were then. */
  forms: readonly string[];
  gold: readonly (number | null)[] | null;
  /** The server has said that it knows the gold heads. */
  isGoldKnown: boolean;
  last: StepsMessage | null;
  /** The steps by hand lead from here to `last`; null if there are none. */
  from: Configuration | null;
  steps: StepName[];
}

/** A sentence that is brought to where it was: back to where the steps by hand began, and these again. */
interface Return {
  isAsked: boolean;
  isForward: boolean;
  /** So many steps the next answer is from the first configuration. */
  expected: number | null;
}

/** How many steps lead from the first configuration to this one. */
export function stepsMade({ stack, front }: Configuration): number {
  return 2 * (front - 1) - (stack.length - 1);
}

export class FollowedSteps {
  private sentences = new Map<number, Followed>();
  private readonly returns = new Map<number, Return>();

  /** `sentenceAt` has the newest analysis of a sentence. */
  constructor(
    private readonly sentenceAt: (number: number) => PlacedSentence | null,
    private readonly ask: (number: number, request: SentenceRequest) => void,
  ) {}

  /** A request goes out. */
  note(number: number, request: SentenceRequest): void {
    if (request.type !== "gold") return;
    const followed = this.at(number);
    followed.gold = request.heads;
    followed.isGoldKnown = false;
  }

  /** A sentence has a new analysis. */
  changeWords(number: number): void {
    const followed = this.sentences.get(number);
    if (followed) changeWords(followed, this.formsOf(number));
  }

  /** The server has refused a request. */
  refuse(code: string): void {
    if (code === "bad_gold") for (const one of this.sentences.values()) if (!one.isGoldKnown) one.gold = null;
    if (code === "bad_step") this.returns.clear();
  }

  /** Sentences come and go. */
  splice({ first, removed, added }: SentencesMessage): void {
    if (this.returns.size) return;
    const kept = [...this.sentences].filter(([number]) => number < first || number >= first + removed);
    this.sentences = new Map(kept.map(([number, one]) => [number < first ? number : number + added - removed, one]));
  }

  /** Whether a message is news; while a sentence is on its way back, it is not. */
  take(message: StepsMessage): boolean {
    const followed = this.at(message.sentence);
    const way = this.returns.get(message.sentence);
    if (way && !this.hasReturned(message, followed, way)) return false;
    this.returns.delete(message.sentence);
    followed.isGoldKnown ||= message.reference === "gold";
    follow(followed, message);
    return true;
  }

  /** The connection is there again; a request that was under way may have been lost. */
  resume(): void {
    for (const [number, { gold, isGoldKnown }] of this.sentences)
      if (gold && !isGoldKnown) this.ask(number, { type: "gold", heads: gold });
  }

  /** The server has forgotten everything. */
  lose(): void {
    this.returns.clear();
    for (const [number, { gold, from }] of this.sentences)
      if (gold || from) this.returns.set(number, { isAsked: false, isForward: false, expected: null });
  }

  /** The server knows sentences of the present text. */
  restore(): void {
    for (const [number, way] of this.returns) {
      if (way.isAsked || !this.sentenceAt(number)) continue;
      way.isAsked = true;
      const { gold, from } = this.at(number);
      if (gold || from) this.ask(number, gold ? { type: "gold", heads: gold } : { type: "ask_steps" });
      else this.returns.delete(number);
    }
  }

  private at(number: number): Followed {
    let followed = this.sentences.get(number);
    if (!followed) {
      followed = { forms: this.formsOf(number), gold: null, isGoldKnown: false, last: null, from: null, steps: [] };
      this.sentences.set(number, followed);
    }
    return followed;
  }

  private formsOf(number: number): string[] {
    return this.sentenceAt(number)?.analysis.words.map(({ form }) => form) ?? [];
  }

  private hasReturned(message: StepsMessage, followed: Followed, way: Return): boolean {
    const { gold, from, last, steps } = followed;
    if (gold && message.reference !== "gold") return false;
    if (!from || !last) return true;
    if (way.isForward) return isSame(message, last);
    const made = stepsMade(message);
    if (way.expected !== null && made !== way.expected) return false;
    if (made > stepsMade(from)) {
      way.expected = made - 1;
      this.ask(message.sentence, { type: "undo" });
      return false;
    }
    if (!isSame(message, from)) return true;
    way.isForward = true;
    for (const step of steps) this.ask(message.sentence, { type: "step", step });
    return steps.length === 0;
  }
}

/** Takes the steps by hand from what the configurations are. */
function follow(followed: Followed, message: StepsMessage): void {
  const { last, steps } = followed;
  const more = last ? stepsMade(message) - stepsMade(last) : NaN;
  followed.last = message;
  if (!message.by_hand) [followed.from, followed.steps] = [null, []];
  else if (last && more === 1) {
    followed.from ??= last;
    steps.push(stepBetween(last, message));
  } else if (more !== 0 && !(more === -1 && steps.pop())) [followed.from, followed.steps] = [message, []];
}

/** As the server does it: what is about the first words that stay is kept, of gold heads and of steps by hand. */
function changeWords(followed: Followed, forms: readonly string[]): void {
  const { forms: before, gold, last } = followed;
  const other = before.findIndex((form, index) => form !== forms[index]);
  const kept = other < 0 ? before.length : other;
  const head = (index: number) => (index < kept && (gold?.[index] ?? Infinity) <= kept ? gold![index]! : null);
  followed.gold = gold && forms.map((_, index) => head(index));
  followed.forms = forms;
  if (last && (kept < before.length || last.n > forms.length)) keepSteps(followed, last, kept);
}

/** Keeps the steps by hand before the first one that takes a word behind the first ones. */
function keepSteps(followed: Followed, last: StepsMessage, words: number): void {
  let place: Configuration | null = followed.from;
  const steps: StepName[] = [];
  for (const step of followed.steps) {
    const next: Configuration | null = place && stepped(place, step);
    if (!next || next.front - 1 > words) break;
    steps.push(step);
    place = next;
  }
  const isNoneLeft = !steps.length && followed.steps.length > 0;
  if (!place || place.front - 1 > words || isNoneLeft) [followed.from, followed.steps] = [null, []];
  else [followed.steps, followed.last] = [steps, { ...last, ...place }];
}

function stepped({ stack, front }: Configuration, step: StepName): Configuration {
  if (step === "shift") return { stack: [...stack, front], front: front + 1 };
  return { stack: step === "reduce_left" ? stack.slice(0, -1) : [...stack.slice(0, -2), stack.at(-1)!], front };
}

function stepBetween(before: Configuration, after: Configuration): StepName {
  if (after.front > before.front) return "shift";
  return after.stack.at(-1) === before.stack.at(-1) ? "reduce_right" : "reduce_left";
}

function isSame(one: Configuration, other: Configuration): boolean {
  return one.front === other.front && one.stack.join() === other.stack.join();
}
