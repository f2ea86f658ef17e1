import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react';
import { text } from '../../base/format';
import { clamp } from '../../base/geometry';
import { shell } from '../../base/shell-state';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { followPlayhead, shownWindow } from '../../controllers/usePlayheadWindow';
import { runTime, useFrames, useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { wrongEvents } from '../../controllers/wrong-events';
import { busyCounter } from '../../draw/machine/facts';
import {
  busyBySamples,
  busyBySpans,
  type OverviewModel,
  overviewModel,
} from '../../draw/run/overview';
import { widthOf } from '../../draw/text-width';
import { laterQuestion, sealedFromPs } from '../../model/lesson/answer-mask';
import { firstCounterOf } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Panel } from '../../widgets/Panel';
import { SvgView } from '../../widgets/SvgView';
import { ChangeMarks } from './ChangeMarks';
import { ForkMarks } from './ForkMarks';
import styles from './Overview.module.css';
import { eventHits } from './source';

const BINS = 240;
const PER_MILLE = 1000;
const [LEFT, RIGHT] = [116, 24];
const NARROW = { left: 16, right: 16 };

/** Heights on a desktop; on a projector text must be larger and farther apart. */
const DESK = {
  left: LEFT,
  base: 34,
  height: 30,
  use: 26,
  noteY: 8,
  ticks: 17,
  bottom: 54,
  type: 11,
};
type Measures = typeof DESK;

/** Labels of 24 px on a sheet of 1920, and of no less than 19. */
function projector(width: number): Measures {
  const type = clamp(width / 80, 19, 24);
  return {
    left: type * 8.7,
    base: 46,
    height: 38,
    use: 25,
    noteY: 8,
    ticks: type + 5,
    bottom: 82,
    type,
  };
}

interface Use {
  readonly title: string;
  readonly shares: readonly number[];
}

/** Utilisation of the first bus along the run; without a bus, the time CPUs waited for locks. */
function busiest(endPs: number): Use {
  const parts = session.getState().machine?.parts ?? [];
  const bus = parts.findIndex(({ type }) => type.actor === 'bus' && type.tracks.length > 0);
  return bus >= 0 ? busUse(bus, endPs) : lockWaits(endPs);
}

/** Index of a part's counter among all counters of a sample. */
function counterAt(part: number, name: string): number {
  const parts = session.getState().machine?.parts ?? [];
  const index = parts[part]?.type.counters.findIndex((counter) => counter.name === name) ?? -1;
  return firstCounterOf(parts, part) + index;
}

function busUse(bus: number, endPs: number): Use {
  const title = 'bus use';
  const recording = player.recording();
  const part = session.getState().machine?.parts[bus];
  if (!recording || !part) return { title, shares: [] };
  const counter = busyCounter(part);
  if (recording.cut && counter) {
    const at = counterAt(bus, counter.name);
    return { title, shares: busyBySamples(recording.overview, at, endPs, BINS, counter.ps) };
  }
  const lane = recording.trace.lane(bus, part.type.tracks[0]?.name ?? '');
  return { title, shares: busyBySpans(lane?.between(0, endPs) ?? [], endPs, BINS) };
}

/** Waits are counted when they end, so the share of a short period is inexact. */
function lockWaits(endPs: number): Use {
  const title = 'lock waits';
  const parts = session.getState().machine?.parts ?? [];
  const part = parts.findIndex(({ type }) => type.counters.some((one) => one.name === 'wait_time'));
  const overview = player.recording()?.overview ?? [];
  if (part < 0) return { title: '', shares: [] };
  const cpus = parts.filter(({ type }) => type.actor === 'cpu').length;
  return {
    title,
    shares: busyBySamples(overview, counterAt(part, 'wait_time'), endPs, BINS, 1 / cpus),
  };
}

const wrongTimes = (): number[] =>
  wrongEvents().map((seq) => player.trace()?.record(seq)?.timePs ?? 0);

/**
 * The whole run: bus utilisation, notable events, bookmarks, changes, the window of the lanes. Drag to move
 * in time.
 */
