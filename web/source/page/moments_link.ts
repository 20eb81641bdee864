/** How the part of an address begins that carries moments. */

export const MOMENTS_LINK = "#moments=";
