import { Suspense, useMemo, useRef, useState } from 'react';
import { count, fixed, integer } from '../../base/format';
import { showToast } from '../../base/notices';
import { useCommands } from '../../controllers/useCommands';
import { lab, useLab } from '../../controllers/useLab';
import { useLiveCommands } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import type { LabPlan } from '../../model/lab/plan';
import type { LabState } from '../../model/lab/state';
import { session, setMeasured } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState, ErrorNotice, ProgressLine } from '../../widgets/Feedback';
import { Icon } from '../../widgets/Icon';
import { loadable } from '../../widgets/loadable';
import { Menu, type MenuItem } from '../../widgets/Menu';
import { Panel } from '../../widgets/Panel';
import { SealedCurves } from '../../widgets/SealedCurves';
import { Segmented } from '../../widgets/Segmented';
import { savePng, saveSvg } from '../../widgets/svg-file';
import styles from './Chart.module.css';
import { saveCsv } from './files';
import { HandleSliders } from './HandleSliders';
import { comparisonColumns } from './linear-fits';
import { OwnTable } from './OwnTable';
import { Sheet } from './Sheet';
import { ChartTextAlternative } from './TextAlternative';

const SECTION = 'Lab';

const Fit = loadable(() => import('./Fit'));

/** Measured marks and simulated curves over the experiment's axis, with draggable crossings. */
export default function Chart() {
  const state = useLab();
  const { plan } = state;
  if (!plan)
    return (
      <Panel title="Curves and their crossings">
        <EmptyState title="No experiment is open.">
          A scenario whose experiment has curves that cross shows them here.
        </EmptyState>
      </Panel>
    );
  return <PlannedChart state={state} plan={plan} />;
}

function PlannedChart({ state, plan }: { readonly state: LabState; readonly plan: LabPlan }) {
  const measured = useStore(session, (now) => now.measured);
  const [dialog, setDialog] = useState<'table' | 'fit' | null>(null);
  const body = useRef<HTMLDivElement>(null);
  const columns = useMemo(
    () => comparisonColumns(plan, state.linearFit, measured?.table ?? null),
    [plan, state.linearFit, measured],
  );
  const liveCommands = useLiveCommands('all runs here');
  const metric = plan.scenario.metrics.get(state.metric)?.title ?? '';
  const title = `${capital(metric)} by ${plan.axis.title}`;
  const layers = layerItems(state, measured !== null, setDialog);
  useChartCommands(plan, state, body, layers);
  return (
    <Panel
      title={title}
      sub={liveCommands}
      tools={<Tools state={state} plan={plan} layers={layers} />}
      textAlternative={<ChartTextAlternative state={state} plan={plan} extra={columns} />}
    >
      <div className={styles.body} ref={body}>
        {state.problem && (
          <ErrorNotice
            title="The engine stopped"
            detail={`${state.problem} Finished runs are kept.`}
            actions={[{ title: 'Run again', run: () => lab.resume() }]}
          />
        )}
        <SealedCurves state={state} plan={plan} />
        <HandleSliders state={state} plan={plan} />
        <Sheet state={state} plan={plan} columns={columns} title={title} />
      </div>
      {dialog === 'table' && <OwnTable onClose={() => setDialog(null)} />}
      {dialog === 'fit' && (
        <Suspense fallback={null}>
          <Fit isSealed={state.sealed.length > 0} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </Panel>
  );
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

interface ToolsProps {
  readonly state: LabState;
  readonly plan: LabPlan;
  readonly layers: readonly MenuItem[];
}

function Tools({ state, plan, layers }: ToolsProps) {
  const { experiment, metrics } = plan.scenario;
  const options = (experiment?.metrics ?? []).map((name) => ({
    value: name,
    title: metrics.get(name)?.title ?? name,
  }));
  return (
    <>
      <Segmented
        label="What the chart shows"
        options={options}
        value={state.metric}
        onChange={(metric) => lab.setMetric(metric)}
      />
      <Progress state={state} />
      <Menu label="Layers of the chart" items={layers} className={styles.menu}>
        Layers <Icon name="down" size={12} />
      </Menu>
      {!state.progress && (
        <span className={styles.wide}>
          <Button look="link" onClick={() => saveCsv(plan, state)}>
            Export CSV
          </Button>
        </span>
      )}
    </>
  );
}

/** Progress of the runs, then their duration. */
function Progress({ state }: { readonly state: LabState }) {
  const { progress, stopped, took } = state;
  if (progress && stopped)
    return (
      <span className={styles.stopped}>
        stopped at {integer(progress.done)} of {integer(progress.total)} runs{' '}
        <Button look="link" onClick={() => lab.resume()}>
          Go on
        </Button>
      </span>
    );
  if (progress)
    return (
      <span className={styles.progress}>
        <ProgressLine label="Runs" {...progress} onStop={() => lab.stop()} />
      </span>
    );
  if (!took) return null;
  return (
    <span className={styles.took}>
      {count(took.runs, 'run')}, {fixed(took.ms / 1000, 1)} s
    </span>
  );
}

function layerItems(
  state: LabState,
  hasOwn: boolean,
  openDialog: (dialog: 'table' | 'fit') => void,
): MenuItem[] {
  const items = [
    {
      id: 'lab.context',
      title: state.context ? 'Hide the memory columns' : 'Show the memory columns',
      run: () => lab.setContext(!state.context),
    },
    {
      id: 'lab.linear-fit',
      title: state.linearFit ? 'Hide the linear fit' : 'Show the linear fit',
      run: () => lab.setLinearFit(!state.linearFit),
    },
    { id: 'lab.own', title: 'Show your own gttp table…', run: () => openDialog('table') },
  ];
  const fit = {
    id: 'lab.own.fit',
    title: 'Fit the constants to your table…',
    run: () => openDialog('fit'),
  };
  const remove = {
    id: 'lab.own.remove',
    title: 'Remove your table',
    run: () => setMeasured(null),
  };
  return hasOwn ? [...items, fit, remove] : items;
}

function useChartCommands(
  plan: LabPlan,
  state: LabState,
  body: React.RefObject<HTMLDivElement | null>,
  layers: readonly MenuItem[],
): void {
  const drawing = () => body.current?.querySelector<SVGSVGElement>('[data-chart] > svg') ?? null;
  const withDrawing = (save: (svg: SVGSVGElement, title: string) => Promise<void>) => () => {
    const svg = drawing();
    if (svg) void save(svg, plan.scenario.title);
    else showToast('Show the chart as a picture first.');
  };
  const menu = 'export' as const;
  useCommands([
    {
      id: 'lab.csv',
      title: 'Export the runs as CSV',
      section: SECTION,
      menu,
      run: () => saveCsv(plan, state),
    },
    {
      id: 'lab.svg',
      title: 'Export the chart as SVG',
      section: SECTION,
      menu,
      run: withDrawing(saveSvg),
    },
    {
      id: 'lab.png',
      title: 'Export the chart as PNG',
      section: SECTION,
      menu,
      run: withDrawing(savePng),
    },
    {
      id: 'lab.next',
      title: `Next ${plan.axis.title}`,
      section: SECTION,
      keys: ['ArrowRight'],
      run: () => lab.walk(1),
    },
    {
      id: 'lab.previous',
      title: `Previous ${plan.axis.title}`,
      section: SECTION,
      keys: ['ArrowLeft'],
      run: () => lab.walk(-1),
    },
    ...layers.map(({ id, title, run }) => ({ id, title, run, section: SECTION })),
  ]);
}
