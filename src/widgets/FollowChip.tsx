import styles from './FollowChip.module.css';

interface FollowChipProps {
  readonly on: boolean;
  /** What the view follows: "look-ups". */
  readonly what: string;
  /** Where play is, for a view that does not follow it. */
  readonly where?: string;
  onToggle(on: boolean): void;
}

/** Says whether a view goes where play is; where it does not, a press goes there. */
export function FollowChip({ on, what, where = '', onToggle }: FollowChipProps) {
  const hint = where && !on ? `: ${where}` : '';
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={on}
      aria-label={on ? `Following ${what}` : `Follow ${what}${hint}`}
      title={on ? 'The picture goes where play is' : `Go where play is${hint}`}
      onClick={() => onToggle(!on)}
    >
      {on ? 'following' : 'follow'}
    </button>
  );
}
