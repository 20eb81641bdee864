/** Keeps the text in the browser, says so, brings back texts of tabs that are gone, and forgets them on demand. */

import { EditorView } from "@codemirror/view";
import { Text, type Extension } from "@codemirror/state";
import { annotationsOf } from "./annotations_field.ts";
import { restoredDecisions } from "./decisions.ts";
import { FileAnnotations, type KeptFile } from "./file_annotations.ts";
import type { Keeper } from "./keeper.ts";
import { part, replaceText, type Page } from "./page_parts.ts";
import { isReplaying } from "./replaying.ts";
import { SlicedFile } from "./sliced_file.ts";
import type { KeptText } from "./text_store.ts";
import { text } from "./texts.ts";
import { moment } from "../texts/texts.ts";

const SHOWN = 40; // characters of a text that is offered

/** Notes text and cursor as they change, but not what a replay makes of them. */
export function noteText(keeper: Keeper): Extension {
  return EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
    if (isReplaying(state) || !(docChanged || selectionSet)) return;
    const cursor = state.selection.main.head;
    const { places, shown } = annotationsOf(state);
    const part = shown?.part ?? null;
    keeper.note(docChanged ? { text: state.doc.toString(), places, part, cursor } : { cursor });
  });
}

/** The annotations of a text that was kept; none where its file is gone. */
export async function annotationsKept(
  { file, rewritten }: Keeper,
  { text, places, part }: Pick<KeptText, "text" | "places" | "part">,
): Promise<FileAnnotations> {
  const kept = file && (await keptFile(new SlicedFile(file.name, file.blob), rewritten, part).catch(() => null));
  return FileAnnotations.restored(kept, Text.of(text.split("\n")), places);
}

async function keptFile(
  sliced: SlicedFile,
  rewritten: ReadonlyMap<number, string>,
  kept: KeptText["part"],
): Promise<KeptFile | null> {
  const part = kept ?? (await sliced.part(0));
  if (!part) return null;
  const contents = rewritten.get(part.number) ?? (await sliced.textOf(part));
  return { name: sliced.name, contents, shown: { sliced, part, rewritten } };
}

export function keepText({ editor, keeper, interrupted }: Page): void {
  const forget = part<HTMLButtonElement>("forget");
  const bringBack = part<HTMLButtonElement>("bring-back");
  const undo = part<HTMLButtonElement>("undo-forget");
  let happened = keeper.hasEnded ? text("keep.ended") : "";
  const offered = () => (editor.state.doc.length ? undefined : keeper.left[0]);
  const show = () => {
    const kept = offered();
    const isOver = happened === text("keep.ended") ? kept : keeper.isKeeping !== null;
    if (isOver) happened = "";
    tell(`${happened} ${kept ? offerOf(kept) : keptTold(keeper.isKeeping)}`.trim());
    bringBack.hidden = !kept;
    undo.hidden = happened !== text("keep.forgotten");
    forget.hidden = !kept && keeper.isKeeping !== true;
    warnWhenLeaving(keeper);
  };
  keeper.changed.listen(show);
  bringBack.onclick = async () => {
    const taken = await keeper.take(offered()!);
    const { text, cursor, decisions } = taken;
    const annotations = await annotationsKept(keeper, taken);
    replaceText(editor, text, cursor, annotations, restoredDecisions(decisions, text.length));
    show();
  };
  undo.onclick = () => {
    happened = "";
    part("correct-undo").click();
    show();
  };
  forget.onclick = async () => {
    const kept = offered();
    if (kept && !confirm(text("keep.drop.ask"))) return;
    interrupted.emit();
    if (!kept) replaceText(editor, "", 0, FileAnnotations.NONE);
    await (kept ? keeper.drop(kept) : keeper.forget());
    happened = text(kept ? "keep.dropped" : "keep.forgotten");
    show();
    editor.focus(); // where Ctrl+Z is heard
  };
  addEventListener("pagehide", () => {
    interrupted.emit();
    keeper.leave();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && keeper.comeBack());
  show();
}

/** Asked only while something would be lost: pages that always ask are not kept ready for going back. */
function warnWhenLeaving(keeper: Keeper): void {
  if (keeper.isKeeping === false) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

function ask(event: Event): void {
  event.preventDefault();
}

function keptTold(isKeeping: boolean | null): string {
  if (isKeeping === null) return "";
  return text(isKeeping ? "keep.kept" : "keep.not");
}

function offerOf(kept: KeptText): string {
  const line = kept.text.trim().replace(/\s+/g, " ");
  const shown = line.length > SHOWN ? `${line.slice(0, SHOWN).trimEnd()} …` : line;
  return text("keep.from", { time: moment(kept.time), text: shown });
}

function tell(told: string): void {
  const place = part("kept");
  if (place.textContent !== told) place.textContent = told;
}
