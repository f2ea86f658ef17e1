import { type ReactNode, useMemo, useState } from 'react';
import { integer, text, time } from '../../base/format';
import { useAnswerMask, useHidesFuture } from '../../controllers/useAnswerMask';
import { usePlayheadWindow } from '../../controllers/usePlayheadWindow';
import { useFrameValue, useLog, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { actorOf } from '../../draw/glyph';
import {
  lineAt,
  lineSentence,
  type PrefetchDevice,
  type PrefetchModel,
  type PrefetchTotal,
  prefetchModel,
  prefetchShapes,
  prefetchTotals,
  totalSentence,
} from '../../draw/run/prefetch';
import {
  type FetchedLine,
  fetchingPart,
  type PrefetchLog,
  prefetchLog,
} from '../../model/coherence/prefetch';
import type { CompiledMachine, CompiledPart } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { BarSheet } from '../../widgets/BarSheet';
import { EmptyState } from '../../widgets/Feedback';
import { FollowChip } from '../../widgets/FollowChip';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import '../../widgets/states.css';
import { Legend } from '../../widgets/Legend';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './Prefetch.module.css';

/** Lines fetched for devices' reads: in flight, used, discarded. */
export default function Prefetch() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const part = machine && fetchingPart(machine);
  if (!machine || !part)
    return (
      <Panel title="Prefetch">
        <EmptyState title="No bridge">No bridge of this machine fetches lines ahead.</EmptyState>
      </Panel>
    );
  return <Fetching machine={machine} part={part} />;
}

interface FetchingProps {
  readonly machine: CompiledMachine;
  readonly part: CompiledPart;
}

/** Counters that reveal the number of lines. */
const ASKED = ['fetched', 'wasted', 'delayed', 'lines', 'bytes_out'];

function devicesOf({ machine }: FetchingProps, lines: readonly FetchedLine[]): PrefetchDevice[] {
  return [...new Set(lines.map(({ device }) => device))].map((part) => ({
    part,
    title: machine.parts[part ?? -1]?.title ?? 'a device',
    actor: actorOf(machine.parts, part),
  }));
}

