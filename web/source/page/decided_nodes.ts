/** What somebody has decided about the words of a piece, over what a file or the parser says of them. */

import { TAG } from "./conllu_files.ts";
import type { Anchor, Decisions } from "./decisions.ts";
import type { Node, Segment } from "./segments.ts";

type Token = Pick<Segment, "from" | "to" | "nodes">;

/** Gives nodes the heads, labels and tags that are decided, but for a head that would close a circle. */
export function decideNodes(tokens: readonly Token[], decisions: Decisions): void {
  if (!decisions.length) return;
  const nodes = new Map(
    tokens.flatMap(({ from, to, nodes }) => nodes.map((node, place) => [key({ from, to, place }), node])),
  );
  const decided = decisions.flatMap((decision) => {
    const node = nodes.get(key(decision));
    const head = decision.head && decision.head !== "root" ? nodes.get(key(decision.head)) : decision.head;
    return node ? [{ node, head: head ?? null, before: node.head, label: decision.label, tag: decision.tag }] : [];
  });
  // others may be in the way only until they are moved themselves
  for (const { node, head } of decided) if (head) node.head = null;
  for (const { node, head, before, label, tag } of decided) {
    const isHeadFixed = head !== null && (head === "root" || !isAbove(node, head));
    if (isHeadFixed) attach(node, head);
    else node.head = before;
    if (label !== null) node.label = label;
    if (tag !== null) node.columns = node.columns.map((column, place) => (place === TAG ? tag : column));
    node.fixed = [
      ...(isHeadFixed ? (["head"] as const) : []),
      ...(label === null ? [] : (["label"] as const)),
      ...(tag === null ? [] : (["tag"] as const)),
    ];
  }
}

/** Only the root's child is called root: others wait for a label. */
function attach(node: Node, head: Node | "root"): void {
  node.head = head;
  if (head === "root") node.label = "root";
  else if (node.label === "root") node.label = "dep";
}

/** Whether a node is above another one, or is that. */
function isAbove(node: Node, below: Node): boolean {
  const seen = new Set<Node>();
  for (let at: Node["head"] = below; at && at !== "root" && !seen.has(at); at = at.head) {
    if (at === node) return true;
    seen.add(at);
  }
  return false;
}

function key({ from, to, place }: Anchor): string {
  return `${from} ${to} ${place}`;
}
