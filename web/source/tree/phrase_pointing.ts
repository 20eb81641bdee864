/** The word or the label of a phrase that the pointer or a finger is on. */

import type { Pointed } from "./pointing.ts";

export function pointAtPhrases(svg: SVGSVGElement, tell: (pointed: Pointed | null) => void): void {
  let isTouched = false;
  let shown: Element | null = null;
  const point = (event: Event, by: Pointed["by"]) => {
    const next = (event.target as Element).closest(".word, .label");
    if (next === shown && by === "pointer") return;
    shown = next;
    tell(next && pointedOf(next, by));
  };
  svg.addEventListener("pointerdown", ({ pointerType }) => (isTouched = pointerType === "touch"));
  svg.addEventListener("pointerover", (event) => event.pointerType === "touch" || point(event, "pointer"));
  svg.addEventListener("click", (event) => isTouched && point(event, "touch"));
  svg.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType === "touch") return;
    shown = null;
    tell(null);
  });
}

function pointedOf(element: Element, by: Pointed["by"]): Pointed {
  const box = element.getBoundingClientRect();
  if (element.classList.contains("word")) {
    const number = [...element.parentElement!.children].indexOf(element) + 1;
    return { kind: "word", number, by, box };
  }
  const [phrase = ""] = /^[A-Z]+/.exec(element.textContent ?? "") ?? [];
  return { kind: "phrase", number: 0, phrase, by, box };
}
