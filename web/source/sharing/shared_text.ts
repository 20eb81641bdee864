/** Copies a link to what stands here, and opens one: it takes the place of a text that is kept for later. */

import type { ClientDocument, TreewhileClient, Welcome } from "../client/index.ts";
import { copyOrSave } from "../page/exports.ts";
import { FileAnnotations } from "../page/file_annotations.ts";
import { part, replaceText, type Page } from "../page/page_parts.ts";
import { text as pageText } from "../page/texts.ts";
import { linkOf, readLink, type Shared } from "./shared_link.ts";
import { text } from "./texts.ts";

/** The link has neither a token nor the language of the page: these are the sender's. */
export async function copyLink({ client, document: opened }: Page): Promise<void> {
  const model = modelOf(opened, client.welcome);
  const link = linkOf({ text: opened.text, model, part: openPart() }, location.origin + location.pathname);
  if (link === null) tell(text("sharing.long"));
  else tell(pageText((await copyOrSave(link, "link.txt")) ? "exports.copied" : "exports.saved"));
}

export async function openLink(page: Page): Promise<void> {
  const shared = readLink(location.hash);
  if (!shared) return tell(text("sharing.damaged"));
  page.interrupted.emit();
  const isOther = shared.text !== page.document.text;
  const hadText = page.document.text !== "";
  if (isOther && !(await page.keeper.setAside())) return tell(text("sharing.full"));
  history.replaceState(null, "", location.pathname + location.search);
  if (isOther) show(page, shared.text);
  if (isOther && hadText) tellOfKept(page.document);
  else tell(text("sharing.opened"));
  whenWelcomed(page.client, (welcome) => {
    takeModel(page, welcome, shared);
    open(shared.part);
  });
}

function show({ editor }: Page, shared: string): void {
  replaceText(editor, shared, shared.length, FileAnnotations.NONE);
  part("file-told").textContent = "";
}

function tell(told: string): void {
  part("shared").textContent = told;
}

/** Until the text is gone, when the page offers what is kept. */
function tellOfKept(opened: ClientDocument): void {
  tell(text("sharing.kept"));
  const stop = opened.changed.listen(() => {
    if (opened.text) return;
    tell("");
    stop();
  });
}

function whenWelcomed(client: TreewhileClient, take: (welcome: Welcome) => void): void {
  if (client.welcome) return take(client.welcome);
  const stop = client.welcomed.listen((welcome) => {
    stop();
    take(welcome);
  });
}

function modelOf({ model }: ClientDocument, welcome: Welcome | null): string {
  return model ?? welcome?.model ?? "";
}

/** A server without that model parses the text with the one that it has. */
function takeModel({ document: opened, keeper }: Page, welcome: Welcome, { model }: Shared): void {
  if (!welcome.models.includes(model) || model === modelOf(opened, welcome)) return;
  keeper.note({ model });
  opened.useModel(model);
}

// --- parts of the page ------------------------------------------------------------------------------------

/** The id of the first tool that is open; empty where none is. */
function openPart(): string {
  return document.querySelector(".tool[open]")?.id ?? "";
}

/** Opens a tool, or the first one of a section, by its id. */
function open(id: string): void {
  const places = document.querySelectorAll<HTMLElement>(".card[tabindex], .tool");
  const place = [...places].find((one) => one.id === id);
  const tool = place?.matches("details") ? place : place?.querySelector(".tool");
  if (!(tool instanceof HTMLDetailsElement) || !tool.checkVisibility()) return;
  tool.open = true;
  tool.querySelector("summary")?.focus();
  place?.scrollIntoView();
}
