/** One connection that is kept up: handshake, heartbeat, and another attempt after every loss. */

import { waitBefore } from "./backoff.ts";
import type { ClientFrame, DocumentMessage, ErrorMessage, Goodbye, Hello, ServerFrame, Welcome } from "./protocol.ts";
import { Signal } from "./signal.ts";

export const SUBPROTOCOL = "treewhile.v1+json";

/**
 * connecting  the socket opens, or the handshake is on its way
 * open        events go out at once
 * waiting     the connection is lost; the next attempt comes by itself
 * refused     the server will not have this client: nothing more is tried
 * closed      not wanted
 */
export type ConnectionState = "connecting" | "open" | "waiting" | "refused" | "closed";

export interface ConnectionStatus {
  readonly state: ConnectionState;
  /** Why it is not open, in the server's words where there are any. */
  readonly reason: string;
  /** Milliseconds until the next attempt, if one is waited for. */
  readonly wait: number;
}

/** What is used of a WebSocket. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  send(data: string): void;
  close(code?: number): void;
}

/** Time, in milliseconds. */
export interface Clock {
  now(): number;
  /** Calls back later; what comes back calls that off. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** All that a connection needs of the outside; tests hand in their own. */
export interface Surroundings {
  openSocket(url: string, subprotocol: string): Socket;
  clock: Clock;
  random(): number;
}

export type Greeting = Pick<Hello, "model" | "token" | "heartbeat">;

const TOO_LARGE = 1009;
const POLICY = 1008;
const HANDSHAKE = 10_000; // milliseconds
const HEARTBEAT = 30; // seconds, where nothing else is asked for

export class Connection {
  readonly changed = new Signal<ConnectionStatus>();
  readonly welcomed = new Signal<Welcome>();
  readonly messages = new Signal<DocumentMessage | ErrorMessage>();
  greeting: Greeting = {};

  private current: ConnectionStatus = { state: "closed", reason: "", wait: 0 };
  private socket: Socket | null = null;
  private token: string | undefined;
  private attempts = 0;
  private retryAfter = 0;
  private callOff: () => void = () => {};
  private pings = 0;
  private heard = 0;

  constructor(
    private readonly url: string,
    private readonly outside: Surroundings,
  ) {}

  get status(): ConnectionStatus {
    return this.current;
  }

  /** Connects now, also if an attempt is waited for. */
  connect(): void {
    this.drop();
    this.become("connecting");
    const socket = this.outside.openSocket(this.url, SUBPROTOCOL);
    this.socket = socket;
    this.callOff = this.outside.clock.after(HANDSHAKE, () => this.lose(0, "the server does not answer"));
    socket.onopen = () => this.greet();
    socket.onmessage = (event) => this.hear(String(event.data));
    socket.onclose = (event) => this.lose(event.code, event.reason);
  }

  /** Connects now, to a new session of the server. */
  connectAnew(): void {
    this.token = undefined;
    this.connect();
  }

  close(): void {
    this.drop();
    this.become("closed");
  }

  /** Sends if the connection is open. */
  send(frame: ClientFrame): void {
    if (this.current.state === "open") this.write(frame);
  }

  private write(frame: ClientFrame): void {
    this.socket?.send(JSON.stringify(frame));
  }

  private become(state: ConnectionState, reason = "", wait = 0): void {
    this.current = { state, reason, wait };
    this.changed.emit(this.current);
  }

  private drop(): void {
    this.callOff();
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
  }

  // --- handshake and frames -----------------------------------------------------------------------------

  private greet(): void {
    const resume = this.token === undefined ? {} : { resume: this.token };
    this.write({ type: "hello", positions: "utf16", heartbeat: HEARTBEAT, ...this.greeting, ...resume });
  }

  private hear(data: string): void {
    this.heard = this.outside.clock.now();
    const frame = JSON.parse(data) as ServerFrame;
    if (frame.type === "welcome") this.begin(frame);
    else if (frame.type === "goodbye") this.part(frame);
    else if (frame.type !== "pong") this.messages.emit(frame);
  }

  private begin(welcome: Welcome): void {
    this.token = welcome.session;
    this.attempts = this.retryAfter = 0;
    this.callOff();
    this.become("open");
    this.beat((welcome.heartbeat ?? HEARTBEAT) * 1000);
    this.welcomed.emit(welcome);
  }

  private part(goodbye: Goodbye): void {
    this.retryAfter = goodbye.retry_after ?? 0;
  }

  // --- heartbeat and loss -------------------------------------------------------------------------------

  private beat(every: number): void {
    const asked = this.outside.clock.now();
    this.write({ type: "ping", number: ++this.pings });
    this.callOff = this.outside.clock.after(every, () => {
      if (this.heard >= asked) this.beat(every);
      else this.lose(0, "the server does not answer");
    });
  }

  private lose(code: number, reason: string): void {
    this.drop();
    if (isTerminal(code)) return this.become("refused", reason || `the server closed with code ${code}`);
    const wait = waitBefore(this.attempts++, this.outside.random(), this.retryAfter);
    this.retryAfter = 0;
    this.callOff = this.outside.clock.after(wait, () => this.connect());
    this.become("waiting", reason, wait);
  }
}

function isTerminal(code: number): boolean {
  return (code >= 4400 && code < 4500) || code === TOO_LARGE || code === POLICY;
}
