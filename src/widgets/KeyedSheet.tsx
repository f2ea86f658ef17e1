import type { HTMLAttributes } from 'react';
import { type Brush, CanvasView } from './CanvasView';
import styles from './KeyedSheet.module.css';

/** A short text at a place of the sheet. */
export interface Hint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

interface KeyedSheetProps extends HTMLAttributes<HTMLDivElement> {
  /** What the keys do, for screen readers. */
  readonly keys: string;
  /** What the picture shows. */
  readonly label: string;
  readonly hint: Hint | null;
  paint(brush: Brush): void;
  /** Receives a function that requests a repaint in the next frame. */
  onReady(repaint: () => void): void;
}

/** A canvas that takes keys and the pointer, with a hint beside the pointer. */
export function KeyedSheet({ keys, label, hint, paint, onReady, ...actions }: KeyedSheetProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing that takes keys is not a fieldset
    <div
      className={styles.sheet}
      role="group"
      aria-label={keys}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and pan while it has the focus
      tabIndex={0}
      {...actions}
    >
      <CanvasView label={label} paint={paint} onReady={onReady} />
      {hint && (
        <span className={styles.hint} style={{ left: hint.x, top: hint.y }}>
          {hint.text}
        </span>
      )}
    </div>
  );
}
