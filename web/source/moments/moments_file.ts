/** Moments as a file that others can open, and as a link; what comes from elsewhere is checked. No DOM in it. */

import type { Level, Stage } from "../client/index.ts";
import { MOMENTS_LINK } from "../page/moments_link.ts";
import { MOST_WORDS, ROOM } from "../page/recorded_analyses.ts";
import type { Moment, MomentTree, MomentWord } from "./moments.ts";
import type { MomentKey } from "./texts.ts";

const FORMAT = "treewhile-moments";
const VERSION = 1;
export const MOST_BYTES = 16 * 1024 * 1024;
const MOST_LINK = 8000; // characters, which all programs pass on
const MOST_CHARACTERS = 100_000; // of a text in a moment
const MOST_BROKEN = 500;
const MOST_TIME = 1e9; // milliseconds

const LEVELS: readonly Level[] = ["L0", "L1", "L2"];
const STAGES: readonly Stage[] = ["initial", "improved", "settled", "final"];

/** The moments of a sentence, with the model that made them. */
export interface MomentsFile {
  readonly model: string;
  /** The code of its language; empty where it is not known. */
  readonly language: string;
  readonly moments: readonly Moment[];
}

/** Why a file or a link cannot be shown, as a text with the number of a moment. */
export class UnreadableMoments extends Error {
  constructor(
    readonly reason: MomentKey,
    readonly count = 0,
  ) {
    super(reason);
  }
}

// --- the file ---------------------------------------------------------------------------------------------

export function jsonOf({ model, language, moments }: MomentsFile): string {
  return JSON.stringify({ format: FORMAT, version: VERSION, model, language, moments });
}

export function readMoments(json: string): MomentsFile {
  const file = parsed(json);
  if (file.format !== FORMAT) throw new UnreadableMoments("moments.file.other");
  if (file.version !== VERSION) throw new UnreadableMoments("moments.file.version");
  const { moments } = file;
  if (!Array.isArray(moments) || !moments.length) throw new UnreadableMoments("moments.file.none");
  if (moments.length > ROOM.analyses) throw new UnreadableMoments("moments.file.many");
  let last = 0;
  const read = moments.map((one: unknown, place) => {
    const moment = checkedMoment(one, last);
    if (!moment) throw new UnreadableMoments("moments.file.damaged", place + 1);
    last = moment.time;
    return moment;
  });
  return { model: shortText(file.model), language: languageCode(file.language), moments: read };
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  if (json.length > MOST_BYTES) throw new UnreadableMoments("moments.file.large");
  try {
    return record(JSON.parse(json)) ?? {};
  } catch {
    throw new UnreadableMoments("moments.file.other");
  }
}

function shortText(value: unknown): string {
  return typeof value === "string" ? value.slice(0, 100) : "";
}

function languageCode(value: unknown): string {
  return typeof value === "string" && /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(value) ? value : "";
}

// --- what is checked --------------------------------------------------------------------------------------

/** A moment of nothing but what is known; null where something is missing or cannot be. */
function checkedMoment(value: unknown, least: number): Moment | null {
  const { time, level, stage, text, tree, broken } = record(value) ?? {};
  const checked = checkedTree(tree);
  if (!checked || !isNumber(time, least, MOST_TIME) || !isText(text)) return null;
  if (!isOneOf(LEVELS, level) || !isOneOf(STAGES, stage)) return null;
  const constraints = listOf(broken, MOST_BROKEN, (one) => checkedConstraint(one, checked.words.length));
  return constraints && { time, level, stage, text, tree: checked, broken: constraints };
}

function checkedTree(value: unknown): MomentTree | null {
  const { words, virtual, conflicts, stable_upto: stable } = record(value) ?? {};
  const [own, nodes] = [listOf(words, MOST_WORDS, checkedWord), listOf(virtual, MOST_WORDS, checkedNode)];
  if (!own || !nodes || !isInteger(stable, 0, own.length)) return null;
  const isHead = headsAmong(own.length, new Set(nodes.map(({ node }) => node)));
  if (!areDifferent(own.map(({ id }) => id)) || !areDifferent(nodes.map(({ node }) => node))) return null;
  if (!own.every(({ head }, index) => isHead(head) && head !== index + 1)) return null;
  if (!nodes.every(({ head, node }) => isHead(head) && head !== -node)) return null;
  const marked = listOf(conflicts, MOST_BROKEN, (one) => {
    const numbers = numbersOf(record(one)?.words, own.length);
    return numbers && { words: numbers };
  });
  return marked && { words: own, virtual: nodes, conflicts: marked, stable_upto: stable };
}

