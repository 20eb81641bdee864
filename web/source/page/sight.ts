/**
 * Keeps the text and its tree in sight together while one types: both are as high as what a keyboard leaves of the
 * window allows, and the page is scrolled to them where they are not in it.
 */

import { EditorView } from "@codemirror/view";
import { StateEffect } from "@codemirror/state";
import { part, type Page } from "./page_parts.ts";

const LOW = 640; // px, of what is seen
const LOWEST = 300;
const PAUSE = 100; // milliseconds
const GAP = 4; // px

export function keepInSight({ editor }: Page): void {
  let timer = 0;
  const lookSoon = () => (timer ||= window.setTimeout(look, PAUSE));
  const look = () => {
    timer = 0;
    if (editor.hasFocus) scrollToDesk();
  };
  const measure = () => {
    showHeight();
    if (editor.hasFocus) lookSoon();
  };
  visualViewport?.addEventListener("resize", measure);
  const typed = EditorView.updateListener.of(({ docChanged, focusChanged }) => {
    if (docChanged || focusChanged) lookSoon();
  });
  editor.dispatch({ effects: StateEffect.appendConfig.of(typed) });
  showHeight();
}

/** Of the window without a keyboard that lies over it; magnified pages are as high as they were. */
function heightSeen(): number {
  return visualViewport ? visualViewport.height * visualViewport.scale : innerHeight;
}

function isLow(): boolean {
  return heightSeen() < LOW;
}

function showHeight(): void {
  const { style, classList } = document.documentElement;
  style.setProperty("--seen", `${Math.round(heightSeen())}px`);
  classList.toggle("low", isLow());
  classList.toggle("lowest", heightSeen() < LOWEST);
}

/**
 * Unless the text and its tree are in sight already, or somebody has scrolled away from them to what comes after, in a
 * window that has room for that.
 */
function scrollToDesk(): void {
  const { top } = part("write").getBoundingClientRect();
  const bottom = Math.max(...["editor", "tree-box"].map((id) => part(id).getBoundingClientRect().bottom));
  const from = visualViewport?.offsetTop ?? 0;
  const isAbove = top < from;
  if (isAbove ? isLow() : bottom > from + heightSeen()) scrollBy({ top: top - from - GAP, behavior: "instant" });
}
