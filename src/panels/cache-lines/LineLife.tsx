import type { CSSProperties } from 'react';
import { text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { runTime } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useScale } from '../../controllers/useStore';
import { drawnState, eventSentence, lineName, type TitleOf } from '../../draw/coherence/line-words';
import { actorOf, glyph } from '../../draw/glyph';
import { rect, words } from '../../draw/shape';
import { PAGE_LINES } from '../../model/coherence/coherence-roles';
import type { LineEvent, LineStory } from '../../model/coherence/line-story';
import { player } from '../../model/session/open-run';
import { Roving } from '../../widgets/Roving';
import { ShapeView } from '../../widgets/ShapeView';
import styles from './Follow.module.css';
import { cellShapes, type FollowProps, type Scene, titleIn } from './follow-scene';

/** Width of a box in the strip, in units of the drawing. */
const BOX = 34;
/** Height of a line of the list in pixels. */
const ROW = 26;

/** The life of the line in play: all of it that may be seen, and as much around the playhead as there is room for. */
function useLife(story: LineStory, { event, index }: Scene, room: number) {
  const hides = useHidesFuture();
  const life = event ? story.lifeOf(event.line).filter((at) => !hides || at <= index) : [];
  const reached = life.filter((at) => at <= index).length - 1;
  const from = Math.max(0, Math.min(reached - room + 2, life.length - room));
  return { life, shown: life.slice(from, from + room), reached };
}

export interface StripProps extends FollowProps {
  readonly story: LineStory;
  readonly scene: Scene;
}

/** What this line has been through, and will: each box goes to its moment. */
export function Strip({ coherent, story, scene, scale }: StripProps & { readonly scale: number }) {
  const [box, { width }] = useSize();
  const { event, index } = scene;
  const room = Math.max(1, Math.floor((width / scale - 90) / BOX));
  const { life, shown, reached } = useLife(story, scene, room);
  if (!event) return <div className={styles.strip} ref={box} />;
  const title = titleIn(coherent);
  return (
    <div className={styles.strip} ref={box}>
      <span className={styles.life}>life of line {event.line % PAGE_LINES}</span>
      <fieldset className={styles.boxes} aria-label={`Life of ${lineName(event.line)}`}>
        <Roving>
          {shown.map((at) => {
            const one = story.events[at];
            if (!one) return null;
            return (
              <LifeBox
                key={at}
                event={one}
                actor={actorOf(coherent.machine.parts, one.part)}
                title={title}
                place={at === life[reached] ? 'now' : at > index ? 'later' : 'before'}
              />
            );
          })}
        </Roving>
      </fieldset>
    </div>
  );
}

/** The same in words, where there is room for them. */
export function LifeList({ coherent, story, scene }: StripProps) {
  const [box, { height }] = useSize();
  const { index } = scene;
  const row = ROW * useScale();
  const { life, shown, reached } = useLife(story, scene, Math.max(1, Math.floor(height / row)));
  const title = titleIn(coherent);
  return (
    <div className={styles.list} style={{ '--row': `${row}px` } as CSSProperties} ref={box}>
      <Roving>
        {shown.map((at) => {
          const one = story.events[at];
          if (!one) return null;
          return (
            <button
              key={at}
              type="button"
              className={styles.item}
              data-place={at === life[reached] ? 'now' : at > index ? 'later' : 'before'}
              title={eventSentence(one, title)}
              onClick={() => goTo(one)}
            >
              <span className={styles.time}>{text(runTime(one.timePs))}</span>
              <svg viewBox="0 0 16 16" className="drawing" aria-hidden="true">
                <ShapeView shapes={cellShapes(drawnState(one.to), 1, 1, 14, 14)} />
              </svg>
              <span>{eventSentence(one, title)}</span>
            </button>
          );
        })}
      </Roving>
    </div>
  );
}

function goTo({ timePs }: LineEvent): void {
  player.pause();
  void player.toTime(timePs);
}

interface LifeBoxProps {
  readonly event: LineEvent;
  readonly actor: string;
  readonly title: TitleOf;
  readonly place: 'before' | 'now' | 'later';
}

function LifeBox({ event, actor, title, place }: LifeBoxProps) {
  const state = drawnState(event.to);
  const name = title(event.part);
  const digit = /\d+$/.exec(name)?.[0];
  const at = `${text(runTime(event.timePs))}: ${eventSentence(event, title)}`;
  return (
    <button
      type="button"
      className={styles.box}
      data-place={place}
      aria-current={place === 'now' ? 'step' : undefined}
      aria-label={at}
      title={at}
      onClick={() => goTo(event)}
    >
      <svg viewBox="0 0 32 18" className="drawing" aria-hidden="true">
        {digit ? (
          <ShapeView shapes={[words(9, 12.8, digit, 'm10 end i2')]} />
        ) : (
          <ShapeView shapes={[glyph(actor, 6, 9, 3)]} />
        )}
        <ShapeView shapes={cellShapes(state, 13, 2, 14, 14)} />
        {place === 'now' && <ShapeView shapes={[rect(12, 1, 16, 16, 'play-ring')]} />}
      </svg>
    </button>
  );
}
