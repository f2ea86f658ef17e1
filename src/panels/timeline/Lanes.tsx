import { Suspense, useCallback } from 'react';
import { shell } from '../../base/shell-state';
import { useCauses } from '../../controllers/useCauses';
import { lineInPlay } from '../../controllers/useLinePlay';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { lanesOf } from '../../draw/run/run-lanes';
import type { Window } from '../../draw/run/timeline-axis';
import { coherentMachine } from '../../model/coherence/coherence-roles';
import { answerMask } from '../../model/lesson/answer-mask';
import { player } from '../../model/session/open-run';
import { currentEvent } from '../../model/session/presented-event';
import { runBefore } from '../../model/session/run-before';
import { point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { LaneSheet } from '../../widgets/LaneSheet';
import { loadable } from '../../widgets/loadable';
import { Panel } from '../../widgets/Panel';
import { EventList } from './EventList';
import { LaneMenu } from './LaneMenu';
import styles from './LaneMenu.module.css';
import { laneArea } from './lane-area';
import { laneChoice } from './lane-choice';

const AreaBar = loadable(() => import('./AreaBar'));

const LEFT = 116;

/** The lanes of every part in a time window around the playhead. */
export default function Lanes() {
  useRun();
  return (
    <Panel title="Timeline" bare textAlternative={<EventList />}>
      <div className={styles.around}>
        <Sheet />
        <LaneMenu />
        <Area />
      </div>
    </Panel>
  );
}

/** What happened in the chosen area; loaded with the first one. */
function Area() {
  const isChosen = useStore(laneArea, ({ area }) => area !== null);
  if (!isChosen) return null;
  return (
    <Suspense fallback={null}>
      <AreaBar />
    </Suspense>
  );
}

/** In a lecture, where few lanes have room, the part that the sentence below the drawing is about. */
function useNamedPart(): number | null {
  const lecture = useStore(shell, (state) => state.lecture);
  const part = useFrameValue(() => player.trace()?.record(currentEvent() ?? 0)?.part ?? null);
  return lecture ? part : null;
}

function Sheet() {
  const machine = useStore(session, (state) => state.machine);
  const tracks = useStore(session, (state) => state.data?.view.lanes);
  const selected = useStore(selection, (state) => state.event);
  const choice = useStore(laneChoice);
  const named = useNamedPart();
  const lanes = useCallback(
    (window: Window, most: number) => {
      const trace = player.trace();
      return machine && trace
        ? lanesOf(machine, trace, window, { tracks: tracks ?? [], most, choice, named })
        : [];
    },
    [machine, tracks, choice, named],
  );
  const { area, isChoosing } = useStore(laneArea);
  const before = useStore(runBefore);
  const isAsked = useStore(answerMask, (mask) => mask !== null);
  const lanesBefore = useCallback(
    (window: Window) =>
      before && !isAsked
        ? lanesOf(before.machine, before.recording.trace, window, { tracks: [], most: Infinity })
        : null,
    [before, isAsked],
  );
  return (
    <LaneSheet
      label="What each part did around the playhead"
      left={LEFT}
      selected={selected}
      played={() =>
        machine ? (lineInPlay(coherentMachine(machine))?.transaction?.seq ?? null) : null
      }
      reasons={useCauses()}
      version={useStore(player.state, ({ recorded }) => recorded)}
      lanes={lanes}
      lanesBefore={lanesBefore}
      area={area}
      choosesArea={isChoosing}
      onArea={(next) => laneArea.setState({ area: next })}
      onPick={({ lane: { part } }, { seq }) => select({ part, event: seq })}
      onPoint={(row, span) => point(row && span ? { part: row.lane.part, event: span.seq } : {})}
    />
  );
}
