import { useEffect, useId, useRef, useState } from 'react';
import { headOf, significant } from '../../base/format';
import { showOverlay } from '../../base/shell-state';
import { sweptParam } from '../../controllers/sweep-request';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  facetsOf,
  hasLooks,
  type SweepChart,
  type SweepLook,
  sweepSentence,
  sweepShapes,
} from '../../draw/run/sweep-charts';
import { allMeasures } from '../../model/scenario/measure';
import { setVariables } from '../../model/session/editing';
import { session } from '../../model/session/session';
import type { PointResult } from '../../model/sweep/run-points';
import { usualValues } from '../../model/sweep/sweep-axis';
import { sweepTable, tableCsv } from '../../model/sweep/sweep-file';
import { type SweepPlan, settingsAt } from '../../model/sweep/sweep-plan';
import { Button } from '../../widgets/Button';
import { Dialog } from '../../widgets/Dialog';
import { download, fileName } from '../../widgets/download';
import { ErrorNotice, ProgressLine } from '../../widgets/Feedback';
import { savePanel } from '../../widgets/panel-picture';
import { Segmented } from '../../widgets/Segmented';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { type Column, Table } from '../../widgets/Table';
import { WaitsForAnswers } from '../../widgets/WaitsForAnswers';
import styles from './Sweep.module.css';
import { cancelSweep, startSweep, sweeping } from './sweeping';

/** Any parameter, or two, over a range: what the runs measure, as curves or heat maps, each run to open. */
export default function Sweep() {
  const hasMachine = useStore(session, (state) => state.machine !== null);
  useEffect(() => cancelSweep, []);
  return (
    <Dialog title="Sweep" className={styles.dialog} onClose={() => showOverlay(null)}>
      {hasMachine && (
        <div className={styles.body}>
          <WaitsForAnswers what="a sweep" onGo={() => showOverlay(null)}>
            <Form />
            <Results />
          </WaitsForAnswers>
        </div>
      )}
    </Dialog>
  );
}

const VALUES = ['Values', 'Its values', 'Its values, chart by chart'];

function Form() {
  const machine = useStore(session, (state) => state.machine);
  const data = useStore(session, (state) => state.data);
  const [params, setParams] = useState<readonly string[]>([sweptParam.getState().path, '', '']);
  const [values, setValues] = useState<readonly string[]>(() => [
    machine ? usualValues(machine, params[0] ?? '') : '',
    '',
    '',
  ]);
  const [measures, setMeasures] = useState(() => [...(data?.metrics.keys() ?? [])][0] ?? '');
  const lists = useId();
  if (!machine || !data) return null;
  const variables = [...data.variables.values()].map(({ name, title }) => ({ path: name, title }));
  const swept = machine.parts.flatMap((part) =>
    part.params
      .filter(({ spec, variable }) => spec.type !== 'address' && !variable)
      .map(({ path, spec }) => ({ path, title: `${part.title}, ${spec.title}` })),
  );
  const paths = [...variables, ...swept];
  const choose = (i: number, path: string) => {
    setParams(params.with(i, path));
    if (paths.some((one) => one.path === path))
      setValues(values.with(i, usualValues(machine, path)));
  };
  const run = () => {
    const used = params.map((_, i) => i).filter((i) => params[i]?.trim());
    const chosen = measures.split(',').map((name) => name.trim());
    void startSweep({
      params: used.map((i) => params[i] ?? ''),
      values: used.map((i) => values[i] ?? ''),
      measures: chosen.filter((name) => name !== ''),
    });
  };
  const axis = (i: number, title: string) => (
    <>
      <label>
        {title}
        <input
          list={`${lists}-params`}
          value={params[i]}
          placeholder="part.parameter"
          onChange={({ target }) => choose(i, target.value)}
        />
      </label>
      <label>
        {VALUES[i]}
        <input
          value={values[i]}
          placeholder="1..16 or 1, 2, 4"
          onChange={({ target }) => setValues(values.with(i, target.value))}
        />
      </label>
    </>
  );
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      {axis(0, 'Parameter')}
      {axis(1, 'Second parameter, if any')}
      {params[1] !== '' && axis(2, 'Third parameter, a chart for each value')}
      <label>
        Measures, separated by commas
        <input
          list={`${lists}-measures`}
          value={measures}
          placeholder="a metric, or part.counter"
          onChange={({ target }) => setMeasures(target.value)}
        />
      </label>
      <datalist id={`${lists}-params`}>
        {paths.map(({ path, title }) => (
          <option key={path} value={path} label={title} />
        ))}
      </datalist>
      <datalist id={`${lists}-measures`}>
        {allMeasures(data, machine.parts).map(({ name, title }) => (
          <option key={name} value={name} label={title} />
        ))}
      </datalist>
      <Button type="submit" look="primary" className={styles.run}>
        Run
      </Button>
    </form>
  );
}

