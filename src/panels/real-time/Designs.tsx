import { Fragment, type ReactNode } from 'react';
import { fixed, integer, percent, text, time } from '../../base/format';
import { realTime } from '../../controllers/machine-features';
import { useHiddenMetrics } from '../../controllers/useAnswerMask';
import { useLiveCommands } from '../../controllers/useRun';
import { useRunTable } from '../../controllers/useRunTable';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  levelShapes,
  PATH_WIDTHS,
  pathSentence,
  pathShapes,
  SEALED_WIDTHS,
  sealedLevelShapes,
  sealedPathShapes,
} from '../../draw/realtime/design-path';
import {
  type DesignColumn,
  type DesignRun,
  designColumns,
} from '../../model/lab/design-comparison';
import { SHARES, timeCounter } from '../../model/realtime/cpu-shares';
import { type Term, termsOf } from '../../model/scenario/scenario-types';
import { session } from '../../model/session/session';
import { EmptyState } from '../../widgets/Feedback';
import { Legend } from '../../widgets/Legend';
import { Masked } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './Designs.module.css';
import { OpenRun } from './OpenRun';
import { useHidesRealTime } from './realtime-now';

/** One row of the comparison; null if a run has no such value. */
interface Measure {
  readonly title: string;
  /** Counters that tell the value. */
  readonly from: readonly string[];
  read(run: DesignRun): number | null;
  text(value: number): string;
}

const span = (ps: number): string => text(time(ps, 3));

/** Packets are those received: a run that only sends has no such rows. */
const MEASURES: readonly Measure[] = [
  {
    title: 'packets',
    from: ['processed'],
    read: ({ packets }) => packets || null,
    text: integer,
  },
  {
    title: 'copies of each',
    from: ['copied'],
    read: ({ packets, copies }) => (packets + copies > 0 ? copies : null),
    text: (value) => fixed(value, 0),
  },
  {
    title: 'wire to application, mean',
    from: ['latency'],
    read: ({ latency }) => latency?.mean ?? null,
    text: span,
  },
  {
    title: 'wire to application, longest',
    from: ['latency_most'],
    read: ({ latency }) => latency?.most ?? null,
    text: span,
  },
  {
    title: 'response of the task, mean',
    from: ['response'],
    read: ({ response }) => response?.mean ?? null,
    text: span,
  },
  {
    title: 'response of the task, longest',
    from: ['response_most'],
    read: ({ response }) => response?.most ?? null,
    text: span,
  },
  {
    title: 'deadlines missed',
    from: ['missed'],
    read: ({ jobs, missed }) => (jobs > 0 ? missed : null),
    text: integer,
  },
  { title: 'late packets', from: ['late'], read: ({ late }) => late || null, text: integer },
  // What was lost is what was sent without what was processed.
  {
    title: 'frames lost',
    from: ['lost', 'processed'],
    read: ({ lost }) => lost || null,
    text: integer,
  },
];

/** Counters of how long a processor was in a state. */
const TIMES = SHARES.flatMap(({ states }) => states.map(timeCounter));

/** Whether the open question asks about one of these counters, or about a metric of the experiment made from it. */
function useHidesDesigns(...names: readonly string[]): boolean {
  const isAsked = useHidesRealTime(...names);
  const machine = useStore(session, (state) => state.machine);
  const terms = useHiddenMetrics().flatMap(termsOf);
  const nameOf = (term: Term) =>
    term.kind === 'counter' && machine?.parts[term.part]?.type.counters[term.counter]?.name;
  return isAsked || terms.some((term) => names.includes(nameOf(term) || ''));
}

/** Results of each design with the same packets; every number opens its run. */
export default function Designs() {
  const table = useRunTable();
  const liveCommands = useLiveCommands();
  const machine = useStore(session, (state) => state.machine);
  const roles = useStore(realTime);
  const columns = machine && roles ? designColumns(table, machine, roles) : [];
  return (
    <Panel
      title="The designs side by side"
      sub={liveCommands ?? 'each number opens its run'}
      scroll
    >
      {columns.length > 0 ? (
        <Sheet columns={columns} cpus={roles?.cpus.map(({ title }) => title) ?? []} />
      ) : (
        <EmptyState title="There is one design only." />
      )}
    </Panel>
  );
}

/** So many designs have room for each value beside its bar. */
const FEW = 3;

/** So many designs have room for the path of a packet beside the values, on a sheet of this width, in px. */
const [BESIDE, LEAST_BESIDE] = [4, 760];

interface SheetProps {
  readonly columns: readonly DesignColumn[];
  readonly cpus: readonly string[];
}

