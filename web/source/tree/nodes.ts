/** The nodes and arcs of an analysis, by places from left to right, virtual nodes after the words. */

import type { Head, TreeAnalysis, TreeWord } from "./analysis.ts";

/** What is written of a word. */
export interface WrittenWord {
  readonly form: string;
  readonly tag: string;
  /** Empty where none is known or shown. */
  readonly lemma: string;
}

export interface TreeNode extends WrittenWord {
  readonly id: string;
  readonly isVirtual: boolean;
  /** Takes part in a constraint that is not met. */
  readonly isInConflict: boolean;
  /** Somebody has decided about the tag. */
  readonly isTagFixed: boolean;
  /** Punctuation that stands close by, without its tag and its arc. */
  readonly isFolded: boolean;
}

/** Where an arc comes from: a node by its place, the root, or what is still to come. */
export type Source = number | "root" | "later";

export interface TreeArc {
  /** That of its dependent. */
  readonly id: string;
  readonly dependent: number;
  readonly source: Source;
  readonly label: string;
  /** Does not change any more. */
  readonly isStable: boolean;
  /** How probable it is, from 0 to 1; null where that is not known or not shown. */
  readonly confidence: number | null;
  /** Somebody has decided where it comes from, and what it is called. */
  readonly isFixed: boolean;
  readonly isLabelFixed: boolean;
}

export interface TreeGraph {
  readonly nodes: readonly TreeNode[];
  readonly arcs: readonly TreeArc[];
}

export function graphOf(
  analysis: TreeAnalysis,
  showsLemmas = false,
  showsConfidence = false,
  foldsPunctuation = false,
): TreeGraph {
  const nodes = nodesOf(analysis, showsLemmas, foldsPunctuation);
  const stable = analysis.stable_upto ?? analysis.words.length;
  const virtual = analysis.virtual ?? [];
  const arcs = [...analysis.words, ...virtual].flatMap(({ head, label }, dependent) => {
    const source = sourceOf(head, analysis);
    const id = nodes[dependent]!.id;
    const fixed = analysis.words[dependent]?.fixed ?? [];
    const [isFixed, isLabelFixed] = [fixed.includes("head"), fixed.includes("label")];
    const confidence = showsConfidence ? (analysis.words[dependent]?.confidence ?? null) : null;
    const known = { isStable: dependent < stable, isFixed, isLabelFixed, confidence };
    return source === null || nodes[dependent]!.isFolded
      ? []
      : [{ id, dependent, source, label: label ?? "", ...known }];
  });
  return { nodes, arcs };
}

export function writtenOf({ form, tag = "", lemma }: TreeWord, showsLemmas: boolean): WrittenWord {
  return { form, tag, lemma: (showsLemmas && lemma) || "" };
}

/** Whether words and arcs of both graphs stand at the same places. */
export function hasSamePlaces(one: TreeGraph, other: TreeGraph): boolean {
  const isSameForm = (a: TreeNode, b: TreeNode) => a.form === b.form && a.isFolded === b.isFolded;
  return isSameList(one.nodes, other.nodes, isSameForm) && isSameList(one.arcs, other.arcs, isSameArc);
}

export function isSameNode(one: TreeNode, other: TreeNode): boolean {
  if (one.id !== other.id || one.form !== other.form || one.tag !== other.tag) return false;
  if (one.lemma !== other.lemma) return false;
  if (one.isTagFixed !== other.isTagFixed) return false;
  return one.isVirtual === other.isVirtual && one.isInConflict === other.isInConflict;
}

function isSameArc(one: TreeArc, other: TreeArc): boolean {
  return one.dependent === other.dependent && one.source === other.source && one.label === other.label;
}

function isSameList<T>(one: readonly T[], other: readonly T[], isSame: (one: T, other: T) => boolean): boolean {
  return one.length === other.length && one.every((member, place) => isSame(member, other[place]!));
}

function nodesOf(analysis: TreeAnalysis, showsLemmas: boolean, foldsPunctuation: boolean): TreeNode[] {
  const heads = new Set([...analysis.words, ...(analysis.virtual ?? [])].map(({ head }) => head));
  const conflicting = new Set(analysis.conflicts?.flatMap((conflict) => conflict.words));
  const words = analysis.words.map((word, index) => {
    const isInConflict = conflicting.has(index + 1);
    const id = String(word.id ?? index + 1);
    const isTagFixed = word.fixed?.includes("tag") ?? false;
    const isFolded = foldsPunctuation && word.tag === "PUNCT" && !word.fixed?.length && !heads.has(index + 1);
    const written = { ...writtenOf(word, showsLemmas), ...(isFolded && { tag: "", lemma: "" }) };
    return { id, ...written, isVirtual: false, isInConflict, isTagFixed, isFolded };
  });
  const virtual = (analysis.virtual ?? []).map(({ node, tag }) => {
    const written = { form: tag, tag: "expected", lemma: "" };
    const marks = { isInConflict: false, isTagFixed: false, isFolded: false };
    return { id: `virtual-${node}`, ...written, isVirtual: true, ...marks };
  });
  return [...words, ...virtual];
}

function sourceOf(head: Head, { words, virtual = [] }: TreeAnalysis): Source | null {
  if (head === null) return null;
  if (head === "later") return "later";
  if (head === 0) return "root";
  const place = head > 0 ? head - 1 : virtual.findIndex(({ node }) => node === -head) + words.length;
  return (head > 0 ? place < words.length : place >= words.length) ? place : null;
}
