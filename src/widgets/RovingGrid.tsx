import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useId,
  useRef,
  useState,
  type WheelEvent,
} from 'react';
import { clamp } from '../base/geometry';
import styles from './RovingGrid.module.css';

export interface GridPlace {
  readonly row: number;
  readonly column: number;
}

interface RovingGridProps {
  readonly label: string;
  readonly rows: number;
  readonly columns: number;
  /** The contents of a cell in words: announced for the keyboard, shown at the pointer. */
  describe(place: GridPlace): string;
  /** The cell at a point of the picture. */
  cellAt(x: number, y: number): GridPlace | null;
  /** The cell under the keyboard cursor or the pointer; null when it leaves. */
  onPoint(place: GridPlace | null): void;
  onChoose(place: GridPlace): void;
  isSelected?(place: GridPlace): boolean;
  /** An arrow key passed the edge: the picture may scroll. */
  onLeave?(byColumns: number): void;
  /** Drag or wheel, in pixels; positive moves to later contents. */
  onPan?(pixels: number): void;
  /** The description is shown elsewhere, so no tooltip is needed. */
  readonly quiet?: boolean;
  /** First cell of the keyboard cursor. */
  readonly start?: GridPlace | undefined;
  readonly children: ReactNode;
}

/** Pointer travel in pixels before a press becomes a drag. */
const SLACK = 6;

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-8, 0],
  PageDown: [8, 0],
};

/**
 * A picture made of cells, with one tab stop: arrow keys move, Enter selects. For screen readers only the
 * current cell exists, as in a virtualised list.
 */
export function RovingGrid(props: RovingGridProps) {
  const { label, rows, columns, describe, onPoint, onChoose, children } = props;
  const id = useId();
  const [cursor, setCursor] = useState<GridPlace | null>(null);
  const [focused, setFocused] = useState(false);
  const inside = ({ row, column }: GridPlace): GridPlace => ({
    row: clamp(row, 0, rows - 1),
    column: clamp(column, 0, columns - 1),
  });
  const at = inside(cursor ?? props.start ?? { row: 0, column: 0 });
  const { hint, handlers } = usePointer(props, focused ? at : null, setCursor);

  function go(to: GridPlace): void {
    const next = inside(to);
    if (next.column !== to.column) props.onLeave?.(to.column - next.column);
    setCursor(next);
    onPoint(next);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step = STEPS[event.key];
    if (step) go({ row: at.row + step[0], column: at.column + step[1] });
    else if (event.key === 'Home') go({ ...at, column: 0 });
    else if (event.key === 'End') go({ ...at, column: columns - 1 });
    else if (event.key === 'Enter') onChoose(at);
    else return;
    event.preventDefault();
  }

  return (
    <div className={styles.frame}>
      {children}
      {/* biome-ignore lint/a11y/useSemanticElements: a picture with cells is not a table */}
      <div
        role="grid"
        className={styles.keys}
        aria-label={label}
        aria-rowcount={rows}
        aria-colcount={columns}
        // The grid keeps the focus; the current cell is its active descendant.
        aria-activedescendant={id}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => {
          setFocused(true);
          onPoint(at);
        }}
        onBlur={() => {
          setFocused(false);
          onPoint(null);
        }}
        {...handlers}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: only the current cell exists */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus */}
        <div role="row" className="visually-hidden" aria-rowindex={at.row + 1}>
          {/* biome-ignore lint/a11y/useSemanticElements: only the current cell exists */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the grid keeps the focus */}
          <span
            role="gridcell"
            id={id}
            aria-colindex={at.column + 1}
            aria-selected={props.isSelected?.(at) ?? false}
          >
            {describe(at)}
          </span>
        </div>
      </div>
      {hint && (
        <span className={styles.hint} style={{ left: hint.x, top: hint.y }}>
          {hint.text}
        </span>
      )}
    </div>
  );
}

interface Hint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

/** Hover shows the contents of a cell, a press selects it, a drag or the wheel pans. */
function usePointer(
  props: RovingGridProps,
  /** The keyboard cursor's cell, pointed at when the pointer leaves. */
  resting: GridPlace | null,
  onPress: (place: GridPlace) => void,
) {
  const { describe, cellAt, onPoint, onChoose, onPan, quiet } = props;
  const [hint, setHint] = useState<Hint | null>(null);
  const drag = useRef<{ x: number; moved: boolean } | null>(null);

  function placeOf(event: MouseEvent<HTMLElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { x, y, width: box.width, cell: cellAt(x, y) };
  }

  /** Handles a movement; true if it was a drag. */
  function dragged(event: PointerEvent<HTMLElement>): boolean {
    const from = drag.current;
    if (!from || event.buttons === 0 || !onPan) return false;
    const by = from.x - event.clientX;
    if (!from.moved && Math.abs(by) < SLACK) return false;
    drag.current = { x: event.clientX, moved: true };
    onPan(by);
    return true;
  }

  const handlers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      drag.current = { x: event.clientX, moved: false };
      if (onPan) event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const isDrag = dragged(event);
      const { x, y, width, cell } = placeOf(event);
      if (!isDrag) onPoint(cell);
      const isSilent = isDrag || quiet || event.pointerType === 'touch';
      const text = cell && !isSilent ? describe(cell) : '';
      const left = clamp(x + 12, 0, width - 60 - text.length * 4.6);
      setHint(text === '' ? null : { x: left, y: y > 40 ? y - 26 : y + 18, text });
    },
    onPointerLeave() {
      setHint(null);
      onPoint(resting);
    },
    onWheel(event: WheelEvent<HTMLElement>) {
      setHint(null);
      onPan?.(event.deltaX + event.deltaY);
    },
    onClick(event: MouseEvent<HTMLElement>) {
      const { cell } = placeOf(event);
      if (!cell || drag.current?.moved) return;
      onPress(cell);
      onChoose(cell);
    },
  };
  return { hint, handlers };
}
