import { useRef } from 'react';
import { integer } from '../../base/format';
import { stepForward } from '../../controllers/step-forward';
import { runTime, useFrames, useFrameValue, useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { openedSeal } from '../../model/lesson/first-guess';
import { lessonPanels } from '../../model/lesson/lesson-panels';
import { SPEEDS } from '../../model/session/playback';
import type { StepUnit } from '../../model/session/stepping';
import { Button, IconButton } from '../../widgets/Button';
import { Panel } from '../../widgets/Panel';
import { PlayButtons } from '../../widgets/PlayButtons';
import { Segmented } from '../../widgets/Segmented';
import { Select } from '../../widgets/Select';
import { bookmarkHere, forkHere } from './commands';
import { EngineFailure } from './EngineFailure';
import { LongRun } from './LongRun';
import { RunChoice } from './RunChoice';
import { StateHash } from './StateHash';
import { StopChoice } from './StopChoice';
import { speedText } from './speed';
import styles from './Transport.module.css';
import { useSpeech } from './useSpeech';

const UNITS: readonly {
  readonly value: StepUnit;
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'event', title: 'event', hint: 'The next event that left a record (1)' },
  { value: 'transaction', title: 'transaction', hint: 'The next transfer or notable event (2)' },
  { value: 'microsecond', title: 'µs', hint: 'The next whole microsecond (3)' },
];

const STORY = { value: 'story', title: 'story pace' };
const SPEED_CHOICES = [STORY].concat(
  SPEEDS.filter((speed) => speed <= 1e10).map((speed) => ({
    value: String(speed),
    title: speedText(speed),
  })),
);

/** Transport controls: play, step, go to the ends; playhead, step unit, speed. */
export default function Transport() {
  const player = useRun();
  const { status, playing, backwards, pace, speed, unit } = useStore(player.state);
  useSpeech(player);
  const isReduced = useStore(lessonPanels, (needed) => needed !== null);
  const ready = status === 'ready';
  return (
    <Panel title="Transport" bare>
      <div className={styles.bar}>
        <div className={styles.buttons}>
          <IconButton
            icon="start"
            label="First"
            keys="Home"
            disabled={!ready}
            onClick={() => player.first()}
          />
          <IconButton
            icon="reverse"
            label="Play backwards"
            keys="J"
            aria-pressed={backwards}
            disabled={!ready}
            onClick={() => player.playBackwards()}
          />
          <PlayButtons
            playClass={styles.play}
            playing={playing}
            disabled={!ready}
            onBack={() => void player.step(-1)}
            onToggle={() => player.toggle()}
            onForward={() => void stepForward(player)}
          />
          <IconButton
            icon="end"
            label="Last"
            keys="End"
            disabled={!ready}
            onClick={() => player.last()}
          />
        </div>
        <Readouts />
        <div className={styles.group}>
          <span className={styles.label}>step by</span>
          <Segmented
            label="Step by"
            options={UNITS}
            value={unit}
            onChange={(next) => player.setUnit(next)}
          />
        </div>
        <div className={styles.group}>
          <Select
            label="Speed"
            showLabel
            options={SPEED_CHOICES}
            value={pace === 'story' ? STORY.value : String(speed)}
            onChange={(next) =>
              next === STORY.value ? player.setPace('story') : player.setSpeed(Number(next))
            }
          />
        </div>
        <Decision />
        <EngineFailure />
        <LongRun />
        <div className={styles.right}>
          <RunChoice />
          <StopChoice />
          {!isReduced && <StateHash />}
          {!isReduced && (
            <Button
              className={styles.bookmark}
              size="small"
              icon="fork"
              title="Keep this version as a fork (F)"
              aria-label="Fork"
              disabled={!ready}
              onClick={() => void forkHere(player)}
            >
              <span>Fork</span>
            </Button>
          )}
          <Button
            className={styles.bookmark}
            size="small"
            icon="bookmark"
            title="Toggle a bookmark (B)"
            aria-label="Bookmark"
            disabled={!ready}
            onClick={() => void bookmarkHere(player)}
          >
            <span>Bookmark</span>
          </Button>
        </div>
      </div>
    </Panel>
  );
}

/** Says why the playhead goes no further while a question is open. */
function Decision() {
  const player = useRun();
  const limitPs = useStore(player.state, (state) => state.limitPs);
  const isOpened = useStore(openedSeal, ({ key, ps }) => key !== null && ps === limitPs);
  const isThere = useFrameValue(() => limitPs !== null && player.now().timePs >= limitPs);
  const why = isOpened ? 'open as far as your guess' : 'stopped at the moment of decision';
  return (
    <span className={styles.decision} aria-live="polite" title={isThere ? why : undefined}>
      {isThere && why}
    </span>
  );
}

/** Time and event count at the playhead: updated without React, sixty times a second. */
function Readouts() {
  const player = useRun();
  const timeText = useRef<HTMLElement>(null);
  const timeUnit = useRef<HTMLElement>(null);
  const eventText = useRef<HTMLElement>(null);
  const eventUnit = useRef<HTMLElement>(null);
  useFrames('dom', () => {
    const { timePs, events } = player.now();
    const { value, unit } = runTime(timePs);
    write(timeText.current, value);
    write(timeUnit.current, unit);
    write(eventText.current, integer(events));
    write(eventUnit.current, events === 1 ? 'event' : 'events');
  });
  return (
    <>
      <div className={styles.read} data-readout="time">
        <b ref={timeText} />
        <small ref={timeUnit} />
      </div>
      <div className={`${styles.read} ${styles.events}`} data-readout="events">
        <b ref={eventText} />
        <small ref={eventUnit}>events</small>
      </div>
    </>
  );
}

function write(element: HTMLElement | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
