/** What the browser keeps of texts: a database that outlives the browser, and what belongs to one tab alone. */

import type { OptionChanges } from "../client/index.ts";
import type { KeptDecision } from "./decisions.ts";
import type { KeptPlace } from "./file_annotations.ts";
import type { ChosenManner } from "./tree_manner.ts";
import { inBrowser, inTab } from "./kept_strings.ts";
import type { FilePart } from "./sliced_file.ts";

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
  /** Whether what the parser has found is hidden. */
  readonly blind?: boolean;
  /** How the tree is laid out, as far as somebody has chosen that. */
  readonly manner?: ChosenManner;
  /** Where the sentences of the file that was opened stand. */
  readonly places?: readonly KeptPlace[];
  /** The part of that file that is shown. */
  readonly part?: FilePart | null;
  /** What is decided about words. */
  readonly decisions?: readonly KeptDecision[];
  /** When it was kept, in milliseconds since 1970. */
  readonly time: number;
}

/** A file that was opened, as it was. */
export interface OpenedFile {
  readonly name: string;
  readonly blob: Blob;
}

/** What parts of a file have become, by their numbers; null for one that is as it was. */
export type ChangedParts = ReadonlyMap<number, string | null>;

type Table = "texts" | "files";

const NAME = "treewhile";
const TABLES: Table[] = ["texts", "files"];
const PATIENCE = 1500; // milliseconds, for a database that never opens

/** The database of an origin; every method fails where the browser does not keep anything. */
export class TextStore {
  private readonly database = openDatabase();

  texts(): Promise<KeptText[]> {
    return this.done("texts", "readonly", (table) => table.getAll() as IDBRequest<KeptText[]>);
  }

  /** Text and parts are written together or not at all. */
  async put(text: KeptText, parts: ChangedParts): Promise<void> {
    await this.written((texts, files) => {
      texts.put(text, text.id);
      for (const [number, contents] of parts) {
        if (contents === null) files.delete(keyOfPart(text.id, number));
        else files.put(contents, keyOfPart(text.id, number));
      }
    });
  }

  fileOf(id: string): Promise<OpenedFile | undefined> {
    return this.done("files", "readonly", (table) => table.get(id) as IDBRequest<OpenedFile | undefined>);
  }

  /** The parts of a file that are no longer as they were. */
  async partsOf(id: string): Promise<Map<number, string>> {
    const keys = await this.done("files", "readonly", (table) => table.getAllKeys(partsWithin(id)));
    const contents = await this.done("files", "readonly", (table) => table.getAll(partsWithin(id)));
    return new Map(keys.map((key, index) => [Number(String(key).split("/")[1]), contents[index] as string]));
  }

  /** A file takes the place of the one before, and of its parts. */
  async putFile(id: string, file: OpenedFile): Promise<void> {
    await this.written((_, files) => {
      files.delete(partsWithin(id));
      files.put(file, id);
    });
  }

  async remove(id: string): Promise<void> {
    await this.written((texts, files) => {
      for (const table of [texts, files]) table.delete(id);
      files.delete(partsWithin(id));
    });
  }

  private async written(write: (texts: IDBObjectStore, files: IDBObjectStore) => void): Promise<void> {
    const transaction = (await this.database).transaction(TABLES, "readwrite");
    write(transaction.objectStore("texts"), transaction.objectStore("files"));
    await ended(transaction);
  }

  /** What a request gives, once its transaction is over. */
  private async done<T>(
    name: Table,
    mode: IDBTransactionMode,
    ask: (table: IDBObjectStore) => IDBRequest<T>,
  ): Promise<T> {
    const transaction = (await this.database).transaction(name, mode);
    const request = ask(transaction.objectStore(name));
    await ended(transaction);
    return request.result;
  }
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = transaction.onerror = () => reject(transaction.error);
  });
}

function keyOfPart(id: string, number: number): string {
  return `${id}/${number}`;
}

function partsWithin(id: string): IDBKeyRange {
  return IDBKeyRange.bound(`${id}/`, `${id}0`, false, true); // "0" comes behind "/"
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
  return inBrowser.get(`${NAME}-left-${id}`) !== null;
}

/** Where nothing can be noted, what was left is brought back as if it had ended. */
export function noteLeft(id: string, isLeft: boolean): void {
  inBrowser.set(`${NAME}-left-${id}`, isLeft ? "" : null);
}

// --- the tab alone ----------------------------------------------------------------------------------------

/** What this tab keeps, also when it is loaded again; null where it keeps nothing. */
export function ofThisTab<T>(name: string): T | null {
  try {
    return JSON.parse(inTab.get(`${NAME}-${name}`) ?? "null") as T | null;
  } catch {
    return null;
  }
}

/** Whether this tab keeps a value, or no longer keeps one. */
export function keepInThisTab(name: string, value: unknown): boolean {
  return inTab.set(`${NAME}-${name}`, value === null ? null : JSON.stringify(value));
}
