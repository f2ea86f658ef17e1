import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { formatFragment } from '../base/route';
import { listScenarios } from '../model/scenario/scenarios';
import type { Term } from '../model/trace/terms';
import { placePopover } from './popoverPosition';
import styles from './TermTooltip.module.css';

/** Long enough that a passing pointer opens nothing, and can cross the gap to the tooltip. */
export const OPEN_MS = 150;
export const CLOSE_MS = 250;

interface TermTooltipProps {
  readonly term: Term;
  readonly children: ReactNode;
  /** Punctuation directly after the word. */
  readonly tail?: string;
}

/**
 * A glossary term in a text. Its definition opens on hover and on keyboard focus; a press pins it. Escape, a
 * press elsewhere or loss of focus closes it.
 */
export function TermTooltip({ term, children, tail }: TermTooltipProps) {
  const id = useId();
  const whole = useRef<HTMLSpanElement>(null);
  const word = useRef<HTMLButtonElement>(null);
  const { state, now, later: schedule } = useOpening();
  const open = state !== 'closed';
  useDismissal(open, whole, word, now);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the word inside is the control
    <span
      ref={whole}
      className={styles.term}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && schedule('open')}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && schedule('closed')}
      onBlur={({ relatedTarget }) => {
        if (!whole.current?.contains(relatedTarget)) now('closed');
      }}
    >
      <button
        ref={word}
        type="button"
        className={styles.word}
        aria-expanded={open}
        aria-describedby={open ? `${id}-what` : undefined}
        onFocus={({ currentTarget }) => {
          if (currentTarget.matches(':focus-visible')) now('open');
        }}
        onClick={() => now(state === 'kept' ? 'closed' : 'kept')}
      >
        {children}
      </button>
      {tail}
      {open && (
        <TermTooltipBody
          id={id}
          term={term}
          at={() => firstBox(word.current)}
          isKept={state === 'kept'}
        />
      )}
    </span>
  );
}

/** `kept`: pinned. It stays without the pointer, and Tab leads into it. */
type Opening = 'closed' | 'open' | 'kept';

/** Opens or closes at once, or after a delay that a later decision cancels. */
function useOpening() {
  const [state, setState] = useState<Opening>('closed');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const now = useCallback((to: Opening) => {
    clearTimeout(timer.current);
    setState(to);
  }, []);
  const later = (to: Opening): void => {
    clearTimeout(timer.current);
    if (state === 'kept') return;
    timer.current = setTimeout(() => setState(to), to === 'open' ? OPEN_MS : CLOSE_MS);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return { state, now, later };
}

/**
 * Escape closes the tooltip and leaves the focus on the word; a press elsewhere closes it, and so does scrolling that
 * moves the word.
 */
function useDismissal(
  open: boolean,
  whole: RefObject<HTMLElement | null>,
  word: RefObject<HTMLElement | null>,
  now: (to: Opening) => void,
): void {
  useEffect(() => {
    if (!open) return;
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      if (whole.current?.contains(document.activeElement)) word.current?.focus();
      now('closed');
    };
    const outside = (event: Event) => {
      if (!whole.current?.contains(event.target as Node)) now('closed');
    };
    const moved = ({ target }: Event) => {
      if (target instanceof Node && target.contains(whole.current)) now('closed');
    };
    document.addEventListener('keydown', onKey, true);
    document.addEventListener('pointerdown', outside, true);
    document.addEventListener('scroll', moved, true);
    return () => {
      document.removeEventListener('keydown', onKey, true);
      document.removeEventListener('pointerdown', outside, true);
      document.removeEventListener('scroll', moved, true);
    };
  }, [open, whole, word, now]);
}

interface NoteProps {
  readonly id: string;
  readonly term: Term;
  /** Rectangle of the word in the window. */
  at(): DOMRect | undefined;
  readonly isKept: boolean;
}

/** A word broken across two lines has two boxes; the tooltip belongs to the first. */
const firstBox = (word: HTMLElement | null): DOMRect | undefined => word?.getClientRects()[0];

/**
 * In the document it follows its word, so that Tab leads into it when pinned; on screen it is above
 * everything else.
 */
export function TermTooltipBody({ id, term, at: place, isKept }: NoteProps) {
  const box = useRef<HTMLSpanElement>(null);
  const [at, setAt] = useState<{ left: number; top: number } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a tooltip belongs to one word, which does not move
  useLayoutEffect(() => {
    const first = place();
    if (!box.current || !first) return;
    box.current.showPopover?.();
    const page = { width: window.innerWidth, height: window.innerHeight };
    const size = { width: box.current.offsetWidth, height: box.current.offsetHeight };
    setAt(placePopover(first, size, page, 'start'));
  }, [term]);
  const stop = isKept ? 0 : -1;
  const lesson = listScenarios().find((entry) => entry.id === term.lesson);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a paragraph may not contain a fieldset
    <span
      ref={box}
      popover="manual"
      className={styles.note}
      role="group"
      aria-label={term.term}
      style={at ?? { left: 0, top: 0, visibility: 'hidden' }}
    >
      <span className={styles.head}>
        <b>{term.term}</b>
        <small>Esc closes</small>
      </span>
      <span className={styles.what} id={`${id}-what`}>
        {term.what}
      </span>
      <span className={styles.where}>{term.where}</span>
      <span className={styles.links}>
        {lesson && (
          <a
            tabIndex={stop}
            href={formatFragment({ view: lesson.kind, scenario: lesson.id, params: {} })}
          >
            {lesson.title}
          </a>
        )}
        <a tabIndex={stop} href={formatFragment({ view: 'glossary', params: { term: term.term } })}>
          Glossary
        </a>
      </span>
    </span>
  );
}
