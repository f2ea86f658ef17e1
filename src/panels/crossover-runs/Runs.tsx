import { useMemo, useState } from 'react';
import { shell } from '../../base/shell-state';
import { useLab } from '../../controllers/useLab';
import { useLiveCommands } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { placeText, sizeText } from '../../draw/lab/along-curve';
import { laneGroup } from '../../draw/run/lab-lanes';
import { lanesModel } from '../../draw/run/lanes';
import { type LabPlan, type LabPoint, pointBetween } from '../../model/lab/plan';
import {
  isSealed,
  type LabRecord,
  type LabState,
  pairShown,
  placeKey,
  type RunPlace,
  runName,
} from '../../model/lab/state';
import { formatRunName, nameOf } from '../../model/report/comparison';
import { setVariables } from '../../model/session/editing';
import { navigateInSession } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { SealedCurves } from '../../widgets/SealedCurves';
import { LanesDrawing } from './LanesDrawing';
import styles from './Runs.module.css';
import { Comparison, RunsTextAlternative } from './TextAlternative';

/** Two runs of the chart, one below the other, from the start of their last transfer. */
export default function Runs() {
  const state = useLab();
  const { plan } = state;
  const pair = pairShown(state);
  if (!plan || !pair)
    return (
      <Panel title="Two runs, same clock">
        <EmptyState title="No run is open.">Press a point of the chart to open its run.</EmptyState>
      </Panel>
    );
  return <Pair state={state} plan={plan} pair={pair} />;
}

interface PairProps {
  readonly state: LabState;
  readonly plan: LabPlan;
  readonly pair: readonly [RunPlace, RunPlace];
}

function Pair({ state, plan, pair }: PairProps) {
  const [comparing, compare] = useState(false);
  const liveCommands = useLiveCommands('all runs here');
  const both = placeKey(pair[0]) === placeKey(pair[1]) ? [pair[0]] : pair;
  const places = both.filter((place) => !isSealed(state, place));
  const records = places.flatMap((place) => state.records.get(placeKey(place)) ?? []);
  const names = places.map((place) => runName(plan, place));
  const [{ size }, other] = pair;
  const at = placeText(plan.axis, size);
  const ats = other.size === size ? at : `${at} and ${sizeText(plan.axis, other.size)}`;
  const title = both.length > 1 ? `Two runs ${ats}, same clock` : `A run ${at}`;
  const runs = names.filter(Boolean).join(' against ');
  const current =
    records.length === places.length && records.every(({ key }) => key === state.runs.key);
  return (
    <Panel
      title={title}
      sub={liveCommands ?? (runs && `${runs}, from the chart`)}
      tools={
        <>
          {places.map((place) => (
            <Button key={placeKey(place)} size="small" onClick={() => openRun(plan, place)}>
              Open {runName(plan, place) ?? 'run'}
            </Button>
          ))}
          {inTable(plan, places) && (
            <Button size="small" onClick={() => compareRuns(plan, places)}>
              Compare in lockstep
            </Button>
          )}
          {records.length > 1 && (
            <Button size="small" aria-pressed={comparing} onClick={() => compare(!comparing)}>
              {comparing ? 'On the clock' : 'In numbers'}
            </Button>
          )}
        </>
      }
      textAlternative={<RunsTextAlternative plan={plan} records={records} />}
      masked={places.length === 0}
      scroll
    >
      {comparing && records.length > 1 ? (
        <Comparison plan={plan} records={records} />
      ) : (
        <OneClock plan={plan} records={records} stale={!current} />
      )}
      <SealedCurves state={state} plan={plan} among={both} />
    </Panel>
  );
}

const pointOf = (plan: LabPlan, { series, size }: RunPlace) =>
  plan.points.find((one) => one.series === series && one.size === size);

/** Only runs of the table can be compared: their positions identify them. */
const inTable = (plan: LabPlan, places: readonly RunPlace[]): boolean =>
  places.length > 1 && places.every((place) => pointOf(plan, place));

/** Opens the comparison view with two runs. */
function compareRuns(plan: LabPlan, places: readonly RunPlace[]): void {
  const [a, b] = places.flatMap((place) => pointOf(plan, place) ?? []);
  if (!a || !b) return;
  const name = (point: LabPoint) => formatRunName(nameOf(plan.scenario, point.variables));
  navigateInSession('compare', { a: name(a), b: name(b) });
}

/** Opens this run in the machine view. */
function openRun(plan: LabPlan, place: RunPlace): void {
  const series = plan.series[place.series];
  const point = pointOf(plan, place) ?? (series && pointBetween(plan, series, place.size));
  if (!point || setVariables(point.variables)) return;
  navigateInSession('machine');
}

/** Below this width the lanes have fewer ticks and shorter names. */
const COMPACT = 620;

interface ClockProps {
  readonly plan: LabPlan;
  readonly records: readonly LabRecord[];
  readonly stale: boolean;
}

function OneClock({ plan, records, stale }: ClockProps) {
  const [box, { width }] = useSize();
  const lecture = useStore(shell, (state) => state.lecture);
  const scale = lecture ? 1.5 : 1;
  const sheet = Math.floor(width / scale);
  const [first, second] = records;
  // A long run has some ten thousand bars: they are computed again only for another run or width.
  const model = useMemo(() => {
    const groups = [first, second].flatMap((record) => (record && laneGroup(plan, record)) ?? []);
    if (sheet < 200 || groups.length === 0) return null;
    return lanesModel({ width: sheet, groups, compact: sheet < COMPACT });
  }, [plan, first, second, sheet]);
  return (
    <div className={styles.clock} ref={box} data-stale={stale || undefined}>
      {model && <LanesDrawing model={model} />}
    </div>
  );
}