export default function Overview() {
  useRun();
  const [box, { width }] = useSize();
  const endPs = useStore(player.state, (state) => state.endPs);
  const recorded = useStore(player.state, (state) => state.recorded);
  const bookmarks = useStore(session, (state) => state.bookmarks);
  const ahead = useHidesFuture();
  const narrow = width < 600;
  const lecture = useStore(shell, (state) => state.lecture);
  const projected = lecture && !narrow;
  const sizes = useMemo(() => (projected ? projector(width) : DESK), [projected, width]);
  const use = useMemo(
    () => (recorded > 0 ? busiest(endPs) : { title: '', shares: [] }),
    [endPs, recorded],
  );
  const wrong = useMemo(() => (recorded > 0 ? wrongTimes() : []), [recorded]);
  // While a question is open, what will go wrong is not marked ahead.
  const known = useFrameValue(() =>
    ahead ? wrong.filter((timePs) => timePs <= player.now().timePs).length : wrong.length,
  );
  const model = useMemo(() => {
    const marks = player.recording()?.marks.notable;
    return overviewModel({
      width,
      ...(narrow ? NARROW : { left: sizes.left, right: RIGHT }),
      base: sizes.base,
      height: sizes.height,
      type: sizes.type,
      endPs,
      use: use.shares,
      notable: marks?.timesOf(marks.length) ?? [],
      wrong: wrong.slice(0, known),
    });
  }, [width, narrow, sizes, endPs, use, wrong, known]);
  return (
    <Panel title="Complete run" bare>
      <div
        className={styles.box}
        ref={box}
        style={{ '--type': `${sizes.type}px` } as React.CSSProperties}
      >
        {width > 0 && (
          <Scrubber model={model} ahead={ahead}>
            <SvgView width={width} height={sizes.bottom} fit="none">
              {!narrow && (
                <>
                  {model.area !== '' && (
                    <text x={16} y={sizes.use} className="t11 i2">
                      {use.title}
                    </text>
                  )}
                  <text x={16} y={sizes.base + sizes.noteY} className="t11 i2">
                    notable events
                  </text>
                </>
              )}
              <path d={model.area} className={styles.area} />
              <path d={model.strokes} className={styles.notable} />
              <Found model={model} base={sizes.base} ahead={ahead} />
              <path d={model.wrong} className={styles.wrong} />
              <path
                d={`M${model.axis.at(0)} ${sizes.base + 0.5}H${width - RIGHT}`}
                className="thin"
              />
              {ahead ? (
                <Mask model={model} sizes={sizes} />
              ) : (
                model.ticks.map((tick) => (
                  <text
                    key={tick.value}
                    x={tick.at}
                    y={sizes.base + sizes.ticks}
                    className="t10 i3 mid"
                  >
                    {tick.label}
                  </text>
                ))
              )}
              <Marks model={model} sizes={sizes} />
              {bookmarks.map((mark, index) => (
                <Flag key={mark} number={index + 1} at={model.axis.at(mark)} />
              ))}
            </SvgView>
          </Scrubber>
        )}
        {width > 0 && <ChangeMarks model={model} base={sizes.base} width={width} ahead={ahead} />}
        {width > 0 && (
          <ForkMarks axis={model.axis} base={sizes.base} width={width} narrow={narrow} />
        )}
      </div>
    </Panel>
  );
}

interface ModelProps {
  readonly model: OverviewModel;
}

interface SizedProps extends ModelProps {
  readonly sizes: Measures;
}

interface FoundProps extends ModelProps {
  readonly base: number;
  readonly ahead: boolean;
}

/** The hits of the search as diamonds, one for each pixel. Those that are sealed are not drawn. */
function Found({ model, base, ahead }: FoundProps) {
  const timesPs = useStore(eventHits, (state) => state.timesPs);
  const nowPs = useFrameValue(() => (ahead ? player.now().timePs : Number.POSITIVE_INFINITY));
  const path = useMemo(() => {
    const shown = timesPs.filter((timePs) => timePs <= nowPs);
    const places = new Set(shown.map((timePs) => Math.round(model.axis.at(timePs))));
    return [...places].map((x) => `M${x} ${base - 4}l4 4l-4 4l-4-4z`).join('');
  }, [timesPs, nowPs, model, base]);
  return <path d={path} className={styles.found} data-hits />;
}

