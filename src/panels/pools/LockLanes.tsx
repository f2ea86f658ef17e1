import { type ReactNode, useCallback, useMemo } from 'react';
import { text as textOf } from '../../base/format';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useCauses } from '../../controllers/useCauses';
import { useComparisonPlayer } from '../../controllers/useComparisonRun';
import { readForLanes, shownWindow } from '../../controllers/usePlayheadWindow';
import {
  NO_COMMANDS,
  runTime,
  useFrameValue,
  useLiveCommands,
  useRun,
} from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { type LockedRun, lockLanes, locksText, timeShares } from '../../draw/pools/lanes';
import { comparisonRows, comparisonTitle, isCurrent, runTitle } from '../../draw/run/run-rows';
import type { Window } from '../../draw/run/timeline-axis';
import { createWorkerEngine } from '../../engine/workers';
import { type RunRow, startTable } from '../../model/lab/run-table';
import { LockLog } from '../../model/pools/lock-log';
import { poolViewsOf } from '../../model/pools/pool-views';
import { compile } from '../../model/scenario/compile';
import type { CompiledMachine } from '../../model/scenario/compiled';
import type { Scenario } from '../../model/scenario/scenario-types';
import { ComparisonRun } from '../../model/session/comparison-run';
import { player } from '../../model/session/open-run';
import { point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import type { Trace } from '../../model/trace/trace';
import { LaneSheet } from '../../widgets/LaneSheet';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './LockLanes.module.css';
import { poolView } from './pool-view';

const comparison = new ComparisonRun(createWorkerEngine);

/** Most lanes that the text covers. */
const MOST_LANES = 64;

/** Room for "CPU 12". */
const LEFT = 84;

/** The time of each CPU and the holders of the lock: the open run, and another on the same time axis. */
export default function LockLanes() {
  useRun();
  const { ownTitle: title, other, others, titleOf } = useRuns();
  useComparisonPlayer(comparison, other);
  const liveCommands = useLiveCommands();
  const machine = useStore(session, (state) => state.machine);
  const side = useStore(comparison.state);
  const reasons = useCauses();
  const selected = useStore(selection, ({ event }) => event);
  const recorded = useStore(player.state, (state) => state.recorded);
  const mine = useLockedRun(machine, player.trace());
  const otherRun = useLockedRun(side.machine, side.recording?.trace ?? null);
  const besides = other ? titleOf(other) : '';
  const textAlternative = [
    { title, run: mine },
    ...(other ? [{ title: besides, run: otherRun }] : []),
  ];
  return (
    <Panel
      title="Lock lanes"
      bare
      textAlternative={<LanesTextAlternative sides={textAlternative} />}
    >
      <div className={styles.sides}>
        <Side
          title={<b>{title}</b>}
          {...{ selected, reasons }}
          name={title}
          run={mine}
          version={recorded}
          isOpen
        />
        {other && (
          <Side
            title={
              <>
                <Select
                  label="Compared run"
                  options={others.map((row) => ({
                    value: String(row.point.index),
                    title: titleOf(row),
                  }))}
                  value={String(other.point.index)}
                  onChange={(index) => poolView.setState({ comparison: Number(index) })}
                />
                {liveCommands && <small> {NO_COMMANDS}</small>}
              </>
            }
            name={besides}
            failure={side.failure}
            run={otherRun}
            version={side.recorded}
            selected={null}
            reasons={NO_REASONS}
          />
        )}
      </div>
    </Panel>
  );
}

const NO_REASONS: ReturnType<typeof useCauses> = [];

/** A run with its lock log; the same object while machine and trace are the same. */
function useLockedRun(machine: CompiledMachine | null, trace: Trace | null): LockedRun | null {
  const tracks = useStore(session, (state) => state.data?.view.lanes);
  return useMemo(() => {
    const views = poolViewsOf(machine);
    if (!machine || !trace || !views) return null;
    return { machine, trace, log: new LockLog(trace, views.part), tracks: tracks ?? [] };
  }, [machine, trace, tracks]);
}

/**
 * The open run, the runs to compare it with, and the compared one: by default the one whose locks differ
 * most.
 */
function useRuns() {
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const chosen = useStore(poolView, (state) => state.comparison);
  const table = useMemo(() => startTable(data), [data]);
  const others = useMemo(
    () => (machine ? comparisonRows(table, machine.variables) : []),
    [table, machine],
  );
  const mostDifferent = useMemo(
    () => (data && machine ? mostDifferentRun(data, machine, others) : undefined),
    [data, machine, others],
  );
  const own = table.rows.find((row) => machine && isCurrent(row, machine.variables));
  const other = others.find(({ point: { index } }) => index === chosen) ?? mostDifferent;
  const variables = machine?.variables ?? {};
  return {
    other,
    others,
    ownTitle: own ? runTitle(own, table, variables) || 'this run' : 'this run',
    titleOf: (row: RunRow) => comparisonTitle(row, table, variables),
  };
}

const MAX_POOLS = 16;

const paramsOf = (machine: CompiledMachine) =>
  machine.parts[poolViewsOf(machine)?.part ?? -1]?.params ?? [];

/** Pools of a machine's map; 0 means the default. */
const poolsOf = (machine: CompiledMachine): number =>
  Number(paramsOf(machine).find(({ spec }) => spec.name === 'pools')?.value ?? 0) || MAX_POOLS;

/** Difference of two maps: in the number of locks, then in other settings. */
function distance(one: CompiledMachine, other: CompiledMachine): number {
  const others = paramsOf(other);
  const settings = paramsOf(one).filter(({ value }, i) => value !== others[i]?.value).length;
  return Math.abs(poolsOf(one) - poolsOf(other)) + settings / 100;
}

/** The run whose map differs most from that of the open one; of equals the last. */
function mostDifferentRun(scenario: Scenario, machine: CompiledMachine, rows: readonly RunRow[]) {
  let best: { row: RunRow; apart: number } | undefined;
  for (const row of rows) {
    const other = compile(scenario, { variables: row.point.variables });
    const apart = other.ok ? distance(other.value, machine) : 0;
    if (!best || apart >= best.apart) best = { row, apart };
  }
  return best?.row;
}

interface SideProps {
  readonly title: ReactNode;
  readonly name: string;
  readonly run: LockedRun | null;
  /** Grows with its trace. */
  readonly version: number;
  readonly selected: number | null;
  readonly reasons: ReturnType<typeof useCauses>;
  readonly failure?: string | null;
  /** Whether it is the open run, whose bars can be selected. */
  readonly isOpen?: boolean;
}

function Side(props: SideProps) {
  const { title, name, run, version, selected, reasons, failure, isOpen = false } = props;
  const lanes = useCallback(
    (window: Window, most: number) => {
      if (run) readForLanes(run.log);
      return run ? lockLanes(run, window, most) : [];
    },
    [run],
  );
  useWindowWhilePaused();
  const masked = useMasksWaits();
  const shares = useFrameValue(() => sharesText(masked ? null : run));
  const locks = useFrameValue(() => (run && !masked ? locksText(run, reached()) : ''));
  return (
    <section className={styles.side} aria-label={name}>
      <header className={styles.head}>
        <span className={styles.title}>{title}</span>
        {failure ? <span className={styles.failure}>{failure}</span> : <Shares text={shares} />}
      </header>
      <div className={styles.lanes}>
        <LaneSheet
          label={`CPUs and locks, ${name}`}
          left={LEFT}
          dense
          selected={selected}
          reasons={reasons}
          version={version}
          lanes={lanes}
          onPick={({ lane: { part } }, { seq }) => isOpen && select({ part, event: seq })}
          onPoint={(row, span) =>
            isOpen && point(row && span ? { part: row.lane.part, event: span.seq } : {})
          }
        />
      </div>
      {locks && <p className={styles.locks}>{locks}</p>}
    </section>
  );
}

/** Whether the open question asks about the CPUs' time or waits. */
function useMasksWaits(): boolean {
  const answerMask = useAnswerMask();
  const machine = useStore(session, (state) => state.machine);
  const counters = ['in_spin', 'contentions', 'wait_time'];
  return machine?.parts.some(({ index }) => answerMask?.masks(index, ...counters)) ?? false;
}

/** The part of the lanes' window before the playhead. */
function reached(): Window {
  const { from, to } = shownWindow.getState();
  return { from, to: Math.min(to, player.now().timePs) };
}

/** Re-renders when the window is zoomed or moved while no frames arrive. */
function useWindowWhilePaused(): void {
  useStore(shownWindow, (window) => (player.state.getState().playing ? null : window));
}

/** As one string, which compares by value. */
function sharesText(run: LockedRun | null): string {
  const shares = run ? timeShares(lockLanes(run, reached(), MOST_LANES), reached()) : [];
  return shares.map(({ style, text, title }) => `${style}|${text}|${title}`).join('\n');
}

/** The CPUs' time in the window; also the legend of the bars. */
function Shares({ text }: { readonly text: string }) {
  if (text === '') return null;
  const shares = text.split('\n').map((line) => line.split('|'));
  return (
    <ul className={styles.shares}>
      {shares.map(([style, share, title]) => (
        <li key={style} data-style={style}>
          <b>{share}</b> {title}
        </li>
      ))}
    </ul>
  );
}

interface LaneSide {
  readonly title: string;
  readonly run: LockedRun | null;
}

function sentencesOf({ title, run }: LaneSide, masked: boolean): string[] {
  if (masked) return [`${title}: hidden while the question is open.`];
  if (!run) return [`${title}: not recorded yet.`];
  run.log.update();
  const window = reached();
  const lanes = lockLanes(run, window, MOST_LANES);
  const shares = timeShares(lanes, window).map(({ text, title: what }) => `${text} ${what}`);
  const here = lanes
    .filter(({ actor }) => actor === 'cpu')
    .flatMap((lane) => {
      const span = lane.spans.findLast(({ from, to }) => from <= window.to && to > window.to);
      return span ? [`${lane.title}: ${span.title}`] : [];
    });
  const all = [
    `${title}: ${shares.join(', ')}.`,
    ...(here.length > 0 ? [`At the playhead, ${here.join('; ')}.`] : []),
  ];
  const locks = locksText(run, window);
  return locks ? [...all, locks] : all;
}

function LanesTextAlternative({ sides }: { readonly sides: readonly LaneSide[] }) {
  const masked = useMasksWaits();
  const text = useFrameValue(() => sides.flatMap((side) => sentencesOf(side, masked)).join('\n'));
  const { from, to } = shownWindow.getState();
  const span = `${textOf(runTime(from))} to ${textOf(runTime(to))}`;
  return (
    <TextAlternative
      summary={`What the CPUs did with the time in the window, ${span}, up to the playhead.`}
      sentences={text.split('\n')}
    />
  );
}
