/** The client of a treewhile server, for browsers and Node: documents that outlive every connection. */

import { Connection, type ConnectionStatus, type Greeting, type Socket, type Surroundings } from "./connection.ts";
import { ClientDocument, type Wire } from "./document.ts";
import type { DocumentMessage, ErrorMessage, OptionChanges, Readiness, Welcome } from "./protocol.ts";
import { Signal } from "./signal.ts";

export class TreewhileClient {
  /** What the server said last of itself: models, limits, version. */
  welcome: Welcome | null = null;
  readonly welcomed = new Signal<Welcome>();
  /** What a server that is still getting ready said last; null where all is ready. */
  readiness: Readiness | null = null;
  readonly readinessChanged = new Signal<Readiness | null>();
  /** The connection opens, is lost, is waited for. */
  readonly statusChanged: Signal<ConnectionStatus>;
  /** Errors that concern no document. */
  readonly failed = new Signal<ErrorMessage>();

  private readonly connection: Connection;
  private readonly documents = new Map<string, ClientDocument>();

  constructor(
    url: string,
    greeting: Greeting = {},
    private readonly outside: Surroundings = BROWSER,
  ) {
    this.connection = new Connection(url, outside);
    this.connection.greeting = greeting;
    this.statusChanged = this.connection.changed;
    this.connection.welcomed.listen((welcome) => this.begin(welcome));
    this.connection.messages.listen((message) => this.hand(message));
    this.connection.readiness.listen((readiness) => this.getReady(readiness.waits_for ? readiness : null));
  }

  get status(): ConnectionStatus {
    return this.connection.status;
  }

  /** Connects now; after a loss it comes back by itself. */
  connect(): void {
    this.connection.connect();
  }

  /** Finds out now whether the server is still there, as after the network has changed. */
  check(): void {
    this.connection.check();
  }

  /** Parses everything with another model. */
  useModel(model: string): void {
    this.connection.greeting = { ...this.connection.greeting, model };
    this.connection.connectAnew();
  }

  /** A document, also before the connection is open. */
  open(name: string, text = "", options: OptionChanges = {}): ClientDocument {
    return this.add(new ClientDocument(name, text, options, this.wireOf(name)));
  }

  /** A document of one sentence whose words are given; they stay as they are. */
  openWords(name: string, words: readonly string[], options: OptionChanges = {}): ClientDocument {
    return this.add(new ClientDocument(name, words.join(" "), options, this.wireOf(name), words));
  }

  close(): void {
    this.connection.close();
  }

  private wireOf(name: string): Wire {
    return {
      send: (event) => this.connection.send(event),
      now: () => this.outside.clock.now(),
      mostCharacters: () => mostCharacters(this.welcome),
      forget: () => void this.documents.delete(name),
    };
  }

  private add(document: ClientDocument): ClientDocument {
    this.documents.set(document.name, document);
    if (this.status.state === "open") document.connected(null);
    return document;
  }

  private begin(welcome: Welcome): void {
    this.welcome = welcome;
    this.getReady(null);
    const held = new Map(welcome.documents.map(({ document, version }) => [document, version]));
    for (const document of this.documents.values()) document.connected(held.get(document.name) ?? null);
    this.welcomed.emit(welcome);
  }

  private getReady(readiness: Readiness | null): void {
    if (this.readiness === readiness) return;
    this.readiness = readiness;
    this.readinessChanged.emit(readiness);
  }

  private hand(message: DocumentMessage | ErrorMessage): void {
    const document = message.document == null ? undefined : this.documents.get(message.document);
    if (document) document.receive(message);
    else if (message.type === "error") this.failed.emit(message);
  }
}

function mostCharacters(welcome: Welcome | null): number {
  return welcome ? Math.min(welcome.limits.characters, welcome.limits.text_characters) : Infinity;
}

export const BROWSER: Surroundings = {
  openSocket: (url, subprotocol) => new (webSocketClass())(url, subprotocol) as unknown as Socket,
  random: Math.random,
  clock: {
    now: () => performance.now(),
    after: (milliseconds, callback) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  },
};

/** Node has none before version 22. */
function webSocketClass(): typeof WebSocket {
  if (globalThis.WebSocket) return globalThis.WebSocket;
  throw new Error("there is no WebSocket here: use Node 22 or later, or set globalThis.WebSocket to that of a package");
}
