/** The button of a practice that gives a hint, also by its key. */

import { made } from "../page/made_elements.ts";
import { HINT_KEY } from "./answer_buttons.ts";
import { text } from "./texts.ts";

export function hintButton(id: string): HTMLButtonElement {
  const button = made("button", { id, type: "button", className: "hint" });
  const key = made("kbd", { textContent: HINT_KEY });
  key.setAttribute("aria-hidden", "true");
  button.append(text("practice.hint"), " ", key);
  button.setAttribute("aria-keyshortcuts", HINT_KEY);
  return button;
}

/** A button that gives no more hints keeps the focus of whoever pressed it. */
export function offerHints(button: HTMLButtonElement, hasMore: boolean): void {
  button.setAttribute("aria-disabled", String(!hasMore));
}
