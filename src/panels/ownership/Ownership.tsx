import { type ReactNode, useMemo, useState } from 'react';
import { address, integer } from '../../base/format';
import { useAnswerMask, useHidesFuture } from '../../controllers/useAnswerMask';
import { usePlayheadWindow } from '../../controllers/usePlayheadWindow';
import { useFrameValue, useLog, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  contests,
  type Holder,
  holdAt,
  holdSentence,
  type OwnershipConflict,
  type OwnershipModel,
  ownershipModel,
  ownershipSentence,
  ownershipShapes,
  ownershipTotals,
} from '../../draw/run/ownership';
import { path } from '../../draw/shape';
import { STATE_NAMES, stateCell } from '../../draw/state-cell';
import {
  type Hold,
  lineOwners,
  type Owners,
  ownershipLog,
} from '../../model/coherence/line-ownership';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { BarSheet } from '../../widgets/BarSheet';
import { EmptyState } from '../../widgets/Feedback';
import { FollowChip } from '../../widgets/FollowChip';
import { Legend } from '../../widgets/Legend';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import '../../widgets/states.css';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './Ownership.module.css';

/** Lines that processors and the I/O cache take from each other. */
export default function Ownership() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const owners = machine && lineOwners(machine);
  if (!owners)
    return (
      <Panel title="Line ownership">
        <EmptyState title="Nothing to contend for">
          Every device of this machine reads with Read Current and leaves ownership of lines to the
          processors.
        </EmptyState>
      </Panel>
    );
  return <Owned owners={owners} />;
}

/** Counters that reveal the number of lines. */
const ASKED = ['taken', 'shared', 'kept', 'recalled', 'hits'];

function Owned({ owners }: { readonly owners: Owners }) {
  const { adapter, caches } = owners;
  const log = useLog(
    (trace) => ownershipLog(trace, owners),
    ({ holds }) => holds.length,
  );
  const answerMask = useAnswerMask();
  const masked = answerMask?.masks(adapter.index, ...ASKED) ?? false;
  const [follows, setFollows] = useState(true);
  const holds = log?.holds ?? [];
  const now = useFrameValue(() => player.now().timePs);
  const holders = useMemo(
    (): Holder[] => [
      ...caches.map(({ index, title }) => ({ part: index, title })),
      { part: adapter.index, title: 'I/O cache' },
    ],
    [adapter, caches],
  );
  const totals = ownershipTotals(holds, adapter.index, now);
  const summary = masked ? <SealedPart what="lines taken" /> : ownershipSentence(totals);
  return (
    <Panel
      title="Line ownership"
      sub="holders of a line, and who takes it over"
      tools={<FollowChip on={follows} what="ownership" onToggle={setFollows} />}
      textAlternative={
        <HoldsTextAlternative
          holds={holds}
          holders={holders}
          sealed={masked}
          summary={summary}
          now={now}
        />
      }
    >
      <div className={styles.sheet}>
        {holds.length === 0 ? (
          <EmptyState title="No line is held yet">
            Run on to the first load, store or read.
          </EmptyState>
        ) : (
          <Drawing {...{ holds, holders, follows }} longest={log?.longest ?? 0} />
        )}
        {masked ? summary : <p className={styles.sentence}>{summary}</p>}
        <Legend kinds={LEGEND} />
      </div>
    </Panel>
  );
}

const LEGEND = [
  ...(['dirty', 'clean', 'shared'] as const).map((state) => ({
    kind: state,
    title: STATE_NAMES[state],
    sign: stateCell(0, 0, 14, 14, state),
  })),
  {
    kind: 'recall',
    title: 'recalled by a processor',
    sign: [path('M7 13V3m-3 3l3 -4l3 4', 'bad-line recall')],
  },
];

interface DrawingProps {
  readonly holds: readonly Hold[];
  /** The longest time that the I/O cache held a line. */
  readonly longest: number;
  readonly holders: readonly Holder[];
  readonly follows: boolean;
}

const LABELS = 152;
/** The window is this many times the longest stay in the I/O cache; FIRST_PS before the first. */
const STAYS = 8;
const FIRST_PS = 8e6;

