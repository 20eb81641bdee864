/** Whether the last sentence has ended: a mark at the cursor, on demand, and the same in words. */

import { setEnds, type Ends } from "../extension/index.ts";
import { whenModelIsKnown } from "./languages.ts";
import { part, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";
import { percent } from "../texts/texts.ts";

export function markEnds({ client, document, editor, keeper, streams }: Page): void {
  const choice = part<HTMLInputElement>("ends");
  let isKnown = false;
  const show = (ends: Ends | null) => {
    editor.dispatch({ effects: setEnds.of(ends) });
    tell(ends ? told(ends) : "");
  };
  const change = () => {
    const isWanted = isKnown && choice.checked;
    streams.wantCompleteness(isWanted);
    if (!isWanted) show(null);
  };
  choice.onchange = () => {
    keeper.note({ marksEnds: choice.checked });
    change();
  };
  whenModelIsKnown(client, document, ({ abilities }, model) => {
    isKnown = abilities[model]?.includes("completeness") ?? false;
    part("ends-choice").hidden = !isKnown;
    change();
  });
  document.completeness.listen((message) => isKnown && choice.checked && show(message));
}

/** For those who ask for it: nothing announces it. */
function tell(text: string): void {
  part("ends-told").textContent = text;
  part("ends-choice").title = text;
}

function told({ may_end, ends }: Ends): string {
  return text("ends.told", { may: percent(may_end), has: percent(ends) });
}
