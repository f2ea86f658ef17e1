import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { clamp } from '../base/geometry';
import { useSize } from '../controllers/useSize';
import styles from './RowList.module.css';

interface RowListProps {
  readonly label: string;
  readonly length: number;
  /** Height of a row at this width of the list. */
  heightIn(width: number): number;
  /** The row at the playhead, kept in view; -1 before the first. */
  readonly present: number;
  /** The row from which arrow keys start. */
  readonly at: number;
  /** The selected row, which also gets the element id; null if it is not in the list. */
  readonly active: number | null;
  idOf(index: number): string;
  onChoose(index: number): void;
  onEnter(): void;
  /** Renders a row positioned by `top` and `height` in px. */
  row(index: number, top: number, height: number): ReactNode;
  /** Below the rows. */
  readonly children?: ReactNode;
}

/** Class of a row. Selection, playhead and later rows look the same in all lists. */
export const ROW = styles.row;

/** Rows rendered beyond the edges, so that scrolling shows no gaps. */
const SPARE = 6;

function keepInSight(box: HTMLElement | null, index: number, height: number): void {
  if (!box) return;
  const [above, below] = [index * height, (index + 1) * height];
  if (above < box.scrollTop) box.scrollTop = above;
  else if (below > box.scrollTop + box.clientHeight) box.scrollTop = below - box.clientHeight;
}

/** A virtualised list: only visible rows are rendered. Arrow keys select, Enter opens. */
export function RowList(props: RowListProps) {
  const { label, length, heightIn, present, at, active, idOf, onChoose, onEnter, row } = props;
  const box = useRef<HTMLDivElement>(null);
  const [measured, { width, height }] = useSize(box);
  const high = heightIn(width);
  const [top, setTop] = useState(0);
  useEffect(() => keepInSight(box.current, present, high), [present, high]);
  const first = Math.max(0, Math.floor(top / high) - SPARE);
  const last = Math.min(length, Math.ceil((top + height) / high) + SPARE);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i);
  const isShown = active !== null && active >= first && active < last;

  function onKeyDown(event: KeyboardEvent): void {
    const to: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + 10,
      PageUp: at - 10,
      Home: 0,
      End: length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const index = clamp(next, 0, length - 1);
      onChoose(index);
      keepInSight(box.current, index, high);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      onEnter();
    }
  }

  return (
    <div
      ref={measured}
      className={styles.list}
      role="listbox"
      aria-label={label}
      // Rows come and go with scrolling: the list keeps the focus and names the active row while it is
      // rendered.
      aria-activedescendant={isShown ? idOf(active) : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div className={styles.all} style={{ height: length * high }} role="none">
        {rows.map((index) => row(index, index * high, high))}
      </div>
      {props.children}
    </div>
  );
}
