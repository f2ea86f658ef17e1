import { useMemo, useRef, useState } from 'react';
import { bytes, count, integer, text, time } from '../../base/format';
import { findEvents } from '../../controllers/find-events';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { runTime } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { laneGroups } from '../../draw/run/folded-lanes';
import { chosenLanes } from '../../draw/run/run-lanes';
import { sealedFromPs } from '../../model/lesson/answer-mask';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { type AreaRow, areaTotals } from '../../model/trace/area-totals';
import type { Lane } from '../../model/trace/lane';
import { Button, IconButton } from '../../widgets/Button';
import type { LaneArea } from '../../widgets/laneArea';
import { Popover } from '../../widgets/Popover';
import { type Column, Table } from '../../widgets/Table';
import styles from './AreaBar.module.css';
import { laneArea } from './lane-area';
import { laneChoice } from './lane-choice';

/** Most rows of the table. */
const MOST = 40;

/** The lanes of an area; a folded line has all of its own. */
function lanesIn(machine: CompiledMachine, { lanes: ids }: LaneArea): readonly Lane[] {
  const trace = player.trace();
  if (!trace) return [];
  const tracks = session.getState().data?.view.lanes ?? [];
  const all = chosenLanes(machine, trace, tracks, laneChoice.getState());
  const folded = laneGroups(machine, all).filter(({ type }) => ids.includes(`folded ${type}`));
  return all.filter(
    (lane) =>
      ids.includes(`${lane.part} ${lane.track}`) ||
      folded.some(({ lanes }) => lanes.includes(lane)),
  );
}

const ps = (timePs: number): string => `${Math.round(timePs)}ps`;

function searchWithin(machine: CompiledMachine, lanes: readonly Lane[], { from, to }: LaneArea) {
  const parts = [...new Set(lanes.map(({ part }) => machine.parts[part]?.name ?? ''))];
  const some = parts.map((name) => `part=${name}`).join(' OR ');
  const within = parts.length > 1 ? `(${some})` : some;
  findEvents(`at:${ps(from)}-${ps(to)} ${within}`.trim());
}

/** The chosen area of the lanes: its extent, what happened in it, and a search within it. */
export default function AreaBar() {
  const machine = useStore(session, (state) => state.machine);
  const area = useStore(laneArea, (state) => state.area);
  const ahead = useHidesFuture();
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, open] = useState(false);
  const recorded = useStore(player.state, (state) => state.recorded);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows
  const totals = useMemo(() => {
    const trace = player.trace();
    if (!machine || !area || !trace) return null;
    const lanes = lanesIn(machine, area);
    const to = Math.min(area.to, ahead ? sealedFromPs(player.now().timePs) : area.to);
    const rows = areaTotals(machine, trace, lanes, { from: area.from, to });
    return { lanes, rows };
  }, [machine, area, ahead, recorded]);
  if (!machine || !area || !totals) return null;
  const { lanes, rows } = totals;
  const clear = () => laneArea.setState({ area: null });
  const all = rows.reduce((sum, row) => sum + row.count, 0);
  const extent = `${text(runTime(area.from))} to ${text(runTime(area.to))}, ${text(time(area.to - area.from, 4))}`;
  return (
    <section className={styles.bar} aria-label="Chosen area">
      <p role="status">
        {extent}: {count(lanes.length, 'lane')}, {count(all, 'state or event', 'states and events')}
      </p>
      <span ref={anchor}>
        <Button
          size="small"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => open(true)}
        >
          Totals
        </Button>
      </span>
      <Button size="small" onClick={() => searchWithin(machine, lanes, area)}>
        Search within
      </Button>
      <IconButton icon="close" label="Clear the area" keys="Esc" onClick={clear} />
      {isOpen && (
        <Popover anchor={anchor} label="Totals of the area" align="end" onClose={() => open(false)}>
          <div className={styles.table}>
            <Table
              caption={`What happened from ${extent}`}
              showCaption
              columns={columnsOf(machine)}
              rows={rows.slice(0, MOST)}
              rowKey={({ part, kind }) => `${part} ${kind}`}
            />
            {rows.length > MOST && <p>{integer(rows.length - MOST)} more kinds came less often.</p>}
          </div>
        </Popover>
      )}
    </section>
  );
}

const orNothing = (value: number, written: () => string): string => (value > 0 ? written() : '');

const columnsOf = ({ parts }: CompiledMachine): readonly Column<AreaRow>[] => [
  { id: 'part', title: 'part', cell: ({ part }) => parts[part]?.title },
  { id: 'kind', title: 'state or event', cell: ({ kind }) => kind },
  { id: 'count', title: 'count', numeric: true, cell: (row) => integer(row.count) },
  {
    ...{ id: 'bytes', title: 'bytes', numeric: true },
    cell: (row) => orNothing(row.bytes, () => text(bytes(row.bytes))),
  },
  {
    ...{ id: 'time', title: 'time', numeric: true },
    cell: (row) => orNothing(row.timePs, () => text(time(row.timePs, 4))),
  },
  {
    ...{ id: 'longest', title: 'longest', numeric: true },
    cell: (row) => orNothing(row.longestPs, () => text(time(row.longestPs, 4))),
  },
];
