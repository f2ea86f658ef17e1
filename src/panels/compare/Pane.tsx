import type { ReactNode } from 'react';
import styles from './Compare.module.css';

interface PaneProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A scrollable part of the page, focusable for that reason. */
export function Pane({ label, children }: PaneProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.pane} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
