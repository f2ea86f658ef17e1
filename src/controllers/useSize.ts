import { type RefCallback, type RefObject, useCallback, useState } from 'react';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of an element's box, after each change of it, and the ref that makes an element the measured one. The ref is a
 * callback, as the element may come, go and come back without a render of the panel: a question hides it, or its text
 * alternative takes its place. Who also needs the element itself hands in a ref of their own.
 */
export function useSize<E extends Element = HTMLDivElement>(
  element?: RefObject<E | null>,
): readonly [RefCallback<E>, Size] {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  const measure = useCallback(
    (current: E | null) => {
      if (element) element.current = current;
      if (!current) return;
      const stop = watchSize(current, setSize);
      return () => {
        stop();
        if (element) element.current = null;
      };
    },
    [element],
  );
  return [measure, size];
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
