import { type CSSProperties, useMemo } from 'react';
import { text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { useViews } from '../../controllers/useCoherence';
import { lineInPlay, playedIndex, storyNow, useEachFrame } from '../../controllers/useLinePlay';
import { runTime } from '../../controllers/useRun';
import { type Size, useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import { baysGrid, mostScale } from '../../draw/coherence/bays';
import { drawnState, eventPhrases, eventSentence, lineName } from '../../draw/coherence/line-words';
import { rect } from '../../draw/shape';
import { STATE_NAMES } from '../../draw/state-cell';
import { PAGE_BYTES, PAGE_LINES } from '../../model/coherence/coherence-roles';
import { streamsOf } from '../../model/coherence/line-bays';
import { player } from '../../model/session/open-run';
import { PanelSentence } from '../../widgets/PanelSentence';
import { ShapeView } from '../../widgets/ShapeView';
import { TextAlternative } from '../../widgets/TextAlternative';
import { Picture } from './Bays';
import styles from './Follow.module.css';
import {
  cellShapes,
  type FollowProps,
  MOST_BAYS,
  NEAR,
  type Scene,
  tagOf,
  titleIn,
  useBays,
  useScene,
  WIDTH_OF_A_BAY,
} from './follow-scene';
import { LifeList, Strip } from './LineLife';
import { PageText, pageViews, rowNames } from './PageView';
import { followBus, holdBays, useFollowing } from './useFollow';

/** Height of strip and sentence, in units of the drawing. */
const STRIP = 49;
/** Pixels that must be left below them for the life of the line in words. */
const LEAST_LIST = 120;

/** What the picture has of the panel: strip and sentence grow with it. */
function pictureRoom({ width, height }: Size, scale: number): Size {
  const larger = Math.max(scale, Math.min(width / 460, height / 220, mostScale(scale)));
  return { width, height: Math.max(0, height - STRIP * larger) };
}

/** The line that the bus is busy with, in bays, one for each stream of work. */
export function FollowView({ coherent }: FollowProps) {
  const wanted = useMemo(() => pageViews(coherent), [coherent]);
  useViews(coherent, wanted);
  useStore(player.state, (state) => state.recorded);
  const [box, room] = useSize();
  const scale = useScale();
  const size = pictureRoom(room, scale);
  const story = useEachFrame(() => storyNow(coherent));
  const length = useEachFrame(() => Math.min(storyNow(coherent)?.events.length ?? 0, 96));
  const most = Math.max(1, Math.min(MOST_BAYS, Math.floor(size.width / scale / WIDTH_OF_A_BAY)));
  const bayCount = useMemo(
    () => (story && length > 0 ? streamsOf(story.events, NEAR, most).length : 1),
    [story, length, most],
  );
  const names = useMemo(() => rowNames(coherent), [coherent]);
  const grid = useMemo(
    () => baysGrid({ width: size.width, height: size.height, names, bays: bayCount, scale }),
    [size.width, size.height, names, bayCount, scale],
  );
  const bays = useBays(coherent, story, grid.columns, bayCount);
  const scene = useScene({ coherent }, story, bays, grid.columns);
  const isSeen = size.width > 0 && scene !== null && story !== null;
  const drawn = grid.height * grid.scale;
  // With many caches in a low panel every row is seen, and the words are in the text alternative.
  const hasWords = drawn + STRIP * grid.scale <= room.height + 2;
  const style = { '--k': grid.scale } as CSSProperties;
  const left = room.height - drawn - STRIP * grid.scale;
  return (
    <div className={styles.follow} style={style} ref={box}>
      <div className={styles.picture} style={{ height: drawn }}>
        {isSeen && <Picture coherent={coherent} scene={scene} grid={grid} />}
        <FollowChip coherent={coherent} shown={scene?.event ? scene.firsts : null} />
      </div>
      {isSeen && hasWords && (
        <Strip coherent={coherent} story={story} scene={scene} scale={grid.scale} />
      )}
      {hasWords && <Sentence coherent={coherent} scene={scene} />}
      {isSeen && left > LEAST_LIST && <LifeList coherent={coherent} story={story} scene={scene} />}
    </div>
  );
}

interface FollowChipProps extends FollowProps {
  /** First lines of the bays on screen, which stay when following ends; null where there are none. */
  readonly shown?: readonly number[] | null;
}

/** Says whether the picture follows the bus; where it does not, where play is, and a press goes there. */
export function FollowChip({ coherent, shown = null }: FollowChipProps) {
  const { on } = useFollowing();
  const event = useEachFrame(() => lineInPlay(coherent));
  const where = event ? `play is at ${lineName(event.line)}` : 'nothing has been played';
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={on}
      aria-label={on ? 'Following the bus' : `Follow the bus: ${where}`}
      title={on ? 'The picture goes where the bus is' : `Follow the bus: ${where}`}
      onClick={() => {
        if (!on) followBus();
        else if (shown) holdBays(shown);
      }}
    >
      {on ? 'following the bus' : event ? `follow: ${shortName(event.line)}` : 'follow the bus'}
    </button>
  );
}

const shortName = (line: number): string => `${tagOf(line)}, ${line % PAGE_LINES}`;

function Sentence({ coherent, scene }: FollowProps & { readonly scene: Scene | null }) {
  const event = scene?.event ?? null;
  if (!event) return <p className={styles.sentence}>No transaction yet. Press play.</p>;
  const state = drawnState(event.to);
  return (
    <PanelSentence
      className={styles.sentence}
      phrases={eventPhrases(event, titleIn(coherent))}
      mark={
        state && (
          <svg viewBox="0 0 16 16" className={`drawing ${styles.mark}`} aria-hidden="true">
            <ShapeView
              shapes={[...cellShapes(state, 1, 1, 14, 14), rect(1, 1, 14, 14, 'play-ring')]}
            />
          </svg>
        )
      }
    />
  );
}

interface FollowTextProps extends FollowProps {
  /** Address of the page whose lines are described before anything is in play. */
  readonly page: number;
}

/** The same as sentences: what happens now, the life of its line, and who holds the lines of its page. */
export function FollowText({ coherent, page }: FollowTextProps) {
  const hides = useHidesFuture();
  const story = useEachFrame(() => storyNow(coherent));
  const index = useEachFrame(() => {
    const now = storyNow(coherent);
    return now ? playedIndex(now) : -1;
  });
  const event = story?.events[index];
  const title = titleIn(coherent);
  if (!story || !event) return <PageText coherent={coherent} page={page} />;
  const life = story.lifeOf(event.line).filter((at) => !hides || at <= index);
  const sentences = life.flatMap((at) => {
    const one = story.events[at];
    return one ? [`${text(runTime(one.timePs))}: ${eventSentence(one, title)}`] : [];
  });
  const { to } = event;
  const state = drawnState(to);
  const played = Math.floor(event.line / PAGE_LINES) * PAGE_BYTES;
  return (
    <>
      <TextAlternative
        summary={`${eventSentence(event, title)}${
          state ? ` In ${title(event.part)} the line is now ${STATE_NAMES[state]}.` : ''
        } The life of ${lineName(event.line)}:`}
        sentences={sentences}
      />
      <PageText coherent={coherent} page={played} />
    </>
  );
}
