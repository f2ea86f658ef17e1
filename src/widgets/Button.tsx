import type { ButtonHTMLAttributes, ReactNode } from 'react';
import styles from './Button.module.css';
import { Icon, type IconName } from './Icon';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `primary`: at most one per panel. `link`: actions in headers and lists. `word`: inside a sentence. */
  readonly look?: 'plain' | 'primary' | 'quiet' | 'link' | 'word';
  readonly size?: 'normal' | 'small';
  readonly icon?: IconName;
  readonly children: ReactNode;
}

export function Button(props: ButtonProps) {
  const { look = 'plain', size = 'normal', icon, children, className, ...rest } = props;
  const classes = [
    styles.button,
    look === 'word' && styles.link,
    styles[look],
    size === 'small' && styles.small,
    className,
  ];
  return (
    <button type="button" {...rest} className={classes.filter(Boolean).join(' ')}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  readonly icon: IconName;
  /** Names the action; the tooltip adds the key. */
  readonly label: string;
  readonly keys?: string;
}

export function IconButton({ icon, label, keys, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={keys ? `${label} (${keys})` : label}
      {...rest}
      className={`${styles.iconButton} ${className ?? ''}`}
    >
      <Icon name={icon} />
    </button>
  );
}
