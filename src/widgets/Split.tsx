import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Group, Panel as Pane, Separator, usePanelRef } from 'react-resizable-panels';
import styles from './Split.module.css';

export interface SplitPart {
  readonly id: string;
  /** Size in px to begin with, and again when it is another; the part without one takes the rest and grows with the page. */
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
          <Part part={part} />
        </Fragment>
      ))}
    </Group>
  );
}

function Part({ part: { id, size, min, content } }: { readonly part: SplitPart }) {
  const panelRef = usePanelRef();
  const given = useRef(size);
  useEffect(() => {
    if (size !== undefined && size !== given.current) panelRef.current?.resize(size);
    given.current = size;
  }, [size, panelRef]);
  return (
    <Pane
      id={`pane-${id.replaceAll(' ', '-')}`}
      panelRef={panelRef}
      minSize={min}
      {...(size === undefined
        ? {}
        : { defaultSize: size, groupResizeBehavior: 'preserve-pixel-size' as const })}
    >
      {content}
    </Pane>
  );
}
