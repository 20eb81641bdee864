/** What the browser keeps of texts: a database that outlives the browser, and what belongs to one tab alone. */

import type { OptionChanges } from "../client/index.ts";
import type { KeptDecision } from "./decisions.ts";
import type { KeptPlace } from "./file_annotations.ts";

/** All that a tab needs to go on where it was. */
export interface KeptText {
  /** Of the tab. */
  readonly id: string;
  readonly text: string;
  readonly cursor: number;
  readonly options: OptionChanges;
  readonly model: string | null;
  /** Of the replay. */
  readonly speed: string | null;
  /** How the tree is shown. */
  readonly view?: string | null;
  /** Whether a mark at the cursor shows if the sentence has ended. */
  readonly marksEnds?: boolean;
  /** Whether lemmas are asked for and shown. */
  readonly lemmas?: boolean;
  /** Whether lines are the heavier the surer their arcs are. */
  readonly sureness?: boolean;
  /** Where the sentences of the file that was opened stand. */
  readonly places?: readonly KeptPlace[];
  /** What is decided about words. */
  readonly decisions?: readonly KeptDecision[];
  /** When it was kept, in milliseconds since 1970. */
  readonly time: number;
}

/** A file that was opened, as it was. */
export interface OpenedFile {
  readonly name: string;
  readonly contents: string;
}

type Table = "texts" | "files";

const NAME = "treewhile";
const TABLES: readonly Table[] = ["texts", "files"];
const PATIENCE = 1500; // milliseconds, for a database that never opens

/** The database of an origin; every method fails where the browser does not keep anything. */
export class TextStore {
  private readonly database = openDatabase();

  texts(): Promise<KeptText[]> {
    return this.done("texts", "readonly", (table) => table.getAll() as IDBRequest<KeptText[]>);
  }

  async put(text: KeptText): Promise<void> {
    await this.done("texts", "readwrite", (table) => table.put(text, text.id));
  }

  fileOf(id: string): Promise<OpenedFile | undefined> {
    return this.done("files", "readonly", (table) => table.get(id) as IDBRequest<OpenedFile | undefined>);
  }

  async putFile(id: string, file: OpenedFile): Promise<void> {
    await this.done("files", "readwrite", (table) => table.put(file, id));
  }

  async remove(id: string): Promise<void> {
    for (const name of TABLES) await this.done(name, "readwrite", (table) => table.delete(id));
  }

  /** What a request gives, once its transaction is written. */
  private async done<T>(
    name: Table,
    mode: IDBTransactionMode,
    ask: (table: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    const transaction = (await this.database).transaction(name, mode);
    const request = ask(transaction.objectStore(name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const opened = new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => TABLES.forEach((name) => request.result.createObjectStore(name));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    setTimeout(() => reject(new Error("the database does not open")), PATIENCE);
  });
  opened.catch(() => {}); // callers are told when they ask for something
  return opened;
}

// --- tabs that were left, and did not just end ------------------------------------------------------------

/** Whether the tab of a text was left: noted where a page that is being closed can still write. */
export function wasLeft({ id }: KeptText): boolean {
  try {
    return localStorage.getItem(`${NAME}-left-${id}`) !== null;
  } catch {
    return false;
  }
}

export function noteLeft(id: string, isLeft: boolean): void {
  try {
    if (isLeft) localStorage.setItem(`${NAME}-left-${id}`, "");
    else localStorage.removeItem(`${NAME}-left-${id}`);
  } catch {
    // Where nothing can be noted, what was left is brought back as if it had ended.
  }
}

// --- the tab alone ----------------------------------------------------------------------------------------

/** What this tab keeps, also when it is loaded again; null where it keeps nothing. */
export function ofThisTab<T>(name: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(`${NAME}-${name}`) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Whether this tab keeps a value, or no longer keeps one. */
export function keepInThisTab(name: string, value: unknown): boolean {
  try {
    if (value === null) sessionStorage.removeItem(`${NAME}-${name}`);
    else sessionStorage.setItem(`${NAME}-${name}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