function Results() {
  const { plan, results, total, running, problem } = useStore(sweeping);
  const drawings = useRef<HTMLDivElement>(null);
  const [box, { width: room }] = useSize(drawings);
  const [chosen, choose] = useState<SweepLook | null>(null);
  if (problem !== null) return <ErrorNotice title="The sweep cannot run" detail={problem} />;
  if (!plan) return null;
  const looks = hasLooks(plan.axes);
  const look: SweepLook = chosen ?? (looks ? 'lines' : 'map');
  const isSmall = plan.axes.length > 2 || room < WIDTH;
  const save = (as: 'svg' | 'png') => {
    const { title } = plan.scenario;
    if (drawings.current) void savePanel(drawings.current, as, `${title} sweep`);
  };
  const saveCsv = () => {
    const csv = tableCsv(sweepTable(plan, total, results));
    download(`${fileName(plan.scenario.title)}-sweep.csv`, csv, 'text/csv');
  };
  return (
    <div className={styles.results}>
      {running && (
        <ProgressLine label="Running" done={results.length} total={total} onStop={cancelSweep} />
      )}
      {!running && results.length < total && (
        <p role="status">
          Stopped after {results.length} of {total} runs.
        </p>
      )}
      {results.length > 0 && (
        <>
          {looks && (
            <div>
              <Segmented<SweepLook>
                label="Drawn as"
                options={LOOKS}
                value={look}
                onChange={choose}
              />
            </div>
          )}
          <div className={styles.charts} ref={box} data-many={plan.axes.length > 2 || undefined}>
            {plan.measures.map((measure, index) => (
              <Facets
                key={measure.name}
                chart={{ axes: plan.axes, measure, index, results, look }}
                isSmall={isSmall}
              />
            ))}
          </div>
          <div className={styles.table}>
            <RunTable plan={plan} results={results} />
          </div>
          <div className={styles.files}>
            <Button look="link" onClick={saveCsv}>
              CSV
            </Button>
            <Button look="link" onClick={() => save('svg')}>
              SVG
            </Button>
            <Button look="link" onClick={() => save('png')}>
              PNG
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

const LOOKS = [
  { value: 'lines', title: 'lines' },
  { value: 'map', title: 'heat map' },
] as const;

const [WIDTH, HEIGHT] = [480, 240];
/** Of one of several charts, or on a phone. */
const [SMALL_WIDTH, SMALL_HEIGHT] = [340, 200];

interface FacetsProps {
  readonly chart: SweepChart;
  readonly isSmall: boolean;
}

function Facets({ chart, isSmall }: FacetsProps) {
  const [width, height] = isSmall ? [SMALL_WIDTH, SMALL_HEIGHT] : [WIDTH, HEIGHT];
  const facets = facetsOf(chart);
  return facets.map(({ title, chart: own }) => {
    const sentence = sweepSentence(own);
    return (
      <figure key={title}>
        {title !== null && <figcaption>{title}</figcaption>}
        <SvgView
          width={width}
          height={height}
          fit="width"
          label={title === null ? sentence : `${title}. ${sentence}`}
        >
          <ShapeView shapes={sweepShapes(own, width, height)} />
        </SvgView>
      </figure>
    );
  });
}

interface RunTableProps {
  readonly plan: SweepPlan;
  readonly results: readonly PointResult[];
}

/** Every run with its values; a press opens it. */
function RunTable({ plan, results }: RunTableProps) {
  const open = ({ point }: PointResult) => {
    const { edits, variables } = settingsAt(plan, point);
    if (variables.ok) setVariables(variables.value, edits);
    showOverlay(null);
  };
  const columns: Column<PointResult>[] = [
    {
      id: 'run',
      title: plan.axes.map(({ title }) => title).join(' · '),
      cell: (result) => (
        <Button look="link" onClick={() => open(result)}>
          {Object.values(result.point.at).join(' · ')}
        </Button>
      ),
    },
    ...plan.measures.map(
      (measure, i): Column<PointResult> => ({
        id: measure.name,
        title: headOf(measure.title, measure.unit),
        numeric: true,
        cell: ({ values, problem }) => {
          const value = values[i] ?? null;
          return value === null ? problem || 'none' : significant(value, 5);
        },
      }),
    ),
  ];
  return (
    <Table
      caption="Every run of the sweep with its results; each can be opened"
      columns={columns}
      rows={results.toSorted((a, b) => a.point.index - b.point.index)}
      rowKey={({ point }) => String(point.index)}
    />
  );
}
