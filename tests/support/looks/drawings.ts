/** Words of drawings and the shapes around them. */
import { area, type Box, depthOf, type Flaw, isSeen, nameOf, type Words } from './boxes';

export function isDrawnBox(element: Element): boolean {
  const { fill, stroke, fillOpacity } = getComputedStyle(element);
  const isFilled = fill !== 'none' && fillOpacity !== '0' && !/, 0\)$/.test(fill);
  return isSeen(element) && (isFilled || stroke !== 'none');
}

/** Words of a drawing that begin in a box and end outside it, or lie across its edge. */
export function leavingBoxes(words: readonly Words[]): Flaw[] {
  const boxes = [...document.querySelectorAll('svg rect, svg circle')]
    .filter(isDrawnBox)
    .map((element) => ({
      element,
      svg: element.closest('svg'),
      box: element.getBoundingClientRect() as Box,
    }));
  return words.flatMap(({ owner, text, box }) => {
    const svg = owner.closest('svg');
    if (!svg) return [];
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const around = boxes.filter(
      (one) =>
        one.svg === svg &&
        one.box.left <= x &&
        x <= one.box.right &&
        one.box.top <= y &&
        y <= one.box.bottom &&
        one.box.bottom - one.box.top > 8 &&
        one.box.right - one.box.left > 11,
    );
    const own = around.sort((a, b) => area(a.box) - area(b.box))[0];
    if (!own) return [];
    const far = Math.max(
      own.box.left - box.left,
      box.right - own.box.right,
      own.box.top - box.top,
      box.bottom - own.box.bottom,
    );
    return far > 1
      ? [
          {
            kind: 'leaves' as const,
            where: nameOf(owner),
            text,
            other: `${nameOf(own.element)} by ${far.toFixed(1)}`,
          },
        ]
      : [];
  });
}

/** Places on the letters, as shares of their box. */
export function placesOn({ left, top, right, bottom }: Box): DOMPoint[] {
  return [0.3, 0.7].flatMap((down) =>
    [0.06, 0.2, 0.35, 0.5, 0.65, 0.8, 0.94].map(
      (along) => new DOMPoint(left + along * (right - left), top + down * (bottom - top)),
    ),
  );
}

/** Words of a drawing with something on a part of them that was drawn after them: a socket, a mark. */
export function paintedOver(words: readonly Words[]): Flaw[] {
  const isFull = (element: Element) => {
    const { fill, fillOpacity, opacity } = getComputedStyle(element);
    const isPlain = fill !== 'none' && !/, 0(?:\.\d+)?\)$|url/.test(fill);
    return isPlain && fillOpacity === '1' && opacity === '1' && isSeen(element);
  };
  const shapes = [
    ...document.querySelectorAll<SVGGeometryElement>('svg :is(rect, path, circle):not(defs *)'),
  ].filter(isFull);
  return words.flatMap(({ owner, text, box }) => {
    const svg = owner.closest('svg');
    const over = shapes.find((shape) => {
      const isLater = owner.compareDocumentPosition(shape) & Node.DOCUMENT_POSITION_FOLLOWING;
      if (!svg?.contains(shape) || !isLater) return false;
      if (depthOf(shape.getBoundingClientRect(), box) < 1.5) return false;
      const back = shape.getScreenCTM()?.inverse();
      const hit = placesOn(box).filter(
        (at) => back && shape.isPointInFill(at.matrixTransform(back)),
      );
      return hit.length > 0;
    });
    return over
      ? [{ kind: 'overlap' as const, where: nameOf(owner), text, other: nameOf(over) }]
      : [];
  });
}
