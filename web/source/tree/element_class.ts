/** What custom elements extend: outside a page there are none, and what else is here can be used even so. */

export const ElementClass: typeof HTMLElement = globalThis.HTMLElement ?? class {};
