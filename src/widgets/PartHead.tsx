import type { ReactNode } from 'react';
import { ActorSign } from './ActorSign';
import styles from './PartHead.module.css';

interface PartHeadProps {
  /** Null for the complete machine. */
  readonly part: { readonly actor: string; readonly name: string } | null;
  readonly doc?: ReactNode;
  /** The title. */
  readonly children: ReactNode;
}

/** The title of a part with its sign and its name in files, and what it is. */
export function PartHead({ part, doc, children }: PartHeadProps) {
  return (
    <>
      <header className={styles.who}>
        {part && <ActorSign actor={part.actor} size={13} />}
        {children}
        {part && <code>{part.name}</code>}
      </header>
      {doc && <p className={styles.doc}>{doc}</p>}
    </>
  );
}
