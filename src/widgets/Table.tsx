import type { ReactNode } from 'react';
import styles from './Table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  /** Aligned to the right, so that digits line up. */
  readonly numeric?: boolean;
  cell(row: Row): ReactNode;
}

interface TableProps<Row> {
  /** Subject of the table, for screen readers; visible if `showCaption`. */
  readonly caption: string;
  readonly showCaption?: boolean;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  rowKey(row: Row): string;
}

/** A table of text and numbers. The first column holds the row headers. */
export function Table<Row>(props: TableProps<Row>) {
  const [first, ...others] = props.columns;
  if (!first) return null;
  const align = (column: Column<Row>) => (column.numeric ? styles.numeric : undefined);
  return (
    <table className={styles.table}>
      <caption className={props.showCaption ? undefined : 'visually-hidden'}>
        {props.caption}
      </caption>
      <thead>
        <tr>
          {props.columns.map((column) => (
            <th key={column.id} scope="col" className={align(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <tr key={props.rowKey(row)}>
            <th scope="row" className={align(first)}>
              {first.cell(row)}
            </th>
            {others.map((column) => (
              <td key={column.id} className={align(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
