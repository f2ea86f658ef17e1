import { Fragment, type ReactNode } from 'react';
import { Group, Panel as Pane, Separator } from 'react-resizable-panels';
import styles from './Split.module.css';

export interface SplitPart {
  readonly id: string;
  /** Start size in px; the part without one takes the rest and grows with the page. */
  readonly size?: number | undefined;
  readonly min: number;
  readonly content: ReactNode;
}

interface SplitProps {
  readonly id: string;
  readonly direction: 'horizontal' | 'vertical';
  readonly parts: readonly SplitPart[];
  /** A heavier line before this part: the edge of the dock. */
  readonly heavyBefore?: string;
}

/**
 * Parts beside or below each other with lines that can be dragged, or moved with the arrow keys. Sizes
 * given in px stay so when the window changes. The caller remembers nothing: a double click resets.
 */
export function Split({ id, direction, parts, heavyBefore }: SplitProps) {
  const [only] = parts;
  if (only && parts.length === 1) return <div className={styles.single}>{only.content}</div>;
  return (
    <Group id={id} orientation={direction} className={styles.group ?? ''}>
      {parts.map((part, index) => (
        <Fragment key={part.id}>
          {index > 0 && (
            <Separator
              className={`${styles.line} ${styles[direction]} ${part.id === heavyBefore ? styles.heavy : ''}`}
              aria-label={`Size of ${part.id}`}
            />
          )}
          <Pane
            id={`pane-${part.id.replaceAll(' ', '-')}`}
            minSize={part.min}
            {...(part.size === undefined
              ? {}
              : { defaultSize: part.size, groupResizeBehavior: 'preserve-pixel-size' as const })}
          >
            {part.content}
          </Pane>
        </Fragment>
      ))}
    </Group>
  );
}
