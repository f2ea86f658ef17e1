import type { ReactNode } from 'react';
import styles from './Section.module.css';

interface SectionProps {
  readonly title: ReactNode;
  /** Note at the right of the heading. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A group inside a panel, with a hairline above it. */
export function Section({ title, aside, children }: SectionProps) {
  return (
    <div className={styles.section}>
      <h3>
        <span>{title}</span>
        {aside && <em>{aside}</em>}
      </h3>
      {children}
    </div>
  );
}
