/** A server that says what a test tells it to, and a clock that goes when a test lets it. */

import type {
  AnalysisMessage,
  Clock,
  DeltaMessage,
  SentencesMessage,
  StepsMessage,
  Socket,
  Surroundings,
  WordView,
} from "../../web/source/client/index.ts";

export class FakeSocket implements Socket {
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: (() => void) | null = null;
  readonly sent: Record<string, any>[] = [];
  isClosed = false;

  send(data: string): void {
    this.sent.push(JSON.parse(data));
  }

  close(): void {
    this.isClosed = true;
  }

  say(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  /** All of some type that came. */
  all(type: string): Record<string, any>[] {
    return this.sent.filter((frame) => frame.type === type);
  }
}

export class FakeClock implements Clock {
  private time = 0;
  private timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.time;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.time + milliseconds, callback };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((other) => other !== timer));
  }

  go(milliseconds: number): void {
    this.time += milliseconds;
    const due = this.timers.filter(({ at }) => at <= this.time);
    this.timers = this.timers.filter(({ at }) => at > this.time);
    for (const { callback } of due) callback();
  }
}

export const WELCOME = {
  type: "welcome",
  session: "token",
  epoch: 1,
  resumed: false,
  documents: [],
  heartbeat: 30,
  model: "en",
  models: ["en"],
  languages: { en: "en" },
  abilities: { en: [] },
  labels: { en: [] },
  tags: { en: [] },
  limits: { message_bytes: 1, messages_a_second: 1, documents: 1, characters: 1000, text_characters: 1000 },
  resume_seconds: 60,
  server: "0",
};

export class FakeServer implements Surroundings {
  readonly sockets: FakeSocket[] = [];
  readonly clock = new FakeClock();
  random = () => 0;

  openSocket(): FakeSocket {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket;
  }

  get socket(): FakeSocket {
    return this.sockets.at(-1)!;
  }

  welcome(more: object = {}): void {
    this.socket.onopen?.();
    this.socket.say({ ...WELCOME, ...more });
  }

  lose(code = 1006, reason = ""): void {
    this.socket.onclose?.({ code, reason });
  }
}

/** The words of a text between spaces; each hangs on the word before it. */
export function wordsOf(text: string): WordView[] {
  return [...text.matchAll(/\S+/g)].map((match, index) => {
    const [form, start] = [match[0], match.index];
    return { form, start, end: start + form.length, tag: "X", features: "_", head: index, label: "dep" };
  });
}

let numbers = 0;

export function analysisOf(text: string, version: number, more: Partial<AnalysisMessage> = {}): AnalysisMessage {
  return {
    type: "analysis",
    document: "letter",
    version,
    number: ++numbers,
    answers: [version],
    sentence: 0,
    first_word: 0,
    start: 0,
    stage: "initial",
    levels: ["L0"],
    words: wordsOf(text),
    virtual: [],
    conflicts: [],
    stable_upto: 0,
    score: null,
    seconds: 0.001,
    ...more,
  };
}

export function deltaOf(base: AnalysisMessage, text: string, version: number): DeltaMessage {
  const words = wordsOf(text);
  const changed = words.map((word, index) => [index + 1, word] as const).slice(base.words.length);
  const { virtual: _, conflicts: __, constituents: ___, ...parts } = analysisOf(text, version);
  return { ...parts, type: "delta", base: base.number, length: words.length, words: Object.fromEntries(changed) };
}

export function sentencesOf(
  version: number,
  first: number,
  removed: number,
  added: number,
  count: number,
): SentencesMessage {
  return { type: "sentences", document: "letter", version, answers: [], first, removed, added, count };
}

export function stepsOf(
  version: number,
  stack: readonly number[],
  front: number,
  n: number,
  more: Partial<StepsMessage> = {},
): StepsMessage {
  return {
    type: "next_steps",
    document: "letter",
    version,
    sentence: 0,
    stack,
    front,
    n,
    shift: 0,
    reduce_left: 0,
    reduce_right: 0,
    optimal: [],
    share: 1,
    entries_filled: 0,
    entries_in_all: null,
    reference: "best",
    wait: false,
    best: [],
    known: { shift: 0, reduce_left: 0, reduce_right: 0 },
    expected: null,
    choices: [],
    by_hand: false,
    ...more,
  };
}
