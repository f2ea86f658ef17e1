import { type RefCallback, type RefObject, useCallback, useState } from 'react';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The size of an element's box, updated on change, and the ref that selects the measured element. It is a
 * callback ref, since the element may be unmounted and mounted without a render of the panel (mask, text
 * alternative). Callers that need the element pass a ref of their own.
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
