import { count, integer, unitAfter } from '../../base/format';
import { shell } from '../../base/shell-state';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFrameValue, useLiveCommands, useRun } from '../../controllers/useRun';
import { useRunTable } from '../../controllers/useRunTable';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  type BarsModel,
  barsModel,
  type ColumnsModel,
  columnsModel,
  MAX_METRICS_SHOWN,
  metricText,
  type ResultBar,
  rangeOf,
} from '../../draw/pools/results';
import { REQUESTS } from '../../draw/pools/room';
import { servingPools } from '../../draw/pools/usage';
import { namedTitle, numberAxes } from '../../draw/run/run-rows';
import type { RunRow, RunTable } from '../../model/lab/run-table';
import type { Assignment } from '../../model/scenario/scenario-types';
import { setVariables } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { ErrorNotice } from '../../widgets/Feedback';
import { Masked } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { Section } from '../../widgets/Section';
import { SvgView } from '../../widgets/SvgView';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { poolsNow, usePoolViews } from './pools-now';
import styles from './Results.module.css';

const NOTHING: Assignment = {};

/** Results of the experiment's runs, and the requests that the pools of the open run could still serve. */
export default function Results() {
  useRun();
  usePoolViews();
  const table = useRunTable();
  const { rows, done, problem } = table;
  const liveCommands = useLiveCommands();
  const answerMask = useAnswerMask();
  const masked = table.metrics
    .slice(0, MAX_METRICS_SHOWN)
    .some((one) => answerMask?.masksMetric(one));
  const running = rows.length > 0 && done < rows.length && problem === null;
  return (
    <Panel
      title="Results"
      sub={liveCommands ?? (running && `${done} of ${rows.length} runs`)}
      textAlternative={<ChartTextAlternative table={table} />}
      masked={masked}
      scroll
    >
      {problem !== null && <ErrorNotice title="These runs cannot be started" detail={problem} />}
      <Charts table={table} />
      <Serving />
    </Panel>
  );
}

const open = ({ point }: RunRow): void => {
  setVariables({ ...session.getState().variables, ...point.variables });
};

function Charts({ table }: { readonly table: RunTable }) {
  const variables = useStore(session, ({ machine }) => machine?.variables ?? NOTHING);
  const scale = useStore(shell, ({ lecture }) => (lecture ? 1.5 : 1));
  const [box, { width }] = useSize();
  const sheet = Math.max(200, Math.floor(width / scale) - 28);
  const bars = width > 0 ? barsModel(table, variables, sheet) : null;
  return (
    <div ref={box}>
      {bars && (
        <Section title={capital(bars.metric.title)} aside={<BracketKey />}>
          <Bars model={bars} />
        </Section>
      )}
      {width > 0 &&
        numberAxes(table).map((axis) => {
          const model = columnsModel(table, axis, variables, sheet);
          return (
            model && (
              <Section
                key={axis.name}
                title={capital(axis.title)}
                aside={restText(table, axis.name)}
              >
                <Columns model={model} />
              </Section>
            )
          );
        })}
    </div>
  );
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The fixed values of the other axes: "1 pool, call outside, TSO off". */
function restText({ axes }: RunTable, shown: string): string {
  const variables = session.getState().machine?.variables ?? NOTHING;
  return axes
    .filter(({ name }) => name !== shown)
    .map((axis) =>
      namedTitle(axis.titles[axis.values.indexOf(variables[axis.name] ?? '')] ?? '', axis),
    )
    .join(', ');
}

const BracketKey = () => (
  <span className={styles.key}>
    <svg width="22" height="10" aria-hidden="true">
      <path className={styles.bracket} d="M1 1v8M21 1v8M1 5h20" />
    </svg>
    published
  </span>
);

const barLabel = ({ title, text, value, bracket }: ResultBar, unit: string): string =>
  `${title}: ${value === undefined ? 'not run yet' : `${text} ${unitAfter(text, unit)}`}${bracket ? `, ${bracket.text}` : ''}`;

function Bars({ model }: { readonly model: BarsModel }) {
  const { metric, width, height, ticks, bottom, bars } = model;
  return (
    <SvgView
      {...{ width, height }}
      fit="width"
      interactive
      label={`${metric.title}, one bar for each run`}
    >
      {ticks.map((tick) => (
        <g key={tick.value}>
          <line className="hair" x1={tick.at} x2={tick.at} y1={4} y2={bottom} />
          <text x={tick.at} y={bottom + 12} className={`t10 i3 ${tick.major ? '' : 'mid'}`}>
            {tick.label}
          </text>
        </g>
      ))}
      {bars.map((bar) => (
        <Pressed key={bar.row.point.index} row={bar.row} label={barLabel(bar, metric.unit)}>
          <rect className={styles.hit} x={0} y={bar.y - 13} width={width} height={30} />
          {bar.ghost !== null && (
            <path className={styles.ghost} d={`M${bar.ghost} ${bar.y + 1}v15`} />
          )}
          <text x={0} y={bar.y - 1} className={`t12 halo ${bar.current ? 'b6' : 'i2'}`}>
            {bar.title}
          </text>
          <rect
            className={bar.current ? styles.current : styles.bar}
            data-old={bar.old || undefined}
            x={0}
            y={bar.y + 3}
            width={bar.width}
            height={11}
          />
          {bar.bracket && (
            <path
              className={styles.bracket}
              d={`M${bar.bracket.from} ${bar.y + 1.5}v14M${bar.bracket.to} ${bar.y + 1.5}v14M${bar.bracket.from} ${bar.y + 8.5}H${bar.bracket.to}`}
            />
          )}
          <text x={bar.textX} y={bar.y + 12.5} className="t12 b6 halo">
            {bar.text}
          </text>
        </Pressed>
      ))}
    </SvgView>
  );
}

/** A mark of a drawing that opens its run. */
function Pressed(props: {
  readonly row: RunRow;
  readonly label: string;
  readonly children: React.ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: an SVG cannot contain a button
    <g
      role="button"
      tabIndex={0}
      className={styles.pressed}
      aria-label={props.label}
      onClick={() => open(props.row)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        open(props.row);
      }}
    >
      {props.children}
    </g>
  );
}

