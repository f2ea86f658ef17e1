import styles from './Compare.module.css';

/** Column headers of a table of both runs, after the row header; `rest` columns without a header follow. */
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
