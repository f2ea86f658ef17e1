import { useCallback } from 'react';
import { packetDeadline } from '../../controllers/machine-features';
import { useCauses } from '../../controllers/useCauses';
import { comparisonChoice, useComparisonRun } from '../../controllers/useComparisonRun';
import { readForLanes } from '../../controllers/usePlayheadWindow';
import { NO_COMMANDS, useFrameValue, useLiveCommands, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import {
  comparisonLanes,
  laneSentences,
  type NamedRun,
  taskLanes,
  taskSentences,
} from '../../draw/realtime/task-lanes';
import type { Window } from '../../draw/run/timeline-axis';
import { player } from '../../model/session/open-run';
import { point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { LaneSheet } from '../../widgets/LaneSheet';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import { TextAlternative } from '../../widgets/TextAlternative';
import { hidesRealTime, realTimeNow } from './realtime-now';
import styles from './TaskLanes.module.css';

const LEFT = 116;

/** The open run and the comparison run; null while either is not recorded. */
function bothNow(other: NamedRun | null): readonly NamedRun[] | null {
  const now = realTimeNow();
  const { machine } = session.getState();
  if (!other || !now || !machine) return null;
  const own = { letter: 'A', log: now.log, machine, deadline: packetDeadline() };
  return [own, other];
}

/** While a question asks for late jobs, the lanes do not mark them. */
const lateness = () => ({ hidesLate: hidesRealTime('missed', 'late') });

function sentencesNow(other: NamedRun | null): string {
  const { timePs } = player.now();
  const both = bothNow(other);
  if (both) {
    const window = { from: timePs, to: timePs + 1 };
    return laneSentences(comparisonLanes(both, window), timePs).join('\n');
  }
  const now = realTimeNow();
  const { machine } = session.getState();
  return now && machine ? taskSentences(now.log, machine, timePs, lateness()).join('\n') : '';
}

type Comparison = ReturnType<typeof useComparisonRun>;

/**
 * A lane for each thread of each processor: running, ready, blocked; interrupts, and late jobs. With a
 * comparison run, a lane for each processor of both.
 */
export default function TaskLanes() {
  useRun();
  const comparison = useComparisonRun();
  const sentences = useFrameValue(() => sentencesNow(comparison.run));
  return (
    <Panel
      title="Threads"
      bare
      textAlternative={
        <TextAlternative
          summary="What each thread does at the playhead."
          sentences={sentences === '' ? [] : sentences.split('\n')}
        />
      }
    >
      <div className={styles.lanes}>
        {comparison.others.length > 0 && <Head comparison={comparison} />}
        <div className={styles.sheet}>
          <Sheet comparison={comparison} />
        </div>
      </div>
    </Panel>
  );
}

const NONE = 'none';

/** The title, and the choice of a comparison run. */
function Head({ comparison }: { readonly comparison: Comparison }) {
  const { others, ownTitle, isShown, run, failure } = comparison;
  const index = useStore(comparisonChoice, (state) => state.index);
  const liveCommands = useLiveCommands();
  return (
    <header className={styles.head}>
      {isShown && (
        <span>
          <b>A</b> {ownTitle}
        </span>
      )}
      {isShown && <b>B</b>}
      <Select
        label="compared run"
        showLabel={!isShown}
        options={[
          { value: NONE, title: 'no other run' },
          ...others.map((one) => ({ value: String(one.index), title: one.title })),
        ]}
        value={String(index ?? NONE)}
        onChange={(value) =>
          comparisonChoice.setState({ index: value === NONE ? null : Number(value) })
        }
      />
      {isShown && !run && <span>{failure ?? 'is being recorded'}</span>}
      {isShown && liveCommands && <span>{NO_COMMANDS}</span>}
    </header>
  );
}

function Sheet({ comparison }: { readonly comparison: Comparison }) {
  const machine = useStore(session, (state) => state.machine);
  const selected = useStore(selection, (state) => state.event);
  const { run: other, version } = comparison;
  const recorded = useStore(player.state, (state) => state.recorded);
  const reasons = useCauses();
  const lanes = useCallback(
    (window: Window, most: number) => {
      if (other) readForLanes(other.log);
      const both = bothNow(other);
      if (both) return comparisonLanes(both, window);
      const now = realTimeNow();
      return machine && now ? taskLanes(now.log, machine, window, { most, ...lateness() }) : [];
    },
    [machine, other],
  );
  const isOwn = (id: string): boolean => !other || !id.startsWith(`${other.letter} `);
  return (
    <LaneSheet
      label="What each thread did around the playhead"
      left={LEFT}
      selected={selected}
      reasons={reasons}
      version={recorded + version}
      lanes={lanes}
      onPick={({ lane: { id, part } }, { seq }) => isOwn(id) && select({ part, event: seq })}
      onPoint={(row, span) =>
        point(row && span && isOwn(row.lane.id) ? { part: row.lane.part, event: span.seq } : {})
      }
    />
  );
}
