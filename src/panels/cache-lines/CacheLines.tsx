import { createStore } from '../../base/store';
import { stateLegend } from '../../controllers/state-legend';
import { useCoherent } from '../../controllers/useCoherence';
import { storyNow, useEachFrame } from '../../controllers/useLinePlay';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { LINE_STATES, STATE_NAMES, stateCell } from '../../draw/state-cell';
import { player } from '../../model/session/open-run';
import { EmptyState } from '../../widgets/Feedback';
import { Legend } from '../../widgets/Legend';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import '../../widgets/states.css';
import styles from './CacheLines.module.css';
import { CacheMaps, MapsText } from './CacheMaps';
import { FollowChip, FollowText, FollowView } from './FollowView';
import { PageChoice, PageText, PageView } from './PageView';
import { ProtocolChoice, ProtocolText, ProtocolView } from './ProtocolView';
import { followBus, leaveBus, useFollowing } from './useFollow';
import { useShownPage } from './useShownPage';

type Shown = 'page' | 'caches' | 'protocol';

const CHOICES: readonly {
  readonly value: Shown;
  readonly title: string;
  readonly hint: string;
}[] = [
  {
    value: 'page',
    title: 'lines',
    hint: 'The holders of each line: where the bus is, or of a page',
  },
  { value: 'caches', title: 'caches', hint: 'Every line of every cache' },
  { value: 'protocol', title: 'rules', hint: 'The protocol and the row just taken' },
];

/** The selected view, kept when the panel is maximised or closed. */
const choice = createStore<{ shown: Shown; cache: number | null }>({ shown: 'page', cache: null });

const STATES = LINE_STATES.filter((state) => state !== 'invalid').map((state) => ({
  kind: state,
  title: STATE_NAMES[state],
  sign: stateCell(0.5, 0.5, 13, 13, state),
}));

/** The meaning of the letters, where the drawing of the machine, which has it, is not beside the panel. */
function StateLegend() {
  const { shown } = useStore(stateLegend);
  return shown ? null : <Legend kinds={STATES} className={styles.states} />;
}

/** The holders and states of lines, and the rules of the protocol. */
export default function CacheLines() {
  useRun();
  const coherent = useCoherent();
  const { shown, cache } = useStore(choice);
  const [page, setPage] = useShownPage(coherent);
  const { on, bays } = useFollowing();
  const { complete } = useStore(player.state);
  const isQuiet = useEachFrame(
    () => coherent !== null && (storyNow(coherent)?.events.length ?? 0) === 0,
  );
  // A run in which the bus never carries a line has nothing to follow.
  const follows = (on || bays !== null) && !(isQuiet && complete);
  if (!coherent || coherent.caches.length === 0)
    return (
      <Panel title="Cache lines">
        <EmptyState title="No caches">This machine has no caches that snoop.</EmptyState>
      </Panel>
    );
  const tools = (
    <>
      {shown === 'page' && (
        <PageChoice
          coherent={coherent}
          page={follows ? null : page}
          onChange={(next) => {
            if (next === null) return followBus();
            setPage(next);
            leaveBus();
          }}
        />
      )}
      {shown === 'protocol' && (
        <ProtocolChoice
          coherent={coherent}
          cache={cache}
          onChange={(next) => choice.setState({ cache: next })}
        />
      )}
      <Segmented
        label="Lines of"
        options={CHOICES}
        value={shown}
        onChange={(next) => choice.setState({ shown: next })}
      />
    </>
  );
  return (
    <Panel
      title="Cache lines"
      tools={tools}
      textAlternative={
        <>
          {shown === 'page' && !follows && <PageText coherent={coherent} page={page} />}
          {shown === 'page' && follows && <FollowText coherent={coherent} page={page} />}
          {shown === 'caches' && <MapsText coherent={coherent} />}
          {shown === 'protocol' && <ProtocolText coherent={coherent} cache={cache} />}
        </>
      }
    >
      <div className={styles.lettered}>
        <div>
          {shown === 'page' && !follows && (
            <>
              <PageView coherent={coherent} page={page} />
              <FollowChip coherent={coherent} />
            </>
          )}
          {shown === 'page' && follows && <FollowView coherent={coherent} />}
          {shown === 'caches' && <CacheMaps coherent={coherent} />}
          {shown === 'protocol' && <ProtocolView coherent={coherent} cache={cache} />}
        </div>
        {shown !== 'caches' && <StateLegend />}
      </div>
    </Panel>
  );
}
