/** Elements of SVG. What each shows is remembered here: asking the browser costs more than most changes. */

const SVG = "http://www.w3.org/2000/svg";

/** What elements show: values by attribute, property of style, or "text". */
const shown = new WeakMap<Element, Record<string, string | number>>();

function isShown(node: Element, name: string, value: string | number): boolean {
  let values = shown.get(node);
  if (!values) shown.set(node, (values = {}));
  if (values[name] === value) return true;
  values[name] = value;
  return false;
}

export function setText(node: SVGElement, text: string): void {
  if (!isShown(node, "text", text)) node.textContent = text;
}

export function setStyle(node: SVGElement, name: "transform" | "display", value: string): void {
  if (!isShown(node, name, value)) node.style[name] = value;
}

export function setAttributes(node: Element, attributes: Record<string, string | number>): void {
  for (const name in attributes)
    if (!isShown(node, name, attributes[name]!)) node.setAttribute(name, String(attributes[name]));
}

export function element<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const node = document.createElementNS(SVG, name);
  setAttributes(node, attributes);
  return node;
}
