import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react';
import { Kbd } from './Kbd';
import styles from './Menu.module.css';
import { Popover } from './Popover';

export interface MenuItem {
  readonly id: string;
  readonly title: string;
  readonly hint?: string | undefined;
  readonly keys?: string | undefined;
  run(): void;
}

interface MenuProps {
  /** Id of the button, so that a key can open the menu. */
  readonly id?: string;
  readonly label: string;
  /** A function is called each time the menu opens. */
  readonly items: readonly MenuItem[] | (() => readonly MenuItem[]);
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A button that opens a list of actions. Arrow keys move, Enter runs the action, Escape closes. */
export function Menu({ id, label, items, className, children }: MenuProps) {
  const anchor = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        ref={anchor}
        id={id}
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        onClick={() => setOpen(!open)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {open && (
        <Popover
          anchor={anchor}
          label={label}
          role="menu"
          align="end"
          onClose={() => setOpen(false)}
        >
          <MenuList
            items={typeof items === 'function' ? items() : items}
            onDone={() => {
              setOpen(false);
              anchor.current?.focus();
            }}
          />
        </Popover>
      )}
    </>
  );
}

function MenuList(props: { readonly items: readonly MenuItem[]; onDone(): void }) {
  const list = useRef<HTMLDivElement>(null);

  function onKeyDown(event: KeyboardEvent): void {
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % rows.length,
      ArrowUp: (at - 1 + rows.length) % rows.length,
      Home: 0,
      End: rows.length - 1,
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    rows[to]?.focus();
  }

  return (
    <div className={styles.list} ref={list} onKeyDown={onKeyDown} role="none">
      {props.items.map((item) => (
        <button
          key={item.id}
          type="button"
          role="menuitem"
          onClick={() => {
            props.onDone();
            item.run();
          }}
        >
          <span>{item.title}</span>
          {item.hint && <em>{item.hint}</em>}
          {item.keys && <Kbd keys={item.keys} />}
        </button>
      ))}
    </div>
  );
}
