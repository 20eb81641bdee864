/** The committed parse beside the best one, on demand: a second document with the same text that stays at level L0. */

import { sentenceAt, type ClientDocument, type PlacedSentence } from "../client/index.ts";
import type { DepTree } from "../tree/index.ts";
import { part, type Page } from "./page_parts.ts";
import { treeOf } from "./tree_of_sentence.ts";

export function compareCommitted({ client, document, current }: Page): void {
  const details = part<HTMLDetailsElement>("comparison");
  let committed: ClientDocument | null = null;
  let [opened, frame, cursor] = [0, 0, 0];
  let best: PlacedSentence | null = null;
  const draw = () => {
    frame = 0;
    if (committed) show(sentenceAt(committed.sentences, cursor), best);
  };
  const drawSoon = () => {
    if (committed) frame ||= requestAnimationFrame(draw);
  };
  details.ontoggle = () => {
    committed?.close();
    committed = details.open ? client.open(`committed-${++opened}`, document.text, { levels: ["L0"] }) : null;
    committed?.changed.listen(drawSoon);
    drawSoon();
  };
  document.changed.listen(() => {
    if (committed && committed.text !== document.text) committed.replaceText(document.text);
  });
  current.listen((now) => {
    [best, cursor] = [now.sentence, now.cursor];
    drawSoon();
  });
}

function show(committed: PlacedSentence | null, best: PlacedSentence | null): void {
  for (const [id, sentence] of Object.entries({ "committed-tree": committed, "best-tree": best }))
    part<DepTree>(id).analysis = sentence ? treeOf(sentence) : { words: [] };
  part("comparison-told").textContent = told(committed, best);
}

function told(committed: PlacedSentence | null, best: PlacedSentence | null): string {
  if (!committed || !best) return "Type a sentence first.";
  const others = best.analysis.words.filter(({ head, label }, place) => {
    const word = committed.analysis.words[place];
    return word?.head !== head || word.label !== label;
  });
  if (!others.length) return "Both parses are the same.";
  const forms = others.slice(0, 8).map((word) => word.form);
  return `${others.length} of ${best.words.length} words hang elsewhere or otherwise: ${forms.join(", ")}${others.length > 8 ? " and more" : ""}.`;
}
