/**
 * What is wrong with the tree as somebody corrects it, as a list under it; each line leads to its word. The rules are
 * loaded when there is first a tree for them.
 */

import { withQuotes } from "../extension/index.ts";
import type { DepTree } from "../tree/index.ts";
import type { Fault } from "./label_rules.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

export function validateTrees({ current, source, view }: Page): void {
  const list = part("faults");
  const tree = part<DepTree>("tree");
  let now: CurrentSentence | null = null;
  let shown: readonly Fault[] = [];
  let rules: typeof import("./tree_faults.ts") | null = null;
  let loading: Promise<void> | null = null;
  const load = async () => {
    try {
      rules = await import("./tree_faults.ts");
      show();
    } catch {
      tell(text("late.failed"));
    }
  };
  const faultsShown = () => {
    if (!rules) loading ??= load();
    return rules?.faultsOf(tree.analysis.words.map(wordOf)) ?? [];
  };
  list.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("button");
    const [number] = shown[Number(button?.dataset.place)]?.words ?? [];
    if (number === undefined) return;
    tree.chooseWord(number);
    tree.focusWord(number);
  });
  const show = () => {
    const isCorrected = now !== null && isBySomebody(now) && !source.isParsers && view.shown === "dependencies";
    const faults = isCorrected ? faultsShown() : [];
    const isSame = faults.length === shown.length && faults.every(({ told }, place) => told === shown[place]!.told);
    shown = faults;
    if (isSame) return;
    list.replaceChildren(...faults.map(itemOf));
    tell(faults.length ? text("rules.broken", { count: faults.length }) : "");
  };
  current.listen((next) => {
    now = next;
    show();
  });
  source.changed.listen(show);
}

function tell(told: string): void {
  part("faults-told").textContent = told;
  part("faults-told").hidden = !told;
}

/** Whether a file or somebody here has decided about the tree; a parser's is told of elsewhere. */
function isBySomebody({ annotated }: CurrentSentence): boolean {
  return annotated !== null && (annotated.ofFile !== null || annotated.isEdited);
}

function wordOf({ form, head, label, tag, features }: DepTree["analysis"]["words"][number]) {
  return {
    form,
    head: typeof head === "number" ? head : null,
    label: label ?? "",
    tag: tag ?? "",
    features: features ?? "_",
  };
}

function itemOf({ told }: Fault, place: number): HTMLLIElement {
  const item = document.createElement("li");
  const button = Object.assign(document.createElement("button"), { type: "button" });
  button.append(...withQuotes(told));
  button.dataset.place = String(place);
  item.append(button);
  return item;
}
