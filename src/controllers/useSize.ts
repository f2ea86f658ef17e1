import { type RefObject, useEffect, useRef, useState } from 'react';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of an element's box, after each change of it. A panel may mount before its element does, as while a question
 * hides it, so each render looks whether the element is another one.
 */
export function useSize(element: RefObject<Element | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const watched = useRef<{ readonly element: Element; stop(): void } | null>(null);
  useEffect(() => {
    const { current } = element;
    if (current === (watched.current?.element ?? null)) return;
    watched.current?.stop();
    watched.current = current && { element: current, stop: watchSize(current, setSize) };
  });
  useEffect(() => {
    return () => {
      watched.current?.stop();
      watched.current = null;
    };
  }, []);
  return size;
}

function watchSize(element: Element, onSize: (next: (before: Size) => Size) => void): () => void {
  const watch = new ResizeObserver(([entry]) => {
    const { width = 0, height = 0 } = entry?.contentRect ?? {};
    onSize((before) =>
      before.width === width && before.height === height ? before : { width, height },
    );
  });
  watch.observe(element);
  return () => watch.disconnect();
}