function Fetching(props: FetchingProps) {
  const { part } = props;
  const log = useLog(
    (trace) => prefetchLog(trace, props.machine, props.part),
    ({ lines }) => lines.length,
  );
  const answerMask = useAnswerMask();
  const masked = answerMask?.masks(part.index, ...ASKED);
  const [follows, setFollows] = useState(true);
  const lines = log?.lines ?? [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same list grows
  const devices = useMemo(() => devicesOf(props, lines), [props.machine, lines, lines.length]);
  const now = useFrameValue(() => player.now().timePs);
  const totals = prefetchTotals(lines, devices, now);
  const sealed = masked && <SealedPart what="lines fetched" />;
  const textAlternative = (
    <LinesTextAlternative
      {...{ lines, devices, now }}
      totals={masked ? null : totals}
      summary={sealed}
    />
  );
  return (
    <Panel
      title="Prefetch"
      sub={part.title}
      tools={<FollowChip on={follows} what="the reads" onToggle={setFollows} />}
      textAlternative={textAlternative}
    >
      <div className={styles.sheet}>
        {lines.length === 0 ? (
          <EmptyState title="No line has been fetched yet">Run on to the first read.</EmptyState>
        ) : (
          <Drawing log={log} lines={lines} devices={devices} follows={follows} />
        )}
        {sealed || (
          <>
            <p className={styles.sentence}>{totals.map(totalSentence).join(' ')}</p>
            <div className={styles.totals}>
              <Totals totals={totals} />
            </div>
          </>
        )}
        <Legend kinds={KINDS} className={styles.legend} />
      </div>
    </Panel>
  );
}

const KINDS = [
  { kind: 'flight', title: 'in flight' },
  { kind: 'held', title: 'in the bridge' },
  { kind: 'used', title: 'used' },
  { kind: 'wasted', title: 'discarded' },
];

interface DrawingProps {
  readonly log: PrefetchLog | null;
  readonly lines: readonly FetchedLine[];
  readonly devices: readonly PrefetchDevice[];
  readonly follows: boolean;
}

const LABELS = 96;
/** The window is this many times the flight time of a line. */
const FLIGHTS = 14;

function Drawing({ log, lines, devices, follows }: DrawingProps) {
  const [box, { width, height }] = useSize();
  const flight = Number.isFinite(log?.fastest) ? (log?.fastest ?? 0) : 1e6;
  const window = usePlayheadWindow(Math.round(flight * FLIGHTS), follows);
  const ahead = useHidesFuture();
  const amount = lines.length;
  const model = useMemo(() => {
    const near = lines
      .slice(0, amount)
      .filter(
        ({ requestedPs, left }) =>
          requestedPs <= window.to && (left ?? Number.POSITIVE_INFINITY) >= window.from,
      );
    return prefetchModel({
      lines: near,
      devices,
      window,
      left: LABELS,
      width: width - 12,
      room: height,
    });
  }, [lines, amount, devices, window, width, height]);
  return (
    <div className={styles.box} ref={box}>
      {width > 0 && <Lines model={model} devices={devices} ahead={ahead} width={width} />}
    </div>
  );
}

interface LinesProps {
  readonly model: PrefetchModel;
  readonly devices: readonly PrefetchDevice[];
  /** The time after the playhead is masked. */
  readonly ahead: boolean;
  readonly width: number;
}

function Lines({ model, devices, ahead, width }: LinesProps) {
  const now = useFrameValue(() => player.now().timePs);
  const shown = ahead ? model.placed.filter(({ line }) => line.requestedPs <= now) : model.placed;
  const until = ahead ? now : Number.POSITIVE_INFINITY;
  const shapes = useMemo(() => prefetchShapes(model, until), [model, until]);
  const describe = (column: number): string => {
    const line = shown[column]?.line;
    const title = devices.find(({ part }) => part === line?.device)?.title ?? 'a device';
    return line ? lineSentence(line, until, title) : '';
  };
  /** The line requested, received or left last. */
  const played = (timePs: number): number | null => {
    let [best, latest] = [-1, -1];
    shown.forEach(({ line: { requestedPs, here, left } }, column) => {
      for (const at of [requestedPs, here, left])
        if (at !== null && at <= timePs && at > latest) [best, latest] = [column, at];
    });
    return best < 0 ? null : best;
  };
  const begun = (column: number) => {
    const line = shown[column]?.line;
    return line ? { seq: line.seq, timePs: line.requestedPs } : null;
  };
  return (
    <BarSheet
      label="Lines fetched: arrows move, Enter goes to the request of one"
      {...{ axis: model.axis, width, height: model.height, bars: shown, bar: model.bar }}
      {...{ shapes, describe, begun, played }}
      barAt={(x, y) => lineAt({ ...model, placed: shown }, x, y)}
    />
  );
}

const COLUMNS: readonly Column<PrefetchTotal>[] = [
  { id: 'device', title: 'for', cell: ({ device }) => device.title },
  { id: 'fetched', title: 'fetched', numeric: true, cell: ({ fetched }) => integer(fetched) },
  { id: 'ahead', title: 'ahead', numeric: true, cell: ({ ahead }) => integer(ahead) },
  { id: 'used', title: 'used', numeric: true, cell: ({ used }) => integer(used) },
  { id: 'wasted', title: 'discarded', numeric: true, cell: ({ wasted }) => integer(wasted) },
  { id: 'held', title: 'in the bridge', numeric: true, cell: ({ held }) => integer(held) },
  { id: 'flight', title: 'in flight', numeric: true, cell: ({ flight }) => integer(flight) },
  {
    id: 'latency',
    title: 'time of a line',
    numeric: true,
    cell: ({ latency }) => (latency === null ? '' : text(time(latency, 3))),
  },
];

function Totals({ totals }: { readonly totals: readonly PrefetchTotal[] }) {
  return totals.length === 0 ? null : (
    <Table
      caption="Lines fetched, by device"
      columns={COLUMNS}
      rows={totals}
      rowKey={({ device }) => String(device.part)}
    />
  );
}

/** Most lines listed one by one. */
const MOST = 16;

interface TextAlternativeProps {
  readonly lines: readonly FetchedLine[];
  readonly devices: readonly PrefetchDevice[];
  /** Null while a question asks about them. */
  readonly totals: readonly PrefetchTotal[] | null;
  readonly now: number;
  /** What stands there in place of the totals. */
  readonly summary: ReactNode;
}

function LinesTextAlternative(props: TextAlternativeProps) {
  const { lines, devices, totals, now, summary } = props;
  const listed = lines.filter(({ requestedPs }) => requestedPs <= now).slice(-MOST);
  const deviceTitle = ({ device }: FetchedLine) =>
    devices.find(({ part }) => part === device)?.title ?? 'a device';
  return (
    <TextAlternative
      summary={
        summary ||
        (lines.length === 0 ? 'No line has been fetched yet.' : 'Lines up to the playhead.')
      }
      sentences={listed.map((line) => lineSentence(line, now, deviceTitle(line)))}
    >
      {totals && <Totals totals={totals} />}
    </TextAlternative>
  );
}
