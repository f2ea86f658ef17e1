import { Fragment, type ReactNode, useEffect, useRef } from 'react';
import { Group, Panel as Pane, Separator, usePanelRef } from 'react-resizable-panels';
import styles from './Split.module.css';

export interface SplitPart {
  readonly id: string;
  /**
   * Initial size in px, applied again when it changes. The part without a size takes the rest and grows with
   * the page.
   */
  readonly size?: number | undefined;
  readonly min: number;
  readonly content: ReactNode;
}

interface SplitProps {
  readonly id: string;
  readonly direction: 'horizontal' | 'vertical';
  readonly parts: readonly SplitPart[];
  /** Id of the part with a heavier line before it: the edge of the dock. */
  readonly heavyBefore?: string;
}

/**
 * Parts side by side or stacked, with dividers that can be dragged or moved with the arrow keys. Sizes in px
 * survive a resize of the window. Nothing is stored; a double click resets.
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