/** Playhead and window, updated without React. */
function Marks({ model, sizes: { base } }: SizedProps) {
  const playhead = useRef<SVGPathElement>(null);
  const frame = useRef<SVGRectElement>(null);
  useFrames('dom', () => {
    followPlayhead();
    const { from, to } = shownWindow.getState();
    const x = model.axis.at(player.now().timePs);
    playhead.current?.setAttribute('d', `M${x} 8V${base + 9}M${x - 5} 3h10v4l-5 5l-5-5z`);
    frame.current?.setAttribute('x', String(model.axis.at(from)));
    frame.current?.setAttribute(
      'width',
      String(Math.max(2, model.axis.at(to) - model.axis.at(from))),
    );
  });
  return (
    <>
      <rect ref={frame} className={styles.window} y={2} height={base + 6} />
      <path ref={playhead} className={styles.playhead} />
    </>
  );
}

/** A seal from the moment of decision on; without times on the axis, since its end may be the answer. */
function Mask({ model, sizes: { base, ticks, type } }: SizedProps) {
  const sheet = useRef<SVGRectElement>(null);
  const words = useRef<SVGTextElement>(null);
  const end = model.axis.at(model.axis.high);
  const later = useStore(laterQuestion, ({ step }) => step);
  const label =
    later === null ? 'sealed until you answer' : `sealed: step ${later + 1} asks about it`;
  const half = widthOf(label, type) / 2;
  useFrames('dom', () => {
    const x = model.axis.at(Math.min(sealedFromPs(player.now().timePs), model.axis.high));
    sheet.current?.setAttribute('x', String(x));
    sheet.current?.setAttribute('width', String(end - x));
    // In the middle of the seal, or where it is too narrow, as far to the right as they fit.
    words.current?.setAttribute('x', String(Math.min((x + end) / 2, end - half)));
  });
  return (
    <>
      <rect ref={sheet} className={styles.mask} y={2} height={base + 6} />
      <text ref={words} y={base + ticks} className="t10 i3 mid">
        {label}
      </text>
    </>
  );
}

function Flag({ number, at }: { readonly number: number; readonly at: number }) {
  return (
    <g className={styles.flag}>
      <path d={`M${at - 5} 0h10v9l-5-3l-5 3z`} />
      <text x={at} y={7.4}>
        {number}
      </text>
    </g>
  );
}

interface ScrubberProps extends ModelProps {
  /** The future is masked, and so is the run's duration. */
  readonly ahead: boolean;
  readonly children: React.ReactNode;
}

/** A slider over the drawing: the pointer goes anywhere, keys move by hundredths of the run. */
function Scrubber({ model, ahead, children }: ScrubberProps) {
  const element = useRef<HTMLDivElement>(null);
  const complete = useStore(player.state, (state) => state.complete);
  const end = model.axis.high;
  useFrames('dom', () => {
    const { timePs } = player.now();
    const value = ahead ? (timePs / end) * PER_MILLE : timePs;
    element.current?.setAttribute('aria-valuenow', String(Math.round(value)));
    element.current?.setAttribute('aria-valuetext', text(runTime(timePs)));
  });
  const goTo = (event: PointerEvent<HTMLDivElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    void player.toTime(clamp(model.axis.valueAt(event.clientX - left), 0, end));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by: Readonly<Record<string, number>> = {
      ArrowRight: 0.01,
      ArrowUp: 0.01,
      ArrowLeft: -0.01,
      ArrowDown: -0.01,
      PageUp: 0.1,
      PageDown: -0.1,
      Home: -1,
      End: 1,
    };
    const share = by[event.key];
    if (share === undefined) return;
    event.preventDefault();
    player.pause();
    void player.toTime(clamp(player.now().timePs + share * end, 0, end));
  };
  return (
    <div
      ref={element}
      className={styles.scrubber}
      role="slider"
      tabIndex={0}
      aria-label="Time"
      aria-valuemin={0}
      aria-valuemax={ahead ? PER_MILLE : Math.round(end)}
      aria-valuenow={0}
      aria-busy={!complete}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        player.pause();
        goTo(event);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) goTo(event);
      }}
    >
      {children}
    </div>
  );
}
