/** Controls and the elements that cover them. */
import {
  area,
  clipped,
  depthOf,
  type Flaw,
  isSeen,
  isUnderneath,
  layerOf,
  nameOf,
  stayingBar,
  type Words,
} from './boxes';

/** Words within a text that can be pressed have a piece on each of their lines. */
export function piecesOf(element: Element): DOMRect[] {
  return getComputedStyle(element).display === 'inline'
    ? [...element.getClientRects()]
    : [element.getBoundingClientRect()];
}

export function maskedControls(words: readonly Words[]): Flaw[] {
  const kinds =
    'button, a[href], input:not([type=hidden]), select, textarea, summary, [role=tab], [role=slider], [role=button]';
  const controls = [...document.querySelectorAll<HTMLElement>(kinds)]
    .filter(
      (element) =>
        isSeen(element) &&
        !element.closest('svg') &&
        getComputedStyle(element).pointerEvents !== 'none',
    )
    .flatMap((element) =>
      piecesOf(element).flatMap((full) => {
        const { seen } = clipped(element, full);
        const all = area(full) < 120 || area(seen) < 0.5 * area(full);
        return all ? [] : [{ element, box: seen }];
      }),
    );
  const flaws: Flaw[] = [];
  controls.forEach(({ element, box }, index) => {
    const label = (element.getAttribute('aria-label') ?? element.textContent ?? '')
      .trim()
      .slice(0, 60);
    if (isUnderneath(element, box)) return;
    for (const other of controls.slice(index + 1)) {
      if (element.contains(other.element) || other.element.contains(element)) continue;
      if (layerOf(element) !== layerOf(other.element)) continue;
      if (element.closest('label') && element.closest('label') === other.element.closest('label'))
        continue;
      if (depthOf(box, other.box) > 2 && !isUnderneath(other.element, other.box)) {
        flaws.push({
          kind: 'covered',
          where: nameOf(element),
          text: label,
          other: nameOf(other.element),
        });
      }
    }
    const inlineLink = getComputedStyle(element).display === 'inline';
    const bar = stayingBar(element);
    for (const { owner, text, box: at } of words) {
      if (
        inlineLink ||
        element.contains(owner) ||
        owner.contains(element) ||
        owner.closest('svg, canvas') ||
        layerOf(owner) !== layerOf(element) ||
        (bar && !bar.contains(owner))
      )
        continue;
      if (owner.closest('label')?.contains(element) || depthOf(box, at) <= 1.5) continue;
      flaws.push({
        kind: 'covered',
        where: nameOf(element),
        text: label,
        other: `${text} (${nameOf(owner)})`,
      });
    }
  });
  return flaws;
}
