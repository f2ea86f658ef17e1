import { type RefCallback, useCallback, useEffect, useRef } from 'react';
import type { Shape } from '../draw/shape';
import { answerMask } from '../model/lesson/answer-mask';
import { pointed, selection } from '../model/session/selection';
import { useFrames } from './useRun';

const SVG = 'http://www.w3.org/2000/svg';
type Attributes = Readonly<Record<string, string | number>>;

const TAGS = { rect: 'rect', path: 'path', circle: 'circle', text: 'text' } as const;

function attributesOf(shape: Shape): Attributes {
  switch (shape.kind) {
    case 'rect': {
      const { x, y, width, height, opacity = 1 } = shape;
      return { x, y, width, height, opacity };
    }
    case 'path':
      return { d: shape.d, opacity: shape.opacity ?? 1 };
    case 'circle':
      return { cx: shape.x, cy: shape.y, r: shape.r };
    case 'text':
      return { x: shape.x, y: shape.y };
  }
}

/**
 * Shapes that change with every frame, written into an SVG group without React. Elements are matched by
 * index, and only changed attributes are written.
 */
class LiveShapes {
  private before: readonly Shape[] = [];

  constructor(private readonly group: SVGGElement) {
    group.replaceChildren();
  }

  show(shapes: readonly Shape[]): void {
    const { before, group } = this;
    shapes.forEach((shape, index) => {
      const old = before[index];
      const element = group.childNodes[index] as SVGElement | undefined;
      if (!old || !element) group.append(this.make(shape));
      else if (old.kind !== shape.kind) element.replaceWith(this.make(shape));
      else this.change(element, old, shape);
    });
    while (group.childNodes.length > shapes.length) group.lastChild?.remove();
    this.before = shapes;
  }

  private make(shape: Shape): SVGElement {
    const element = document.createElementNS(SVG, TAGS[shape.kind]);
    element.setAttribute('class', shape.cls);
    for (const [name, value] of Object.entries(attributesOf(shape)))
      element.setAttribute(name, String(value));
    if (shape.kind === 'text') element.textContent = shape.text;
    return element;
  }

  private change(element: SVGElement, old: Shape, shape: Shape): void {
    if (old.cls !== shape.cls) element.setAttribute('class', shape.cls);
    const [was, is] = [attributesOf(old), attributesOf(shape)];
    for (const name in is) if (was[name] !== is[name]) element.setAttribute(name, String(is[name]));
    if (old.kind === 'text' && shape.kind === 'text' && old.text !== shape.text)
      element.textContent = shape.text;
  }
}

/**
 * The ref of an SVG group whose shapes depend on the playhead and the selection. They are drawn again with
 * each frame, selection and render, and when the group is mounted again after a mask or a text alternative.
 */
export function useLiveGroup(shapesNow: () => readonly Shape[]): RefCallback<SVGGElement> {
  const shapes = useRef<LiveShapes | null>(null);
  const latest = useRef(shapesNow);
  latest.current = shapesNow;
  const draw = useCallback(() => shapes.current?.show(latest.current()), []);
  const attach = useCallback(
    (group: SVGGElement | null) => {
      shapes.current = group && new LiveShapes(group);
      draw();
    },
    [draw],
  );
  useFrames('dom', draw);
  useEffect(draw);
  useEffect(() => {
    const stops = [selection, pointed, answerMask].map((store) => store.subscribe(draw));
    return () => {
      for (const stop of stops) stop();
    };
  }, [draw]);
  return attach;
}
