/** Widths of words before they are drawn: close enough to decide whether a label fits, no closer. */

/** Advances of the condensed face per pixel of size, by the kinds of characters that are about as wide. */
const KINDS: readonly (readonly [RegExp, number])[] = [
  [/[\s.,:;!'’|·ijl]/u, 0.24],
  [/[-()[\]{}/"frtI]/u, 0.32],
  [/[mMwW%@]/u, 0.77],
  [/[\p{Lu}&#]/u, 0.58],
  [/\d/u, 0.53],
];
const USUAL = 0.49;

export function widthOf(text: string, size: number): number {
  let units = 0;
  for (const character of text) units += KINDS.find(([kind]) => kind.test(character))?.[1] ?? USUAL;
  return units * size;
}
