/** CoNLL-U that is dropped onto the page, or pasted or dropped into its text, and is opened as a file is. */

import { isConllu } from "./conllu_beginning.ts";
import { whenDropped } from "./dropped_files.ts";

const LOOKED_AT = 1 << 16; // bytes
const IS_CONLLU = /\.conllu?$/i;
const MAY_BE_CONLLU = /\.(txt|tsv)$/i;

/** What has come as text has no name. */
type Open = (file: Blob, name?: string) => void;

/** Has files and texts opened; all that is no CoNLL-U goes into the text as ever. */
export function takeArriving(content: HTMLElement, open: Open): void {
  whenDropped((file, event) => {
    if (IS_CONLLU.test(file.name) || !isIn(content, event)) open(file, file.name);
    else if (MAY_BE_CONLLU.test(file.name)) void openOrDrop(file, content, event, open);
    else return false;
    return true;
  });
  for (const kind of ["paste", "drop"] as const)
    content.addEventListener(kind, (event) => takeTransferred(event, open), { capture: true });
}

function takeTransferred(event: ClipboardEvent | DragEvent, open: Open): void {
  const data = "clipboardData" in event ? event.clipboardData : event.dataTransfer;
  const [file] = data?.files ?? [];
  const text = file ? "" : (data?.getData("text/plain") ?? "");
  if (file ? !IS_CONLLU.test(file.name) : !isConllu(text)) return;
  event.preventDefault();
  event.stopPropagation();
  if (file) open(file, file.name);
  else open(new Blob([text]));
}

/** A file that is none is dropped anew as text. */
async function openOrDrop(file: File, content: HTMLElement, at: DragEvent, open: Open): Promise<void> {
  if (isConllu(await file.slice(0, LOOKED_AT).text())) return open(file, file.name);
  const dataTransfer = new DataTransfer();
  dataTransfer.setData("text/plain", await file.text());
  const { clientX, clientY } = at;
  content.dispatchEvent(new DragEvent("drop", { dataTransfer, clientX, clientY, cancelable: true }));
}

function isIn(content: HTMLElement, event: Event): boolean {
  return event.composedPath().includes(content);
}