function Sheet({ columns, cpus }: SheetProps) {
  const [box, { width }] = useSize();
  const beside = columns.length <= BESIDE && width >= LEAST_BESIDE;
  const paths = usePaths();
  return (
    <div className={styles.sheet} ref={box}>
      <table
        className={styles.table}
        data-few={columns.length <= FEW || undefined}
        data-beside={beside || undefined}
        style={{ minWidth: `${84 + columns.length * 80}px` }}
      >
        <caption className="visually-hidden">Results of each design with the same packets</caption>
        <thead>
          <tr>
            <td />
            {beside && <td className={styles.levels} />}
            {columns.map(({ title, variables, current }) => (
              <th
                key={title}
                scope="col"
                colSpan={beside ? 2 : 1}
                data-current={current || undefined}
              >
                <OpenRun variables={variables} title={title} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {!beside && <PacketPaths columns={columns} paths={paths} />}
          {cpus.map((title, cpu) => (
            <Processor
              key={title}
              title={title}
              cpu={cpu}
              columns={columns}
              paths={beside && cpu === 0 ? paths : undefined}
            />
          ))}
          {MEASURES.map((measure) => (
            <Row key={measure.title} measure={measure} columns={columns} />
          ))}
        </tbody>
      </table>
      <Legend kinds={SHARES} className={styles.legend} />
    </div>
  );
}

const WAITS = 'not run yet';

/** Pictures of where the bytes of a packet are, level by level. */
interface Paths {
  readonly sealed: boolean;
  readonly levels: ReactNode;
  of(column: DesignColumn): ReactNode;
}

function usePaths(): Paths {
  const sealed = useHidesDesigns('copied');
  const widths = sealed ? SEALED_WIDTHS : PATH_WIDTHS;
  return {
    sealed,
    levels: (
      <SvgView {...widths} aria-hidden="true">
        <ShapeView shapes={sealed ? sealedLevelShapes() : levelShapes()} />
      </SvgView>
    ),
    of: ({ made }) => {
      if (sealed)
        return (
          <SvgView
            {...widths}
            label="TCP/IP; what comes after it is hidden until the question is answered"
          >
            <ShapeView shapes={sealedPathShapes()} />
          </SvgView>
        );
      if (!made) return <span className={styles.waits}>{WAITS}</span>;
      return (
        <SvgView {...widths} label={pathSentence(made.way)}>
          <ShapeView shapes={pathShapes(made.way)} />
        </SvgView>
      );
    },
  };
}

interface PacketPathsProps {
  readonly columns: readonly DesignColumn[];
  readonly paths: Paths;
}

/** The paths in a row of their own. */
function PacketPaths({ columns, paths }: PacketPathsProps) {
  return (
    <tr className={styles.ways} data-sealed={paths.sealed || undefined}>
      <th scope="row" aria-label="path of a packet">
        {paths.levels}
      </th>
      {columns.map((column) => (
        <td key={column.title} data-current={column.current || undefined}>
          {paths.of(column)}
        </td>
      ))}
    </tr>
  );
}

interface ProcessorProps {
  readonly title: string;
  readonly cpu: number;
  readonly columns: readonly DesignColumn[];
  /** Paths of a packet that are drawn beside the values, down to the last row. */
  readonly paths?: Paths | undefined;
}

/** How each design uses a processor. */
function Processor({ title, cpu, columns, paths }: ProcessorProps) {
  const sealed = useHidesDesigns(...TIMES);
  return (
    <tr>
      <th scope="row">{title}</th>
      {paths && (
        <td rowSpan={0} className={styles.way}>
          {paths.levels}
        </td>
      )}
      {columns.map((column) => (
        <Fragment key={column.title}>
          {paths && (
            <td
              rowSpan={0}
              className={styles.way}
              data-sealed={paths.sealed || undefined}
              data-current={column.current || undefined}
            >
              {paths.of(column)}
            </td>
          )}
          <td data-current={column.current || undefined}>
            {sealed ? <Masked /> : <Busy column={column} cpu={cpu} />}
          </td>
        </Fragment>
      ))}
    </tr>
  );
}

/** A processor's time: utilisation, and by what. */
function Busy({ column, cpu }: { readonly column: DesignColumn; readonly cpu: number }) {
  const shares = column.made?.cpus[cpu];
  if (!shares) return <span className={styles.waits}>{WAITS}</span>;
  const busy = shares.reduce((sum, share) => sum + share, 0);
  if (busy === 0) return <span className={styles.waits}>idle</span>;
  const parts = SHARES.flatMap(({ title }, i) =>
    shares[i] ? [`${title} ${percent((shares[i] ?? 0) * 100)}`] : [],
  );
  return (
    <>
      <OpenRun variables={column.variables} title={percent(busy * 100)} />
      <span className={styles.track} role="img" aria-label={parts.join(', ')}>
        {SHARES.map(({ kind }, i) => (
          <span key={kind} data-kind={kind} style={{ width: percentOf(shares[i] ?? 0) }} />
        ))}
      </span>
    </>
  );
}

const percentOf = (share: number): string => `${(share * 100).toFixed(2)}%`;

interface RowProps {
  readonly measure: Measure;
  readonly columns: readonly DesignColumn[];
}

/** One measure of all designs on one scale; left out if no run has it. */
function Row({ measure: { title, from, read, text }, columns }: RowProps) {
  const sealed = useHidesDesigns(...from);
  const values = columns.map(({ made }) => made && read(made));
  const made = columns.some((column) => column.made !== null);
  if (made && values.every((value) => value === null)) return null;
  const most = Math.max(...values.map((value) => value ?? 0));
  return (
    <tr>
      <th scope="row">{title}</th>
      {columns.map((column, i) => {
        const value = values[i] ?? (column.made && made ? 0 : null);
        return (
          <td key={column.title} data-current={column.current || undefined}>
            {sealed ? (
              <Masked />
            ) : value === null ? (
              <span className={styles.waits}>{WAITS}</span>
            ) : (
              <>
                <OpenRun variables={column.variables} title={text(value)} />
                <span className={styles.bar} aria-hidden="true">
                  <span style={{ width: percentOf(most > 0 ? value / most : 0) }} />
                </span>
              </>
            )}
          </td>
        );
      })}
    </tr>
  );
}
