import { type ReactNode, useEffect, useState } from 'react';
import { integer } from '../base/format';
import type { NoticeAction } from '../base/notices';
import { Button } from './Button';
import styles from './Feedback.module.css';

/** Placeholder while nothing is chosen: one sentence on what to pick. */
export function EmptyState({ title, children }: { readonly title: string; children?: ReactNode }) {
  return (
    <div className={styles.block}>
      <b>{title}</b>
      {children && <p>{children}</p>}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly title: string;
  /** JSON pointer or position of the cause. */
  readonly place?: string | undefined;
  readonly detail?: ReactNode;
  readonly actions?: readonly NoticeAction[];
}

/** A failure, shown beside its cause: what failed, where, which rule, what is kept, what can be done. */
export function ErrorNotice({ title, place, detail, actions = [] }: ErrorNoticeProps) {
  return (
    <div className={`${styles.block} ${styles.bad}`} role="alert">
      <b>{title}</b>
      <p>
        {place && <code>{place}</code>} {detail}
      </p>
      {actions.length > 0 && (
        <div className={styles.actions}>
          {actions.map((action) => (
            <Button key={action.title} size="small" onClick={action.run}>
              {action.title}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

interface ProgressLineProps {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  onStop?(): void;
}

/** A progress line for work shorter than this would only flicker. */
const PATIENCE_MS = 300;

/** Progress as done / total, with a way to stop. Work that ends within `PATIENCE_MS` shows nothing. */
export function ProgressLine({ label, done, total, onStop }: ProgressLineProps) {
  const [visible, setVisible] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setVisible(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!visible) return null;
  return (
    <div className={styles.progress}>
      <span>
        {label}{' '}
        {total > 0 && (
          <b>
            {integer(done)} of {integer(total)}
          </b>
        )}
      </span>
      <progress aria-label={label} value={done} max={Math.max(total, 1)} />
      {onStop && (
        <Button size="small" onClick={onStop}>
          Stop
        </Button>
      )}
    </div>
  );
}
