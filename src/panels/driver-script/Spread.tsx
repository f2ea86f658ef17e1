import { integer } from '../../base/format';
import { type CallSpread, type SpreadBin, spreadOf } from '../../draw/run/call-spread';
import type { DriverCall } from '../../model/drivers/mapping-calls';
import { type Column, Table } from '../../widgets/Table';
import styles from './DriverScript.module.css';

const columnsOf = ({ names, most }: CallSpread): Column<SpreadBin>[] => [
  { id: 'took', title: 'took', cell: ({ title }) => title },
  ...names.map(
    (name, index): Column<SpreadBin> => ({
      id: name,
      title: name,
      cell: ({ counts }) => <Bar calls={counts[index] ?? 0} most={most} />,
    }),
  ),
];

/** Empty for zero calls: a column of zeros would hide the shape. */
function Bar({ calls, most }: { readonly calls: number; readonly most: number }) {
  if (calls === 0) return null;
  return (
    <span className={styles.spread}>
      <span aria-hidden="true" style={{ inlineSize: `${(calls / most) * 48}px` }} />
      {integer(calls)}
    </span>
  );
}

/** Durations of returned calls by operation: a histogram with numbers on its bars. */
export function Spread({ calls }: { readonly calls: readonly DriverCall[] }) {
  const spread = spreadOf(calls);
  return spread.bins.length === 0 ? null : (
    <Table
      caption="How long they took: calls of each operation"
      showCaption
      columns={columnsOf(spread)}
      rows={spread.bins}
      rowKey={({ title }) => title}
    />
  );
}
