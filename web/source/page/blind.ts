/** A way to decide without being led: what the parser has found is hidden until somebody has decided, or wants to see it. */

import { Signal } from "../client/index.ts";
import type { TreeAnalysis, TreeWord } from "../tree/index.ts";
import type { AnnotatedSentence } from "./annotated_sentences.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { treeOf } from "./tree_of_sentence.ts";
import { text } from "./texts.ts";

export class Blind {
  readonly changed = new Signal<void>();
  /** Sentences that are shown on demand, by their first words. */
  private readonly shown = new Set<number | undefined>();

  constructor(private on: boolean) {}

  get isOn(): boolean {
    return this.on;
  }

  turn(isOn: boolean): void {
    this.on = isOn;
    this.shown.clear();
    this.changed.emit();
  }

  /** Shows a sentence that is hidden, or hides it again. */
  turnSentence({ tree }: AnnotatedSentence): void {
    const id = tree.words[0]?.id;
    if (!this.shown.delete(id)) this.shown.add(id);
    this.changed.emit();
  }

  hides({ tree }: AnnotatedSentence): boolean {
    return this.on && !this.shown.has(tree.words[0]?.id);
  }

  /** What may be drawn of a sentence. */
  treeOf(annotated: AnnotatedSentence): TreeAnalysis {
    const tree = treeOf(annotated.tree);
    if (!this.hides(annotated)) return tree;
    const words = tree.words.map((word, index) => (annotated.isParsed(index + 1) ? veiled(word) : word));
    return { ...tree, words, virtual: [], conflicts: [], constituents: [] };
  }
}

/** A word with what somebody has decided of it, and no more. */
function veiled({ confidence: _, head, label, ...word }: TreeWord): TreeWord {
  const isHeadFixed = word.fixed?.includes("head") ?? false;
  const isLabelFixed = word.fixed?.includes("label") || (isHeadFixed && head === 0);
  return { ...word, head: isHeadFixed ? head : null, label: isLabelFixed ? label : null };
}

export function offerBlind({ current, source, keeper }: Page): void {
  const { blind } = source;
  const choice = part<HTMLInputElement>("blind");
  const button = part("unveil");
  let now: CurrentSentence | null = null;
  const show = () => {
    const annotated = now && source.of(now);
    choice.checked = blind.isOn;
    document.body.classList.toggle("blind", blind.isOn);
    button.hidden = !blind.isOn || !annotated;
    button.textContent = annotated && text(blind.hides(annotated) ? "blind.show" : "blind.hide");
  };
  current.listen((next) => {
    now = next;
    show();
  });
  source.changed.listen(show);
  choice.onchange = () => {
    keeper.note({ blind: choice.checked });
    blind.turn(choice.checked);
  };
  button.onclick = () => {
    const annotated = now && source.of(now);
    if (annotated) blind.turnSentence(annotated);
  };
  show();
}
