/** How long to wait before the next attempt: longer each time, and not the same for everybody. */

const FIRST = 250;
const LONGEST = 15_000;

/** Milliseconds before attempt number `attempt`, from 0 on; `random` lies between 0 and 1. */
export function waitBefore(attempt: number, random: number, retryAfter = 0): number {
  const upper = Math.min(LONGEST, FIRST * 2 ** attempt);
  return retryAfter * 1000 + upper / 2 + (random * upper) / 2;
}
