/** Trees as pictures: an SVG file that stands alone, and a drawing on a canvas. */

import type { Colours } from "./colours.ts";
import { FORM_Y, labelY, LEMMA_Y, TAG_Y } from "./drawing.ts";
import { NAME_DROP, type EndName } from "./end_names.ts";
import type { TreeLayout } from "./layout.ts";
import type { TreeGraph, WrittenWord } from "./nodes.ts";
import { OPEN_MARK, type PhraseLayout } from "./phrase_layout.ts";
import { ARROW, arcPath } from "./shapes.ts";
import { FONTS } from "./style.ts";
import { LINE_WIDTH, lineWidthOf } from "./sureness.ts";

const MARGIN = 12;
const DASHES = [4, 3.5];

/** All that a picture consists of. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly lines: readonly Line[];
  readonly writings: readonly Writing[];
  readonly background: string;
  readonly fontFamily: string;
}

interface Line {
  readonly path: string;
  /** How far down its coordinates begin. */
  readonly y: number;
  readonly colour: string;
  readonly isDashed: boolean;
  readonly width: number;
  /** Where its arrow is, if it has one. */
  readonly arrow: number | null;
}

interface Writing {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight: number;
  readonly colour: string;
  /** On a line, which shows only beside it. */
  readonly isOnLine: boolean;
}

// --- SVG --------------------------------------------------------------------------------------------------

export function svgOf(picture: Picture): string {
  const { background, fontFamily } = picture;
  const [width, height] = [picture.width + 2 * MARGIN, picture.height + 2 * MARGIN];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" font-family="${escaped(fontFamily)}" text-anchor="middle">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="${background}"/>`,
    ...picture.lines.map(svgLine),
    ...picture.writings.map((writing) => svgText(writing, background)),
    "</svg>",
  ].join("\n");
}

function svgLine({ path, y, colour, isDashed, width, arrow }: Line): string {
  const dashes = isDashed ? ` stroke-dasharray="${DASHES.join(" ")}"` : "";
  const line = `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${width}"${dashes}/>`;
  const head = arrow === null ? "" : `<path d="${ARROW}" transform="translate(${arrow} 0)" fill="${colour}"/>`;
  return `<g transform="translate(0 ${y})">${line}${head}</g>`;
}

function svgText({ text, x, y, size, weight, colour, isOnLine }: Writing, background: string): string {
  const halo = isOnLine ? ` paint-order="stroke" stroke="${background}" stroke-width="5" stroke-linejoin="round"` : "";
  return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}"${halo}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

// --- canvas -----------------------------------------------------------------------------------------------

/** The picture as a file of pixels, scaled. */
export function pngOf(picture: Picture, scale: number): Promise<Blob> {
  const canvas = canvasOf(picture, scale);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large"))), "image/png");
  });
}

function canvasOf(picture: Picture, scale: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil((picture.width + 2 * MARGIN) * scale);
  canvas.height = Math.ceil((picture.height + 2 * MARGIN) * scale);
  const context = canvas.getContext("2d")!;
  context.fillStyle = picture.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
  for (const line of picture.lines) paintLine(context, line);
  for (const writing of picture.writings) paintText(context, writing, picture);
  return canvas;
}

function paintLine(context: CanvasRenderingContext2D, { path, y, colour, isDashed, width, arrow }: Line): void {
  context.save();
  context.translate(0, y);
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = width;
  context.setLineDash(isDashed ? DASHES : []);
  context.stroke(new Path2D(path));
  context.translate(arrow ?? 0, 0);
  if (arrow !== null) context.fill(new Path2D(ARROW));
  context.restore();
}

function paintText(context: CanvasRenderingContext2D, writing: Writing, picture: Picture): void {
  context.font = `${writing.weight} ${writing.size}px ${picture.fontFamily}`;
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = 5;
  context.strokeStyle = picture.background;
  context.fillStyle = writing.colour;
  if (writing.isOnLine) context.strokeText(writing.text, writing.x, writing.y);
  context.fillText(writing.text, writing.x, writing.y);
}

// --- what is on them --------------------------------------------------------------------------------------

/** A tree of arcs, with the names of words where arcs leave their rows. */
export function pictureOfArcs(
  graph: TreeGraph,
  layout: TreeLayout,
  names: readonly EndName[],
  colours: Colours,
  fontFamily: string,
): Picture {
  const colourOf = (isStable: boolean) => (isStable ? colours.stable : colours.provisional);
  const lines = layout.parts.map((part) => {
    const arc = graph.arcs[part.arc]!;
    const { isStable } = arc;
    const y = layout.rows[part.row]!.y;
    return {
      path: arcPath(part),
      y,
      colour: colourOf(isStable),
      isDashed: !isStable,
      width: lineWidthOf(arc),
      arrow: part.arrow,
    };
  });
  const words = graph.nodes.flatMap((node, place) => {
    const { row, x } = layout.nodes[place]!;
    const [ink, tag] = node.isVirtual ? [colours.ghost, colours.ghost] : [colours.ink, colours.tag];
    return wordWritings(node, x, layout.rows[row]!.y, ink, tag);
  });
  const labels = layout.parts.flatMap((part) => {
    const { isStable, label } = graph.arcs[part.arc]!;
    const place = { x: part.label ?? 0, y: layout.rows[part.row]!.y + labelY(part) };
    return part.label === null ? [] : [labelWriting(label, place, colourOf(isStable))];
  });
  const beyond = names.map(({ text, x, y, isStable }) => {
    return { text, x, y: y + NAME_DROP, ...FONTS.name, colour: colourOf(isStable), isOnLine: true };
  });
  const writings = [...words, ...labels, ...beyond];
  const { width, height } = layout;
  return { width, height, lines, writings, background: colours.background, fontFamily };
}

/** Phrases over words. */
export function pictureOfPhrases(
  words: readonly WrittenWord[],
  layout: PhraseLayout,
  colours: Colours,
  fontFamily: string,
): Picture {
  const colourOf = (isStable: boolean) => (isStable ? colours.stable : colours.provisional);
  const lines = layout.lines.map(({ path, isStable }) => {
    return { path, y: 0, colour: colourOf(isStable), isDashed: !isStable, width: LINE_WIDTH, arrow: null };
  });
  const forms = layout.words.flatMap(({ x, y }, place) => {
    return wordWritings(words[place]!, x, y, colours.ink, colours.tag);
  });
  const labels = layout.labels.map(({ text, isStable, ...place }) => labelWriting(text, place, colourOf(isStable)));
  const later = layout.later
    ? [{ text: OPEN_MARK, x: layout.later.x, y: layout.later.y + FORM_Y, ...FONTS.form, colour: colours.ghost }]
    : [];
  const writings = [...forms, ...labels, ...later.map((one) => ({ ...one, isOnLine: false }))];
  const { width, height } = layout;
  return { width, height, lines, writings, background: colours.background, fontFamily };
}

function wordWritings({ form, tag, lemma }: WrittenWord, x: number, y: number, ink: string, soft: string): Writing[] {
  const lemmas = lemma ? [{ text: lemma, x, y: y + LEMMA_Y, ...FONTS.lemma, colour: soft, isOnLine: false }] : [];
  return [
    { text: form, x, y: y + FORM_Y, ...FONTS.form, colour: ink, isOnLine: false },
    { text: tag, x, y: y + TAG_Y, ...FONTS.tag, colour: soft, isOnLine: false },
    ...lemmas,
  ];
}

function labelWriting(text: string, place: { x: number; y: number }, colour: string): Writing {
  return { text, ...place, ...FONTS.label, colour, isOnLine: true };
}
