/** The elements of the part that shows moments. */

import { adoptStyle, buttonOf, labelled, made, row, treeOf } from "../page/made_elements.ts";
import { text } from "./texts.ts";

const SPEEDS = [1, 2, 5, 20];

export class MomentElements {
  /** What is told of files and links. */
  readonly news = made("p", { id: "moments-news", className: "told", role: "status" });
  readonly none = made("p", { id: "moments-none", className: "told", textContent: text("moments.none") });
  readonly tree = treeOf("moments-tree");
  readonly sentence = made("p", { id: "moments-sentence", className: "told", dir: "auto" });
  readonly slider = sliderOf("moments-slider");
  readonly earlier = buttonOf("moments-earlier", text("moments.earlier"));
  readonly play = buttonOf("moments-play", text("moments.play"));
  readonly later = buttonOf("moments-later", text("moments.later"));
  readonly speed = made("select", { id: "moments-speed" });
  readonly told = made("p", { id: "moments-at", className: "told", role: "status" });
  readonly compares = made("input", { id: "moments-compares", type: "checkbox" });
  readonly other = sliderOf("moments-other");
  readonly otherTold = made("p", { id: "moments-other-at", className: "told", role: "status" });
  readonly otherTree = treeOf("moments-other-tree");
  readonly comparison = made("div", { id: "moments-comparison", hidden: true });
  readonly summary = made("p", { id: "moments-summary", className: "told" });
  readonly changes = made("ul", { id: "moments-changes" });
  readonly back = buttonOf("moments-back", text("moments.back"));
  readonly save = buttonOf("moments-save", text("moments.save"));
  readonly open = buttonOf("moments-open", text("moments.open"));
  readonly link = buttonOf("moments-link", text("moments.link"));
  readonly svg = buttonOf("moments-svg", text("moments.svg"));
  readonly file = made("input", { id: "moments-file", type: "file", accept: ".json", hidden: true });
  /** All that needs a moment. */
  private readonly frame = made("div", { id: "moments-frame" });

  constructor(details: HTMLElement) {
    this.speed.append(...SPEEDS.map((speed) => new Option(speedTold(speed), String(speed))));
    this.file.setAttribute("aria-label", text("moments.file"));
    const heading = made("h4", { id: "moments-changes-heading", textContent: text("moments.changes") });
    this.changes.setAttribute("aria-labelledby", heading.id);
    this.comparison.append(fieldOf(text("moments.other"), this.other), this.otherTold, this.otherTree);
    this.frame.append(
      this.tree,
      this.sentence,
      fieldOf(text("moments.slider"), this.slider),
      this.told,
      row(this.earlier, this.play, this.later, labelled(text("moments.speed"), this.speed), this.compareChoice),
      this.comparison,
      heading,
      this.summary,
      this.changes,
    );
    this.link.hidden = true;
    adoptStyle(STYLE);
    details.append(
      this.news,
      this.none,
      this.frame,
      row(this.save, this.link, this.svg, this.open, this.back, this.file),
    );
  }

  /** Without moments there is nothing but files to open. */
  showFrame(isShown: boolean): void {
    this.frame.hidden = !isShown;
    this.none.hidden = isShown;
    for (const button of [this.save, this.svg]) button.hidden = !isShown;
  }

  private get compareChoice(): HTMLLabelElement {
    const choice = made("label", {});
    choice.append(this.compares, ` ${text("moments.compare")}`);
    return choice;
  }
}

const STYLE = `
#moments .row { column-gap: 0.75rem; }
#moments .row > label { display: inline-flex; align-items: center; gap: 0.375rem; min-height: 2.75rem; }
#moments :is(input[type="range"], select, button) { min-height: 2.75rem; }
#moments-sentence { overflow-wrap: anywhere; min-height: 1.5em; }
#moments-changes { margin: 0.25rem 0 0; padding-inline-start: 1.25rem; font-size: 0.9rem; overflow-wrap: anywhere; }
#moments-frame h4 { margin-top: 0.75rem; }
`;

function sliderOf(id: string): HTMLInputElement {
  return made("input", { id, type: "range", min: "0", step: "1" });
}

function fieldOf(name: string, field: HTMLElement): HTMLLabelElement {
  return Object.assign(labelled(name, field), { className: "field" });
}

function speedTold(speed: number): string {
  return speed === 1 ? text("moments.speed.own") : text("moments.speed.times", { times: speed });
}
