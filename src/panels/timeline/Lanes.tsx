import { useCallback } from 'react';
import { lanesOf } from '../../draw/run-lanes';
import type { Window } from '../../draw/timeline-axis';
import { player } from '../../model/opened';
import { point, select, selection } from '../../model/selection';
import { session } from '../../model/session';
import { LaneSheet } from '../../widgets/LaneSheet';
import { Panel } from '../../widgets/Panel';
import { useReasons } from '../../widgets/useReasons';
import { useRun } from '../../widgets/useRun';
import { useStore } from '../../widgets/useStore';
import { EventList } from './EventList';

const LEFT = 116;

/** What every part did, in a window of time around the needle. */
export default function Lanes() {
  useRun();
  return (
    <Panel title="Timeline" bare twin={<EventList />}>
      <Sheet />
    </Panel>
  );
}

function Sheet() {
  const machine = useStore(session, (state) => state.machine);
  const wanted = useStore(session, (state) => state.data?.view.lanes);
  const selected = useStore(selection, (state) => state.event);
  const lanes = useCallback(
    (window: Window, most: number) => {
      const trace = player.trace();
      return machine && trace
        ? lanesOf(machine, trace, window, { wanted: wanted ?? [], most })
        : [];
    },
    [machine, wanted],
  );
  return (
    <LaneSheet
      label="What each part did around the needle"
      left={LEFT}
      selected={selected}
      reasons={useReasons()}
      version={useStore(player.state, ({ recorded }) => recorded)}
      lanes={lanes}
      onPick={({ lane: { part } }, { seq }) => select({ part, event: seq })}
      onPoint={(row, span) => point(row && span ? { part: row.lane.part, event: span.seq } : {})}
    />
  );
}
