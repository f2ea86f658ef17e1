import {
  type FocusEvent,
  type PointerEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { glossary } from '../model/lesson/glossary';
import { type Term, termMentions } from '../model/trace/terms';
import { useTerms } from './GlossaryText';
import { CLOSE_MS, OPEN_MS, TermTooltipBody } from './TermTooltip';

interface LabelOverlayProps {
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A mention of a term, and its place in the window. */
interface Found {
  readonly term: Term;
  readonly box: DOMRect;
  /** The focused part of the drawing, if the mention was found by keyboard. */
  readonly of?: Element;
}

/** Pixels from the upper left corner of the window. */
type Place = readonly [x: number, y: number];

/** Text that cannot contain controls: in drawings, and in rows that are selected as a whole. */
const WORDS = 'svg text, [data-words]';
/** Tolerance for touch, in pixels. */
const SLOP_PX = 3;

const isWithin = ({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean =>
  x >= left - SLOP_PX && x <= right + SLOP_PX && y >= top - SLOP_PX && y <= bottom + SLOP_PX;

const isInNote = ({ target }: { readonly target: EventTarget | null }): boolean =>
  target instanceof Element && target.closest('[popover]') !== null;

/** The mentions of glossary terms in an element, with their places. */
function mentionsOf(element: Element, terms: readonly Term[]): Found[] {
  const [node] = element.childNodes;
  if (!(node instanceof Text)) return [];
  return termMentions(node.data, terms).flatMap(({ term, from, to }) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    const box = range.getClientRects()[0];
    return box ? [{ term, box }] : [];
  });
}

/** The mention at a place in the window. */
const mentionAt = (layer: Element, terms: readonly Term[], [x, y]: Place): Found | null =>
  [...layer.querySelectorAll(WORDS)]
    .filter((element) => isWithin(element.getBoundingClientRect(), x, y))
    .flatMap((element) => mentionsOf(element, terms))
    .find(({ box }) => isWithin(box, x, y)) ?? null;

/**
 * Opens glossary tooltips on the text of a drawing or list: when the pointer rests on a term, when a finger
 * touches it, and when the keyboard focuses the part of a drawing that has it. Escape closes the tooltip and
 * keeps its other effect.
 */
export function LabelOverlay({ className, children }: LabelOverlayProps) {
  const id = useId();
  const terms = useTerms();
  const layer = useRef<HTMLDivElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [found, setFound] = useState<Found | null>(null);
  const schedule = (ms: number, next: () => Found | null) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setFound(next()), ms);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!found) return;
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !isInNote(event))
        setFound(null);
    };
    const moved = ({ target }: Event) => {
      if (target instanceof Node && target.contains(layer.current)) setFound(null);
    };
    const kinds = ['keydown', 'pointerdown'] as const;
    for (const kind of kinds) document.addEventListener(kind, close, true);
    document.addEventListener('scroll', moved, true);
    return () => {
      for (const kind of kinds) document.removeEventListener(kind, close, true);
      document.removeEventListener('scroll', moved, true);
    };
  }, [found]);

  // The glossary may come between the pointer's rest and the moment at which the tooltip opens.
  const at = (place: Place) =>
    layer.current && mentionAt(layer.current, glossary.getState().terms, place);
  const resting = useRef<Place>(null);
  // Opens the tooltip also for a pointer that rested on the term before the glossary was loaded.
  useEffect(
    () =>
      glossary.subscribe((now) => {
        if (layer.current && resting.current)
          setFound(mentionAt(layer.current, now.terms, resting.current));
      }),
    [],
  );
  const onPointer = (event: PointerEvent) => {
    const { pointerType, clientX, clientY } = event;
    if (pointerType !== 'mouse') return;
    if (isInNote(event)) return clearTimeout(timer.current);
    // A spot tells about itself.
    if (event.target instanceof Element && event.target.closest('[data-spot]')) return;
    resting.current = [clientX, clientY];
    schedule(found ? CLOSE_MS : OPEN_MS, () => at([clientX, clientY]));
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (!target.matches('svg [data-part]:focus-visible')) return;
    const [first] = [...target.querySelectorAll('text')].flatMap((one) => mentionsOf(one, terms));
    schedule(OPEN_MS, () => (first ? { ...first, of: target } : null));
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the controls are inside
    <div
      ref={layer}
      className={className}
      onPointerMove={onPointer}
      onPointerLeave={({ pointerType }) => {
        if (pointerType !== 'mouse') return;
        resting.current = null;
        schedule(CLOSE_MS, () => null);
      }}
      onPointerUp={(event) => {
        const { pointerType, clientX, clientY } = event;
        if (pointerType !== 'mouse' && !isInNote(event)) schedule(0, () => at([clientX, clientY]));
      }}
      onFocus={onFocus}
      // Escape also cancels a tooltip that has not opened yet.
      onKeyDown={({ key }) => key === 'Escape' && clearTimeout(timer.current)}
      onBlur={({ target }) => {
        // Only when the part with the open tooltip loses the focus: a touch on another term also causes a
        // blur.
        if (target.matches('[data-part]') && found?.of === target) schedule(0, () => null);
      }}
    >
      {children}
      {found && (
        <TermTooltipBody
          key={found.term.term}
          id={id}
          term={found.term}
          at={() => found.box}
          isKept={false}
        />
      )}
    </div>
  );
}
