import { type KeyboardEvent, useId } from 'react';
import styles from './Tabs.module.css';

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly title: string }[];
  /** Id of the selected tab; none is selected if no tab has it. */
  readonly value: string;
  onChange(id: string): void;
  /** Id of the element that the tabs control. */
  readonly controls: string;
}

/** A tab list with one tab stop; arrow keys select. The caller renders the panel. */
export function Tabs({ label, tabs, value, onChange, controls }: TabsProps) {
  const base = useId();
  const tabId = (id: string) => `${base}-${id}`;

  const stop = tabs.some((tab) => tab.id === value) ? value : tabs[0]?.id;

  function onKeyDown(event: KeyboardEvent): void {
    const at = tabs.findIndex((tab) => tab.id === value);
    const to = targetOf(event.key, at, tabs.length);
    const next = to === null ? undefined : tabs[to];
    if (!next) return;
    event.preventDefault();
    onChange(next.id);
    document.getElementById(tabId(next.id))?.focus();
  }

  return (
    <div className={styles.tabs} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={tabId(tab.id)}
          type="button"
          role="tab"
          aria-selected={tab.id === value}
          aria-controls={controls}
          tabIndex={tab.id === stop ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.title}
        </button>
      ))}
    </div>
  );
}

function targetOf(key: string, at: number, length: number): number | null {
  if (key === 'ArrowRight') return (at + 1) % length;
  if (key === 'ArrowLeft') return (at - 1 + length) % length;
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  return null;
}
