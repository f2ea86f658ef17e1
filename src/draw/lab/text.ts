/** Widths of words before they are drawn: close enough to decide whether a label fits, no closer. */

/** Mean advance of the condensed face per pixel of size; digits and capitals are wider than the rest. */
const NARROW = 0.385;
const WIDE = 0.5;

export function widthOf(text: string, size: number): number {
  let units = 0;
  for (const character of text) units += /[\d\p{Lu}mwMW]/u.test(character) ? WIDE : NARROW;
  return units * size;
}
