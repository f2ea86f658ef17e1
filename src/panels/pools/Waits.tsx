import { shell } from '../../base/shell-state';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { TURNS_HEIGHT, turnShapes, turnsText } from '../../draw/pools/lock-turns';
import { type LockWaitStory, lockWaitStory } from '../../model/pools/lock-waits';
import { cpuNumberOf, poolViewsOf } from '../../model/pools/pool-views';
import { player } from '../../model/session/open-run';
import { selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { EmptyState } from '../../widgets/Feedback';
import { Narrative } from '../../widgets/Narrative';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './Waits.module.css';

let cached: { key: string; story: LockWaitStory | null } = { key: '', story: null };

/** The wait at the playhead in sentences; the same object while nothing changes. */
function storyNow(): LockWaitStory | null {
  const trace = player.trace();
  const { machine } = session.getState();
  const { part } = selection.getState();
  const { timePs } = player.now();
  const { opened, recorded, endPs, complete } = player.state.getState();
  if (!complete && endPs < timePs) return null; /* the trace has not reached the playhead yet */
  const key = `${opened} ${recorded} ${timePs} ${part}`;
  if (key === cached.key) return cached.story;
  const views = poolViewsOf(machine);
  const cpu = machine ? cpuNumberOf(machine, part) : null;
  cached = { key, story: trace && views ? lockWaitStory(trace, views.part, timePs, cpu) : null };
  return cached.story;
}

/** Why a processor waits for a lock at the playhead: the selected processor, else the longest waiting. */
export default function Waits() {
  useRun();
  useStore(selection, ({ part }) => part);
  useStore(player.state, ({ recorded }) => recorded);
  const story = useFrameValue(storyNow);
  return (
    <Panel
      title={story?.question ?? 'Why did this CPU wait?'}
      className={styles.panel ?? ''}
      scroll
    >
      {story ? (
        <>
          <LockRow story={story} />
          <Narrative sentences={story.sentences} />
        </>
      ) : (
        <EmptyState title="No CPU waits for a lock here.">
          Play on, or select a hatched CPU on the lanes.
        </EmptyState>
      )}
    </Panel>
  );
}

/** The row of that lock during the wait. */
function LockRow({ story }: { readonly story: LockWaitStory }) {
  const [box, { width }] = useSize();
  const scale = useStore(shell, ({ lecture }) => (lecture ? 1.5 : 1));
  const sheet = Math.floor(width / scale);
  return (
    <div className={styles.row} ref={box}>
      {sheet > 0 && (
        <SvgView
          width={sheet}
          height={TURNS_HEIGHT}
          fit="width"
          label={`Lock holders: ${turnsText(story.turns)}`}
        >
          <ShapeView shapes={turnShapes(story, sheet)} />
        </SvgView>
      )}
    </div>
  );
}