function Columns({ model }: { readonly model: ColumnsModel }) {
  const { axis, metrics, width, height, base, columns } = model;
  const [first, ...others] = metrics;
  return (
    <SvgView
      {...{ width, height }}
      fit="width"
      interactive
      label={`${first?.title} by ${axis.title}`}
    >
      <line className="rule" x1={50} x2={width} y1={base} y2={base} />
      <text x={0} y={base - 12} className="t11 i2">
        {first?.unit || first?.title}
      </text>
      <text x={0} y={base + 13} className="t11 i2">
        {shortTitle(axis.title)}
      </text>
      {others.map((metric, i) => (
        <text key={metric.name} x={0} y={base + 13 + (i + 1) * 17} className="t11 i2">
          {metric.title.split(' ')[0]}
        </text>
      ))}
      {columns.map((column) => (
        <Pressed
          key={column.row.point.index}
          row={column.row}
          label={`${axis.title} ${column.title}: ${column.texts[0] || 'not run yet'} ${first?.unit ?? ''}`}
        >
          <rect className={styles.hit} x={column.x - 15} y={0} width={30} height={height} />
          <rect
            className={column.current ? styles.current : styles.bar}
            data-old={column.row.state === 'old' || undefined}
            x={column.x - column.width / 2}
            y={column.top}
            width={column.width}
            height={base - column.top}
          />
          {column.ghost !== null && (
            <path
              className={styles.ghost}
              d={`M${column.x - column.width / 2 - 3} ${column.ghost}h${column.width + 6}`}
            />
          )}
          <text x={column.x} y={column.top - 4} className="t11 mid b5">
            {column.texts[0]}
          </text>
          <text x={column.x} y={base + 13} className="t11 mid">
            {column.title}
          </text>
          {column.texts.slice(1).map((words, i) => (
            <text
              key={metrics[i + 1]?.name}
              x={column.x}
              y={base + 13 + (i + 1) * 17}
              className="t11 mid i2"
            >
              {words}
            </text>
          ))}
        </Pressed>
      ))}
    </SvgView>
  );
}

const MOST_TITLE = 12;
const shortTitle = (title: string): string =>
  title.length <= MOST_TITLE ? title : (title.split(' ').at(-1) ?? title);

let served = { from: poolsNow(), text: '' };

/** How many pools have a free run for each request; one string, which compares by value. */
function servingNow(): string {
  const now = poolsNow();
  if (now !== served.from)
    served = { from: now, text: now ? servingPools(now.uses, REQUESTS).join(' ') : '' };
  return served.text;
}

/** A square for each pool, filled if it has a free run that is long enough. */
function Serving() {
  const text = useFrameValue(servingNow);
  const pools = useFrameValue(() => poolsNow()?.uses.length ?? 0);
  if (text === '') return null;
  const counts = text.split(' ').map(Number);
  return (
    <Section title="Pools that can serve a request of n entries">
      <ul className={styles.serving}>
        {REQUESTS.map((pages, i) => (
          <li key={pages}>
            <span
              className={styles.squares}
              style={{ '--columns': Math.min(4, pools) } as React.CSSProperties}
              aria-hidden="true"
            >
              {Array.from({ length: pools }, (_, pool) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: squares have no identity but their index
                <i key={pool} data-on={pool < (counts[i] ?? 0) || undefined} />
              ))}
            </span>
            <b>{integer(counts[i] ?? 0)}</b>
            <span className={styles.pages}>
              <span className="visually-hidden">pools for requests of </span>
              {integer(pages)}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function publishedText(row: RunRow, index: number): string {
  const figure = row.published[index];
  if (!figure) return '';
  const [low, high] = rangeOf(figure);
  return ` (published ${low === high ? low : `${low} to ${high}`})`;
}

function ChartTextAlternative({ table }: { readonly table: RunTable }) {
  const text = useFrameValue(servingNow);
  const counts = text.split(' ').map(Number);
  const answerMask = useAnswerMask();
  const { axes, metrics, rows } = table;
  return (
    <TextAlternative
      summary="Every run of the experiment, and how many pools of the open run have room for a request."
      sentences={
        text === ''
          ? []
          : REQUESTS.map(
              (pages, i) =>
                `A request of ${count(pages, 'entry', 'entries')} can be served by ${count(counts[i] ?? 0, 'pool')}.`,
            )
      }
    >
      {rows.length > 0 && (
        <Table<RunRow>
          caption="Runs of the experiment"
          columns={[
            {
              id: 'run',
              title: axes.map(({ title }) => title).join(', '),
              cell: ({ titles }) => titles.join(', '),
            },
            ...metrics.map((metric, i) => ({
              id: metric.name,
              title: `${metric.title}${metric.unit ? `, ${unitAfter('', metric.unit)}` : ''}`,
              numeric: true,
              cell: (row: RunRow) =>
                answerMask?.masksMetric(metric) ? (
                  <Masked />
                ) : (
                  `${metricText(metric, row.values[i]) || 'not run yet'}${publishedText(row, i)}`
                ),
            })),
          ]}
          rows={rows}
          rowKey={({ point }) => String(point.index)}
        />
      )}
    </TextAlternative>
  );
}
