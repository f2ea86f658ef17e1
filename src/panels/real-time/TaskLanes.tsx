import { useCallback } from 'react';
import { useReasons } from '../../controllers/useReasons';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { taskLanes, taskSentences } from '../../draw/real-time/task-lanes';
import type { Window } from '../../draw/run/timeline-axis';
import { player } from '../../model/session/opened';
import { point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { LaneSheet } from '../../widgets/LaneSheet';
import { Panel } from '../../widgets/Panel';
import { TextTwin } from '../../widgets/TextTwin';
import { realTimeNow } from './now';

const LEFT = 116;

function sentencesNow(): string {
  const now = realTimeNow();
  const { machine } = session.getState();
  return now && machine ? taskSentences(now.log, machine, player.now().timePs).join('\n') : '';
}

/** A lane for each thread of each processor: running, ready, blocked; interrupts, and which job was late. */
export default function TaskLanes() {
  useRun();
  const said = useFrameValue(sentencesNow);
  return (
    <Panel
      title="Threads"
      bare
      twin={
        <TextTwin
          summary="What each thread does at the needle."
          sentences={said === '' ? [] : said.split('\n')}
        />
      }
    >
      <Sheet />
    </Panel>
  );
}

function Sheet() {
  const machine = useStore(session, (state) => state.machine);
  const selected = useStore(selection, (state) => state.event);
  const lanes = useCallback(
    (window: Window) => {
      const now = realTimeNow();
      return machine && now ? taskLanes(now.log, machine, window) : [];
    },
    [machine],
  );
  return (
    <LaneSheet
      label="What each thread did around the needle"
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
