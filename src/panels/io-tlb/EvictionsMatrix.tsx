import { integer, text, time } from '../../base/format';
import { evictionSentence, type NamedStream } from '../../draw/coherence/thrash-text';
import { isContended } from '../../draw/coherence/tlb-map';
import type { TlbRole } from '../../model/coherence/coherence-roles';
import type { Evictions, ThrashRow, TlbThrash } from '../../model/coherence/tlb-thrash';
import { point, select } from '../../model/session/selection';
import { ActorSign } from '../../widgets/ActorSign';
import { Button } from '../../widgets/Button';
import styles from './Evictions.module.css';
import type { ChainProps } from './useShownChain';

/** Most rows of the table; the conflicts with the most evictions are shown. */
export const MAX_MATRIX_ROWS = 12;
/** Up to this many streams fit side by side with names. */
const FEW = 3;

export interface ContendedRows {
  readonly thrash: TlbThrash;
  readonly streams: readonly NamedStream[];
}

type MatrixProps = ChainProps & ContendedRows;

/** A few devices are columns; many streams are compared pairwise, in one row. */
export function EvictionMatrix(props: MatrixProps) {
  const { thrash, streams, chain } = props;
  const row = thrash.rows.find((one) => one.chain === chain) ?? thrash.rows[0];
  if (!row) return null;
  return streams.length > FEW ? <Square streams={streams} row={row} /> : <Matrix {...props} />;
}

interface SquareProps {
  readonly row: ThrashRow;
  readonly streams: readonly NamedStream[];
}

/** Evictions in one row of the TLB, by pairs of streams. */
function Square({ row, streams }: SquareProps) {
  const inRow = streams.filter(({ key }) => row.losses.has(key));
  return (
    <table className={styles.matrix}>
      <caption className="visually-hidden">
        Translations evicted from row {integer(row.chain)} of the I/O TLB, by the device that lost
        them and the one that took the row
      </caption>
      <thead>
        <tr>
          <th scope="col">row {integer(row.chain)}: lost, to</th>
          {inRow.map(({ key, short }) => (
            <th key={key} scope="col">
              {short.replace('block ', '')}
            </th>
          ))}
          <th scope="col">in all</th>
          <th scope="col">cost</th>
        </tr>
      </thead>
      <tbody>
        {inRow.map((stream) => {
          const { key, short, actor } = stream;
          const losses = row.losses.get(key);
          return (
            <tr key={key} title={evictionSentence(row, stream, losses, streams)}>
              <th scope="row">
                <span className={styles.who}>
                  <ActorSign actor={actor} size={9} /> {short}
                </span>
              </th>
              {inRow.map(({ key: by }) => (
                <td
                  key={by}
                  data-hot={isContended({ returns: losses?.blame.get(by) ?? 0 }) || undefined}
                  data-none={!losses?.blame.has(by) || undefined}
                >
                  {by === key ? '' : integer(losses?.blame.get(by) ?? 0)}
                </td>
              ))}
              <td>{integer(losses?.returns ?? 0)}</td>
              <td>{text(time(losses?.time ?? 0, 3))}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

interface RowHeadProps {
  readonly streams: readonly Pick<NamedStream, 'key' | 'title' | 'actor'>[];
}

/** A column for what each stream lost, between the row and the cost. */
export function RowHead({ streams }: RowHeadProps) {
  return (
    <thead>
      <tr>
        <th scope="col">row</th>
        {streams.map(({ key, title, actor }) => (
          <th key={key} scope="col">
            <span className={styles.who}>
              <ActorSign actor={actor} /> {title} lost
            </span>
          </th>
        ))}
        <th scope="col">cost</th>
      </tr>
    </thead>
  );
}

/** A row for each conflict, a column for each stream. */
function Matrix({ tlb, chain, thrash, streams }: MatrixProps) {
  const shown = thrash.rows.slice(0, MAX_MATRIX_ROWS);
  const left = thrash.rows.length - shown.length;
  return (
    <table className={styles.matrix}>
      <caption className="visually-hidden">
        Translations evicted from the I/O TLB and read again, by device, with the time
      </caption>
      <RowHead streams={streams} />
      <tbody>
        {shown.map((row) => (
          <Line key={row.chain} {...{ tlb, row, streams, thrash }} isChosen={row.chain === chain} />
        ))}
      </tbody>
      {thrash.rows.length > 1 && (
        <tfoot>
          <tr>
            <th scope="row">all{left > 0 && `, ${integer(left)} more`}</th>
            {streams.map(({ key }) => (
              <td key={key}>{integer(lostBy(thrash, key))}</td>
            ))}
            <td>{text(time(thrash.time, 3))}</td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}

const lostBy = ({ rows }: TlbThrash, key: string): number =>
  rows.reduce((all, { losses }) => all + (losses.get(key)?.returns ?? 0), 0);

interface LineProps extends ContendedRows {
  readonly tlb: TlbRole;
  readonly row: ThrashRow;
  readonly isChosen: boolean;
}

function Line({ tlb, row, streams, thrash, isChosen }: LineProps) {
  const place = { part: tlb.part, view: 'tlb', index: row.chain };
  return (
    <tr
      data-chosen={isChosen || undefined}
      onPointerEnter={() => point(place)}
      onPointerLeave={() => point({})}
    >
      <th scope="row">
        <Button look="link" aria-pressed={isChosen} onClick={() => select(place)}>
          {integer(row.chain)}
        </Button>
      </th>
      {streams.map((stream) => (
        <Cell key={stream.key} {...{ row, stream, streams }} losses={row.losses.get(stream.key)} />
      ))}
      <td>
        <span
          className={styles.cost}
          style={{ inlineSize: `${(row.time / Math.max(1, thrash.time)) * 100}%` }}
        />
        {text(time(row.time, 3))}
      </td>
    </tr>
  );
}

interface CellProps {
  readonly row: ThrashRow;
  readonly stream: NamedStream;
  readonly streams: readonly NamedStream[];
  readonly losses: Evictions | undefined;
}

/** How often a stream was evicted from a row, and by which. */
function Cell({ row, stream, streams, losses }: CellProps) {
  const by = streams.filter(({ key }) => losses?.blame.has(key));
  return (
    <td
      data-hot={isContended({ returns: losses?.returns ?? 0 }) || undefined}
      data-none={!losses?.returns || undefined}
      title={evictionSentence(row, stream, losses, streams)}
    >
      {losses ? integer(losses.returns) : '–'}
      {by.length > 0 && (
        <span className={styles.by}>
          {' to '}
          {by.map(({ key, title, actor }) => (
            <span key={key} className={styles.who}>
              <ActorSign actor={actor} size={9} /> {title}
            </span>
          ))}
        </span>
      )}
    </td>
  );
}
