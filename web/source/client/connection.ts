/** One connection that is kept up: handshake, heartbeat, and another attempt after every loss. */

import { waitBefore } from "./backoff.ts";
import type {
  ClientFrame,
  DocumentMessage,
  ErrorMessage,
  Goodbye,
  Hello,
  Readiness,
  ServerFrame,
  Welcome,
} from "./protocol.ts";
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
  /** Whether it is open and the server answers: if not, what is known may be behind. */
  readonly isAlive: boolean;
}

/** What is used of a WebSocket. */
export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  /** An attempt that failed, which some sockets outside browsers tell without a close. */
  onerror: (() => void) | null;
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
const HEARTBEAT = 30; // seconds, where nothing else is asked for
// All in milliseconds.
const HANDSHAKE = 10_000;
/** A server is asked whether it is there so long after it was asked last, and sooner while events go out. */
const IDLE = 10_000;
/** A server that has said nothing for so long after it was asked does not answer. */
const SILENT = 2000;
/** The same where there is a reason to doubt, and of a server that is busy with getting ready. */
const [DOUBTED, UNREADY] = [1000, 15_000];
/** So long after that the connection is given up. */
const GRACE = 10_000;
export const SILENCE = "the server does not answer";
export const UNREACHABLE = "the server cannot be reached";

export class Connection {
  readonly changed = new Signal<ConnectionStatus>();
  readonly welcomed = new Signal<Welcome>();
  readonly messages = new Signal<DocumentMessage | ErrorMessage>();
  readonly readiness = new Signal<Readiness>();
  greeting: Greeting = {};

  private current: ConnectionStatus = { state: "closed", reason: "", wait: 0, isAlive: false };
  private socket: Socket | null = null;
  private token: string | undefined;
  private attempts = 0;
  private retryAfter = 0;
  private callOff: () => void = () => {};
  private pings = 0;
  private asked = 0;
  /** Nothing has come since the server was asked whether it is there. */
  private isOwed = false;
  /** Events have gone out since it has answered. */
  private hasSaidMore = false;
  /** The server has said that it is still getting ready. */
  private isUnready = false;
  /** Milliseconds between one such question and the next while nothing else goes out. */
  private idle = IDLE;

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
    this.callOff = this.outside.clock.after(HANDSHAKE, () => this.lose(0, SILENCE));
    socket.onopen = () => this.greet();
    socket.onmessage = (event) => this.hear(String(event.data));
    socket.onclose = (event) => this.lose(event.code, event.reason);
    socket.onerror = () => this.fail(socket);
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
    if (this.current.state !== "open") return;
    this.write(frame);
    if (this.isOwed) return;
    if (this.outside.clock.now() - this.asked >= SILENT) this.ask();
    else this.hasSaidMore = true;
  }

  /** Finds out now whether the server is still there. */
  check(): void {
    if (this.current.state === "open" && this.current.isAlive) this.ask(DOUBTED);
  }

  private write(frame: ClientFrame): void {
    this.socket?.send(JSON.stringify(frame));
  }

  private become(state: ConnectionState, reason = "", wait = 0, isAlive = state === "open"): void {
    this.current = { state, reason, wait, isAlive };
    this.changed.emit(this.current);
  }

  private drop(): void {
    this.callOff();
    const socket = this.socket;
    this.socket = null;
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.onerror = () => {}; // some sockets throw an error that nobody listens for, as one that is closed before it is open
    socket.close(1000);
  }

  // --- handshake and frames -----------------------------------------------------------------------------

  private greet(): void {
    const resume = this.token === undefined ? {} : { resume: this.token };
    this.write({ type: "hello", positions: "utf16", heartbeat: HEARTBEAT, ...this.greeting, ...resume });
  }

  private hear(data: string): void {
    this.isOwed = false;
    if (this.current.state === "open" && !this.current.isAlive) this.become("open");
    const frame = JSON.parse(data) as ServerFrame;
    if (frame.type === "welcome") this.begin(frame);
    else if (frame.type === "goodbye") this.part(frame);
    else if (frame.type === "readiness") this.getReady(frame);
    else if (frame.type !== "pong") this.pass(frame);
  }

  /** A server that does not have the model that was asked for is greeted again, without one. */
  private pass(message: DocumentMessage | ErrorMessage): void {
    this.messages.emit(message);
    if (this.current.state !== "connecting" || message.type !== "error" || this.greeting.model === undefined) return;
    const { model: _, ...others } = this.greeting;
    this.greeting = others;
    this.greet();
  }

  private getReady(readiness: Readiness): void {
    this.isUnready = readiness.waits_for !== "";
    this.readiness.emit(readiness);
  }

  private begin(welcome: Welcome): void {
    this.isUnready = false;
    this.token = welcome.session;
    this.attempts = this.retryAfter = 0;
    this.callOff();
    this.become("open");
    this.idle = Math.min(IDLE, (welcome.heartbeat ?? HEARTBEAT) * 1000);
    this.ask();
    this.welcomed.emit(welcome);
  }

  private part(goodbye: Goodbye): void {
    this.retryAfter = goodbye.retry_after ?? 0;
  }

  // --- heartbeat and loss -------------------------------------------------------------------------------

  private ask(patience = this.isUnready ? UNREADY : Math.min(SILENT, this.idle)): void {
    this.asked = this.outside.clock.now();
    this.isOwed = true;
    this.hasSaidMore = false;
    this.write({ type: "ping", number: ++this.pings });
    this.then(patience, () => {
      if (!this.isOwed) return this.then(this.hasSaidMore ? 0 : this.idle - patience, () => this.ask());
      if (this.isUnready && patience < UNREADY) return this.ask(UNREADY);
      this.become("open", SILENCE, 0, false);
      this.then(GRACE, () => (this.isOwed ? this.lose(0, SILENCE) : this.ask()));
    });
  }

  private then(milliseconds: number, callback: () => void): void {
    this.callOff();
    this.callOff = this.outside.clock.after(milliseconds, callback);
  }

  /** Waits for the close that most sockets tell behind an error, but no longer than a turn of the loop. */
  private fail(socket: Socket): void {
    this.then(0, () => this.socket === socket && this.lose(0, UNREACHABLE));
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
