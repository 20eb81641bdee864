/** The client: everything that others use of it. */

export {
  applyDelta,
  isComplete,
  isWhole,
  mapSentence,
  sentenceAt,
  toldConflicts,
  type PlacedSentence,
  type PlacedWord,
  type PlacedWords,
  type ToldConflict,
} from "./analyses.ts";
export { smallestEdit, type Change, type Span, type TextChange } from "./changes.ts";
export { BROWSER, TreewhileClient } from "./client.ts";
export type { Clock, ConnectionState, ConnectionStatus, Greeting, Socket, Surroundings } from "./connection.ts";
export { ClientDocument, type Latency } from "./document.ts";
export { stepsMade } from "./followed_steps.ts";
export type * from "./protocol.ts";
export { Signal, type Stop } from "./signal.ts";
export { withoutControls } from "./whole_characters.ts";
