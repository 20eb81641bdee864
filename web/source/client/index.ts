/** The client: everything that others use of it. */

export {
  applyDelta,
  graveConflicts,
  mapSentence,
  sentenceAt,
  type PlacedSentence,
  type PlacedWord,
} from "./analyses.ts";
export type { Change, Span } from "./changes.ts";
export { BROWSER, TreewhileClient } from "./client.ts";
export type { Clock, ConnectionState, ConnectionStatus, Greeting, Socket, Surroundings } from "./connection.ts";
export { ClientDocument, type Latency } from "./document.ts";
export { stepsMade } from "./followed_steps.ts";
export type * from "./protocol.ts";
export { Signal, type Stop } from "./signal.ts";
