/** Explains words and arcs of all trees of the page: by a card beside them, and in words for those who hear them. */

import type { AlternativeView } from "../client/index.ts";
import { glossary } from "../glossary/glossary.ts";
import { DepTree, PhraseTree, type PartPointed, type Pointed } from "../tree/index.ts";
import { part, type CurrentSentence, type Page } from "./page_parts.ts";
import { text } from "./texts.ts";

const REST = 250; // milliseconds that a pointer rests on something before a card comes, and that a card stays behind
const GAP = 8; // px

export function explainParts(page: Page): void {
  let now: CurrentSentence | null = null;
  page.current.listen((next) => (now = next));
  const card = part("explained");
  let timer = 0;
  let wanted: Pointed | null = null;
  const soon = (act: () => void, wait: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(act, wait);
  };
  const hide = () => {
    clearTimeout(timer);
    card.hidden = true;
  };
  document.addEventListener("partpointed", (event) => {
    const { detail: pointed, target: tree } = event as PartPointed;
    if (!isTree(tree)) return;
    const isInTheWay = tree instanceof DepTree && tree.isHinted;
    wanted = isInTheWay ? null : pointed;
    if (isInTheWay) return hide();
    if (!pointed) return card.matches(":hover") ? undefined : soon(hide, REST);
    const isResting = pointed.by === "pointer" && card.hidden;
    const show = async () => {
      const cards = await loaded().catch(() => null);
      if (wanted !== pointed) return;
      explain(card, tree, pointed, cards);
      const others = tree.id === "tree" && cards ? await cards.alternativesTo(page, now, pointed) : [];
      if (others.length && wanted === pointed && !card.hidden) explain(card, tree, pointed, cards, others);
    };
    soon(() => void show(), isResting ? REST : 0);
  });
  card.addEventListener("pointerenter", () => clearTimeout(timer));
  card.addEventListener("pointerleave", () => soon(hide, REST));
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  document.addEventListener("pointerdown", (event) => {
    const path = event.composedPath();
    const isExplained = event.pointerType === "touch" && path.some(isTree);
    if (!path.includes(card) && !isExplained) hide(); // a mouse may begin to drag a word, over what the card covers
  });
}

/** What explains, which is loaded when something is first pointed at. */
async function loaded() {
  const [known, cards, { alternativesTo }] = await Promise.all([
    glossary(),
    import("./explanation_card.ts"),
    import("./alternatives.ts"),
  ]);
  return { known, ...cards, alternativesTo };
}

type Loaded = Awaited<ReturnType<typeof loaded>>;

function isTree(one: unknown): one is DepTree | PhraseTree {
  return one instanceof DepTree || one instanceof PhraseTree;
}

function explain(
  card: HTMLElement,
  tree: DepTree | PhraseTree,
  pointed: Pointed,
  cards: Loaded | null,
  others: readonly AlternativeView[] = [],
): void {
  const explanation = cards?.explanationOf(pointed, tree.analysis, cards.known, others);
  if (cards && explanation) {
    if (tree instanceof DepTree) tree.describePointed(cards.toldOf(explanation));
    cards.fillCard(card, explanation, tree.lang);
  } else card.textContent = text("card.unavailable");
  placeBeside(card, pointed);
}

/**
 * Below a word or above an arc, where there is room, or else at a side, so that what is pointed at stays in sight, over
 * arcs rather than over words, which may be dragged; and below the buttons of correction rather than over them.
 */
function placeBeside(card: HTMLElement, { kind, box }: Pointed): void {
  card.hidden = false;
  const { width, height } = card.getBoundingClientRect();
  const [right, bottom] = [document.documentElement.clientWidth - width - GAP, innerHeight - height - GAP];
  const buttons = part("correction").getBoundingClientRect();
  const isOver = box.bottom <= buttons.top && box.bottom + GAP + height > buttons.top;
  const [above, below] = [box.top - GAP - height, (isOver ? buttons.bottom : box.bottom) + GAP];
  const isAbove = kind !== "word" && above >= GAP;
  const side = box.right + GAP <= right ? box.right + GAP : box.left - GAP - width;
  const isBeside = !isAbove && below > bottom && side >= GAP;
  const top = isBeside ? Math.max(GAP, Math.min(bottom, box.top - height)) : isAbove ? above : below;
  const left = isBeside ? side : Math.max(GAP, Math.min(box.left, right));
  card.style.top = `${top + scrollY}px`;
  card.style.left = `${left + scrollX}px`;
}
