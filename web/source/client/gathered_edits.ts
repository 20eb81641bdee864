/**
 * What is typed while the last edit is unanswered: it waits, as one edit where it can be one.
 *
 * So a slow server gets fewer edits instead of a queue of them, and has the same text in the end. Whoever is far
 * ahead of the server, as after a paste, waits for nothing.
 */

import type { DocumentEvent } from "./protocol.ts";

export type Versioned = DocumentEvent & { readonly version: number };
type Edit = Extract<Versioned, { type: "edit" }>;

const [MOST_EVENTS, MOST_UNITS] = [100, 10_000]; // that wait
const NONE = -1; // no version

/** The unanswered changes of a document, in their order: those that are sent, then those that wait. */
export class GatheredEdits {
  private sent: Versioned[] = [];
  private waiting: Versioned[] = [];
  /** The version of the last edit that was sent and may still be answered. */
  private awaited = NONE;

  get unanswered(): readonly Versioned[] {
    return [...this.sent, ...this.waiting];
  }

  /** Takes the newest one; what is to be sent now. */
  add(event: Versioned): readonly Versioned[] {
    this.wait(event);
    const units = this.waiting.reduce((sum, one) => sum + lengthOf(one), 0);
    const isAhead = this.waiting.length > MOST_EVENTS || units > MOST_UNITS;
    return this.awaited === NONE || isAhead || event.type !== "edit" ? this.flushed() : [];
  }

  /** All that has waited, which is to be sent now, whether or not the last edit is answered. */
  flushed(): readonly Versioned[] {
    const flushed = this.waiting;
    this.waiting = [];
    this.sent.push(...flushed);
    this.awaited = flushed.findLast(({ type }) => type === "edit")?.version ?? this.awaited;
    return flushed;
  }

  /** What has waited, if it waits for nothing any more. */
  released(): readonly Versioned[] {
    return this.awaited === NONE ? this.flushed() : [];
  }

  /** All that a server misses that has those up to a version. */
  again(held: number): readonly Versioned[] {
    this.answer(held);
    this.waiting = [...this.unanswered];
    this.sent = [];
    return this.flushed();
  }

  /** Those up to a version are answered. */
  answer(version: number): void {
    this.sent = this.sent.filter((one) => one.version > version);
    if (version >= this.awaited) this.awaited = NONE;
  }

  /** Nothing better than an error comes about this version. */
  refuse(version: number): void {
    if (version === this.awaited) this.awaited = NONE;
  }

  /** Behind the others, or composed with them; a long one may be refused, and stays alone. */
  private wait(event: Versioned): void {
    const last = lengthOf(event) > MOST_UNITS ? undefined : this.waiting.at(-1);
    const whole = last && composed(last, event);
    if (!whole) return void this.waiting.push(event);
    this.waiting.pop();
    this.wait(whole);
  }
}

/** The one edit, of the second's version, that does what two do; null where there is none. */
export function composed(first: Versioned, then: Versioned): Edit | null {
  if (first.type !== "edit" || then.type !== "edit") return null;
  const behind = first.start + first.text.length;
  if (then.start > behind || then.end < first.start) return null;
  const before = first.text.slice(0, Math.max(0, then.start - first.start));
  const after = first.text.slice(Math.max(0, then.end - first.start));
  const [start, end] = [Math.min(first.start, then.start), first.end + Math.max(0, then.end - behind)];
  return { ...then, start, end, text: before + then.text + after };
}

function lengthOf(event: Versioned): number {
  return event.type === "edit" ? event.text.length : 0;
}
