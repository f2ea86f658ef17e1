import styles from './Compare.module.css';

/** The heads of a table's columns of numbers, behind that of its rows; `rest` columns without one follow. */
export function ComparisonHeaders({
  titles,
  rest = 0,
}: {
  readonly titles: readonly string[];
  readonly rest?: number;
}) {
  return (
    <thead>
      <tr>
        <td />
        {titles.map((title) => (
          <th key={title} scope="col" className={styles.n}>
            {title}
          </th>
        ))}
        {rest > 0 && <td colSpan={rest} />}
      </tr>
    </thead>
  );
}
