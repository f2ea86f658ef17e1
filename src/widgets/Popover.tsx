import {
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import styles from './Popover.module.css';
import { placePopover } from './popoverPosition';

interface PopoverProps {
  /** The control that opened it; the focus returns there. */
  readonly anchor: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly align?: 'start' | 'end';
  readonly role?: 'dialog' | 'menu';
  onClose(): void;
  readonly children: ReactNode;
}

/** A popover beside its control, closed by Escape, by a press elsewhere and when the focus leaves it. */
export function Popover({
  anchor,
  label,
  align,
  role = 'dialog',
  onClose,
  children,
}: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  const close = useRef(onClose);
  close.current = onClose;

  useLayoutEffect(() => {
    const place = () => {
      if (!anchor.current || !box.current) return;
      const page = { width: window.innerWidth, height: window.innerHeight };
      const size = { width: box.current.offsetWidth, height: box.current.offsetHeight };
      setAt(placePopover(anchor.current.getBoundingClientRect(), size, page, align ?? 'start'));
    };
    place();
    // Stays beside its control when the page scrolls, and within the window when its contents grow.
    const resized = new ResizeObserver(place);
    if (box.current) resized.observe(box.current);
    window.addEventListener('resize', place);
    document.addEventListener('scroll', place, true);
    return () => {
      resized.disconnect();
      window.removeEventListener('resize', place);
      document.removeEventListener('scroll', place, true);
    };
  }, [anchor, align]);

  useEffect(() => {
    const origin = anchor.current;
    const outside = (event: PointerEvent) => {
      const target = event.target as Node;
      if (!box.current?.contains(target) && !origin?.contains(target)) close.current();
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      close.current();
      origin?.focus();
    };
    document.addEventListener('pointerdown', outside, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      document.removeEventListener('pointerdown', outside, true);
      document.removeEventListener('keydown', onKey, true);
    };
  }, [anchor]);

  const isPlaced = at !== null;
  useEffect(() => {
    // It is hidden until it is placed, and hidden elements cannot take the focus.
    if (!isPlaced) return;
    const first = box.current?.querySelector<HTMLElement>('a[href], button, input, select');
    (first ?? box.current)?.focus({ preventScroll: true });
  }, [isPlaced]);

  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: the role is a property
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles take a label
    <div
      ref={box}
      className={styles.popover}
      role={role}
      aria-label={label}
      tabIndex={-1}
      style={at ? { left: at.left, top: at.top } : { left: 0, top: 0, visibility: 'hidden' }}
      onBlur={(event) => {
        const to = event.relatedTarget as Node | null;
        if (to && !event.currentTarget.contains(to) && !anchor.current?.contains(to)) onClose();
      }}
    >
      {children}
    </div>,
    document.body,
  );
}
