import type { ReactNode } from 'react';
import { Button } from '../../widgets/Button';
import styles from './Prove.module.css';

interface ProofTableProps {
  readonly title: string;
  readonly lead: string;
  readonly action: { readonly title: string; readonly isDisabled?: boolean; run(): void };
  readonly columns: readonly (string | { readonly number: string })[];
  readonly children: ReactNode;
}

/** A table of explorations with a button for all of them; the last column has a button for one. */
export function ProofTable({ title, lead, action, columns, children }: ProofTableProps) {
  return (
    <table className={styles.table}>
      <caption>
        <b>{title}</b>
        <span>{lead}</span>
        <Button size="small" disabled={action.isDisabled ?? false} onClick={action.run}>
          {action.title}
        </Button>
      </caption>
      <thead>
        <tr>
          {columns.map((column) =>
            typeof column === 'string' ? (
              <th key={column} scope="col">
                {column}
              </th>
            ) : (
              <th key={column.number} scope="col" className={styles.n}>
                {column.number}
              </th>
            ),
          )}
          <th scope="col">
            <span className="visually-hidden">run</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

interface ProofRowProps {
  readonly title: string;
  readonly isShown: boolean;
  choose(): void;
  /** The cells after the title. */
  readonly children: ReactNode;
}

export function ProofRow({ title, isShown, choose, children }: ProofRowProps) {
  return (
    <tr data-shown={isShown || undefined}>
      <th scope="row">
        <button type="button" className={styles.name} aria-current={isShown} onClick={choose}>
          {title}
        </button>
      </th>
      {children}
    </tr>
  );
}
