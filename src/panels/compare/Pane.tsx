import type { ReactNode } from 'react';
import styles from './Compare.module.css';

interface PaneProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** A part of the page that scrolls by itself, and therefore takes the focus. */
export function Pane({ label, children }: PaneProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reached by keyboard
    <section className={styles.pane} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
