/** Trees as pictures: an SVG file that stands alone, and a drawing on a canvas. */

import type { Colours } from "./colours.ts";
import { FORM_Y, labelY, TAG_Y } from "./drawing.ts";
import type { ArcPart, TreeLayout } from "./layout.ts";
import type { TreeArc, TreeGraph } from "./nodes.ts";
import { ARROW, arcPath } from "./shapes.ts";
import { FONTS } from "./style.ts";

const MARGIN = 12;
const DASHES = [4, 3.5];

/** All that a picture consists of. */
export interface Picture {
  readonly graph: TreeGraph;
  readonly layout: TreeLayout;
  readonly colours: Colours;
  readonly fontFamily: string;
}

interface Writing {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly weight: number;
  readonly colour: string;
  /** On an arc, which shows only beside it. */
  readonly isOnArc: boolean;
}

// --- SVG --------------------------------------------------------------------------------------------------

export function svgOf(picture: Picture): string {
  const { layout, colours, fontFamily } = picture;
  const [width, height] = [layout.width + 2 * MARGIN, layout.height + 2 * MARGIN];
  const arcs = layout.parts.map((part) => svgArc(part, picture));
  const texts = writings(picture).map((writing) => svgText(writing, colours));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${-MARGIN} ${-MARGIN} ${width} ${height}" font-family="${escaped(fontFamily)}" text-anchor="middle">`,
    `<rect x="${-MARGIN}" y="${-MARGIN}" width="${width}" height="${height}" fill="${colours.background}"/>`,
    ...arcs,
    ...texts,
    "</svg>",
  ].join("\n");
}

function svgArc(part: ArcPart, picture: Picture): string {
  const { arc, colour, y } = drawnArc(part, picture);
  const dashes = arc.isStable ? "" : ` stroke-dasharray="${DASHES.join(" ")}"`;
  const line = `<path d="${arcPath(part)}" fill="none" stroke="${colour}" stroke-width="1.5"${dashes}/>`;
  const arrow =
    part.arrow === null ? "" : `<path d="${ARROW}" transform="translate(${part.arrow} 0)" fill="${colour}"/>`;
  return `<g transform="translate(0 ${y})">${line}${arrow}</g>`;
}

function svgText({ text, x, y, size, weight, colour, isOnArc }: Writing, { background }: Colours): string {
  const halo = isOnArc ? ` paint-order="stroke" stroke="${background}" stroke-width="5" stroke-linejoin="round"` : "";
  return `<text x="${x}" y="${y}" font-size="${size}" font-weight="${weight}" fill="${colour}"${halo}>${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

// --- canvas -----------------------------------------------------------------------------------------------

/** The picture on a new canvas, scaled. */
export function canvasOf(picture: Picture, scale: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  const { layout, colours } = picture;
  canvas.width = Math.ceil((layout.width + 2 * MARGIN) * scale);
  canvas.height = Math.ceil((layout.height + 2 * MARGIN) * scale);
  const context = canvas.getContext("2d")!;
  context.fillStyle = colours.background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
  for (const part of layout.parts) paintArc(context, part, picture);
  for (const writing of writings(picture)) paintText(context, writing, picture);
  return canvas;
}

function paintArc(context: CanvasRenderingContext2D, part: ArcPart, picture: Picture): void {
  const { arc, colour, y } = drawnArc(part, picture);
  context.save();
  context.translate(0, y);
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(arc.isStable ? [] : DASHES);
  context.stroke(new Path2D(arcPath(part)));
  context.translate(part.arrow ?? 0, 0);
  if (part.arrow !== null) context.fill(new Path2D(ARROW));
  context.restore();
}

function paintText(context: CanvasRenderingContext2D, writing: Writing, picture: Picture): void {
  context.font = `${writing.weight} ${writing.size}px ${picture.fontFamily}`;
  context.textAlign = "center";
  context.lineJoin = "round";
  context.lineWidth = 5;
  context.strokeStyle = picture.colours.background;
  context.fillStyle = writing.colour;
  if (writing.isOnArc) context.strokeText(writing.text, writing.x, writing.y);
  context.fillText(writing.text, writing.x, writing.y);
}

// --- what both show ---------------------------------------------------------------------------------------

function drawnArc(part: ArcPart, { graph, layout, colours }: Picture): { arc: TreeArc; colour: string; y: number } {
  const arc = graph.arcs[part.arc]!;
  return { arc, colour: arc.isStable ? colours.stable : colours.provisional, y: layout.rows[part.row]!.y };
}

function writings(picture: Picture): Writing[] {
  const { graph, layout, colours } = picture;
  const words = graph.nodes.flatMap((node, place) => {
    const { row, x } = layout.nodes[place]!;
    const y = layout.rows[row]!.y;
    const [ink, tag] = node.isVirtual ? [colours.ghost, colours.ghost] : [colours.ink, colours.tag];
    return [
      { text: node.form, x, y: y + FORM_Y, ...FONTS.form, colour: ink, isOnArc: false },
      { text: node.tag, x, y: y + TAG_Y, ...FONTS.tag, colour: tag, isOnArc: false },
    ];
  });
  const labels = layout.parts.flatMap((part) => {
    const { arc, colour, y } = drawnArc(part, picture);
    const place = { x: part.label ?? 0, y: y + labelY(part) };
    return part.label === null ? [] : [{ text: arc.label, ...place, ...FONTS.label, colour, isOnArc: true }];
  });
  return [...words, ...labels];
}
