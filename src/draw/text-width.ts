/** Estimated widths of text before it is drawn: accurate enough to decide whether a label fits. */

/** Advances of the condensed face per px of font size, by groups of characters of similar width. */
const KINDS: readonly (readonly [RegExp, number])[] = [
  [/[\s.,:;!'’|·ijl]/u, 0.24],
  [/[-()[\]{}/"frtI]/u, 0.32],
  [/[mMwW%@]/u, 0.77],
  [/[\p{Lu}&#]/u, 0.58],
  [/\d/u, 0.53],
];
const USUAL = 0.49;

/** The text wrapped to a width in at most `lines` lines; the rest is cut with an ellipsis. */
export function wrapped(text: string, size: number, room: number, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && (widthOf(longer, size) <= room || lines.length === most))
      lines.splice(-1, 1, longer);
    else lines.push(word);
  }
  return lines.map((line) => shortened(line, size, room));
}

/** The text, or as many letters of it as fit. */
export function shortened(text: string, size: number, room: number): string {
  if (widthOf(text, size) <= room) return text;
  let kept = text;
  while (kept && widthOf(`${kept}…`, size) > room) kept = kept.slice(0, -1);
  return `${kept.trimEnd()}…`;
}

export function widthOf(text: string, size: number): number {
  let units = 0;
  for (const character of text) units += KINDS.find(([kind]) => kind.test(character))?.[1] ?? USUAL;
  return units * size;
}
