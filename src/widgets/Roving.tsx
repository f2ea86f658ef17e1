import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useLayoutEffect,
  useRef,
} from 'react';

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowRight: 1,
  ArrowUp: -1,
  ArrowLeft: -1,
};

interface RovingProps {
  readonly className?: string | undefined;
  /** Index of the tab stop before one has had the focus. */
  readonly start?: number;
  readonly children: ReactNode;
}

/** Roving tabindex: its buttons are one tab stop; arrow keys, Home and End move between them. */
export function Roving({ className, start = 0, children }: RovingProps) {
  const box = useRef<HTMLDivElement>(null);
  const tabStop = useRef<HTMLElement | null>(null);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>('button') ?? [])];

  function place(stop: HTMLElement | null): void {
    const all = items();
    const next = stop && all.includes(stop) ? stop : (all[start] ?? null);
    tabStop.current = next;
    for (const item of all) item.tabIndex = item === next ? 0 : -1;
  }

  useLayoutEffect(() => place(tabStop.current));

  function onFocus({ target }: FocusEvent<HTMLElement>): void {
    if (items().includes(target)) place(target);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const all = items();
    const at = all.indexOf(event.target as HTMLElement);
    const step = STEPS[event.key];
    const to =
      event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : step ? at + step : -1;
    const next = at < 0 ? undefined : all[to];
    if (step !== undefined || next) event.preventDefault();
    next?.focus();
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside take the focus
    <div ref={box} className={className} onFocus={onFocus} onKeyDown={onKeyDown}>
      {children}
    </div>
  );
}