/** The longest stay, rounded up to a power of two, so that the window rarely changes. */
const stayOf = (longest: number): number =>
  longest > 0 ? 2 ** Math.ceil(Math.log2(longest)) : FIRST_PS / STAYS;

function Drawing({ holds, longest, holders, follows }: DrawingProps) {
  const [box, { width, height }] = useSize();
  const window = usePlayheadWindow(STAYS * stayOf(longest), follows);
  const amount = holds.length;
  const model = useMemo(
    () =>
      ownershipModel({
        ...{ holds: holds.slice(0, amount), holders, window },
        ...{ left: LABELS, width: width - 12, room: height },
      }),
    [holds, amount, holders, window, width, height],
  );
  return (
    <div className={styles.box} ref={box}>
      {width > 0 && <Holds model={model} width={width} />}
    </div>
  );
}

interface HoldsProps {
  readonly model: OwnershipModel;
  readonly width: number;
}

function Holds({ model, width }: HoldsProps) {
  const now = useFrameValue(() => player.now().timePs);
  const ahead = useHidesFuture();
  const until = ahead ? now : Number.POSITIVE_INFINITY;
  const shown = ahead ? model.placed.filter(({ hold }) => hold.from <= now) : model.placed;
  const shapes = useMemo(() => ownershipShapes(model, until), [model, until]);
  const describe = (bar: number): string => {
    const hold = shown[bar]?.hold;
    const title = model.holders.find(({ part }) => part === hold?.holder)?.title ?? '';
    return hold ? holdSentence(hold, until, title) : '';
  };
  /** The line taken or given up last. */
  const played = (timePs: number): number | null => {
    let [best, latest] = [-1, -1];
    shown.forEach(({ hold: { from, to } }, bar) => {
      for (const at of [from, to])
        if (at !== null && at <= timePs && at > latest) [best, latest] = [bar, at];
    });
    return best < 0 ? null : best;
  };
  const begun = (bar: number) => {
    const hold = shown[bar]?.hold;
    return hold ? { seq: hold.seq, timePs: hold.from } : null;
  };
  return (
    <BarSheet
      label="Holders of a line: arrows move, Enter goes to where one was taken"
      {...{ axis: model.axis, width, height: model.height, bars: shown, bar: model.bar }}
      {...{ shapes, describe, begun, played }}
      barAt={(x, y) => holdAt({ ...model, placed: shown }, x, y)}
    />
  );
}

const COLUMNS: readonly Column<OwnershipConflict>[] = [
  { id: 'line', title: 'line', cell: ({ line }) => address(line) },
  { id: 'now', title: 'held by', cell: ({ holders }) => holders.join(', ') || 'memory alone' },
  { id: 'taken', title: 'taken', numeric: true, cell: ({ taken }) => integer(taken) },
  { id: 'recalled', title: 'recalled', numeric: true, cell: ({ recalled }) => integer(recalled) },
];

/** Most holds listed, and most conflicting lines. */
const MOST = 16;

interface TextAlternativeProps {
  readonly holds: readonly Hold[];
  readonly holders: readonly Holder[];
  readonly summary: ReactNode;
  /** The open question asks how often lines changed hands. */
  readonly sealed: boolean;
  readonly now: number;
}

function HoldsTextAlternative(props: TextAlternativeProps) {
  const { holds, holders, summary, sealed, now } = props;
  const listed = holds.filter(({ from }) => from <= now).slice(-MOST);
  const holderTitle = (hold: Hold) => holders.find(({ part }) => part === hold.holder)?.title ?? '';
  return (
    <TextAlternative
      summary={summary}
      sentences={listed.map((hold) => holdSentence(hold, now, holderTitle(hold)))}
    >
      {!sealed && (
        <Table
          caption="Lines that changed hands most, up to the playhead"
          columns={COLUMNS}
          rows={contests(holds, holders, now).slice(0, MOST)}
          rowKey={({ line }) => String(line)}
        />
      )}
    </TextAlternative>
  );
}