function checkedWord(value: unknown): MomentWord | null {
  const { id, form, tag, head, label } = record(value) ?? {};
  if (!isInteger(id, -MOST_TIME, MOST_TIME) || !isText(form) || !isText(tag)) return null;
  return isHead(head) && (label === null || isText(label)) ? { id, form, tag, head, label } : null;
}

function checkedNode(value: unknown): MomentTree["virtual"][number] | null {
  const { node, tag, head, label } = record(value) ?? {};
  if (!isInteger(node, 1, MOST_WORDS) || !isText(tag)) return null;
  return isHead(head) && (label === null || isText(label)) ? { node, tag, head, label } : null;
}

function checkedConstraint(value: unknown, count: number): Moment["broken"][number] | null {
  const { constraint, message, words } = record(value) ?? {};
  const numbers = numbersOf(words, count);
  return numbers && isText(constraint) && isText(message) ? { constraint, message, words: numbers } : null;
}

function numbersOf(value: unknown, most: number): number[] | null {
  return listOf(value, MOST_WORDS, (one) => (isInteger(one, 1, most) ? one : null));
}

/** Whether a head is there, in a tree with some words and nodes. */
function headsAmong(words: number, nodes: ReadonlySet<number>): (head: MomentWord["head"]) => boolean {
  return (head) => typeof head !== "number" || (head <= words && (head >= 0 || nodes.has(-head)));
}

function isHead(value: unknown): value is MomentWord["head"] {
  return value === null || value === "later" || isInteger(value, -MOST_WORDS, MOST_WORDS);
}

function record(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
}

/** A list whose members are all as they should be; null otherwise. */
function listOf<T>(value: unknown, most: number, checked: (one: unknown) => T | null): T[] | null {
  if (!Array.isArray(value) || value.length > most) return null;
  const list = value.flatMap((one) => checked(one) ?? []);
  return list.length === value.length ? (list as T[]) : null;
}

function areDifferent(values: readonly number[]): boolean {
  return new Set(values).size === values.length;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= MOST_CHARACTERS;
}

function isNumber(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && least <= value && value <= most;
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return isNumber(value, least, most) && Number.isInteger(value);
}

function isOneOf<T>(all: readonly T[], value: unknown): value is T {
  return all.includes(value as T);
}

// --- the link ---------------------------------------------------------------------------------------------

/** An address that carries the file behind its #, which no browser sends to a server; null where it is too long. */
export async function linkOf(file: MomentsFile, address: string): Promise<string | null> {
  const bytes = await allOf(new Blob([jsonOf(file)]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  const link = `${address}${MOMENTS_LINK}${base64Of(bytes)}`;
  return link.length < MOST_LINK ? link : null;
}

/** The file in the part of an address from # on; null where there is none. */
export async function readLink(hash: string): Promise<MomentsFile | null> {
  if (!hash.startsWith(MOMENTS_LINK)) return null;
  return readMoments(new TextDecoder().decode(await unpacked(hash.slice(MOMENTS_LINK.length))));
}

async function unpacked(base64: string): Promise<Uint8Array> {
  try {
    const stream = new Blob([bytesOf(base64)]).stream();
    return await allOf(stream.pipeThrough(new DecompressionStream("deflate-raw")));
  } catch (error) {
    throw error instanceof UnreadableMoments ? error : new UnreadableMoments("moments.link.damaged");
  }
}

/** All bytes of a stream, of which there may be far more than it seems. */
async function allOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > MOST_BYTES) {
      await reader.cancel();
      throw new UnreadableMoments("moments.file.large");
    }
    parts.push(value as Uint8Array<ArrayBuffer>);
  }
}

function base64Of(bytes: Uint8Array): string {
  const letters = bytes.reduce((text, byte) => text + String.fromCharCode(byte), "");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const letters = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}
