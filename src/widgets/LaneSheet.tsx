import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { text, time } from '../base/format';
import { loop } from '../base/loop';
import { shell } from '../base/shell-state';
import { followPlayhead, shownWindow } from '../controllers/usePlayheadWindow';
import { runTime, useFrames } from '../controllers/useRun';
import {
  laneAt,
  type TimelineModel,
  type TimelineRow,
  type TimelineSpan,
} from '../draw/run/timeline';
import { moved, type Window, zoomed } from '../draw/run/timeline-axis';
import {
  decisionTime,
  hidesFuture,
  laterQuestion,
  sealedFromPs,
} from '../model/lesson/answer-mask';
import { type Bracket, brackets } from '../model/lesson/measured';
import { player } from '../model/session/open-run';
import { pointed } from '../model/session/selection';
import { CanvasLayer } from './CanvasLayer';
import type { Brush } from './CanvasView';
import { type Hint, KeyedSheet } from './KeyedSheet';
import { areaBetween, type LaneArea, paintArea } from './laneArea';
import { type LaidLanes, type LaneSource, laidLanes } from './laneLayout';
import { paintLanes, RULER, spanAt } from './lanePaint';
import { LaneSeal } from './laneSeal';

/** Scale of lane names on a projector: 18 px, and 24 px on a sheet of 1920. */
const PROJECTOR_SCALE = 1.57;
const projectorScale = (width: number): number => Math.max(PROJECTOR_SCALE, (width / 1920) * 2.1);
/** Hit tolerance around a bar, in pixels. */
const SLACK = 3;

interface LaneSheetProps extends LaneSource {
  /** What the sheet shows, for screen readers. */
  readonly label: string;
  readonly selected: number | null;
  /** Record of the transfer that a line changes by at the playhead. */
  played?(): number | null;
  /** Grows with the trace. Lanes are laid out again when it or the window changes. */
  readonly version: number;
  /** A chosen area; null if there is none. */
  readonly area?: LaneArea | null;
  /** Dragging chooses an area; otherwise it does with Shift. */
  readonly choosesArea?: boolean;
  onArea?(area: LaneArea | null): void;
  onPick(row: TimelineRow, span: TimelineSpan): void;
  onPoint(row: TimelineRow | null, span: TimelineSpan | null): void;
}

/**
 * Lanes in the shared time window, on a canvas with the playhead. Dragging the ruler moves the playhead;
 * wheel and keys zoom.
 */
export function LaneSheet(props: LaneSheetProps) {
  const { label, left, dense = false, selected, reasons, version, lanes, lanesBefore } = props;
  const { area = null } = props;
  const [hint, setHint] = useState<Hint | null>(null);
  const model = useRef<TimelineModel | null>(null);
  const repaint = useRef<() => void>(() => {});
  const [laneSeal] = useState(() => new LaneSeal());
  const [layer] = useState(() => new CanvasLayer());
  const latest = useRef(props);
  latest.current = props;
  // The panel of the complete run, which moves the window too, is not on every page.
  useFrames('dom', followPlayhead);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a longer trace has other lanes
  const layOut = useMemo(() => {
    const source = { left, dense, reasons, lanes, ...(lanesBefore ? { lanesBefore } : {}) };
    let kept: { key: Brush; window: Window; over: readonly Bracket[]; laid: LaidLanes } | null =
      null;
    return (brush: Brush, window: Window, scale: number): LaidLanes => {
      const over = brackets.getState().shown;
      if (kept?.key === brush && kept.window === window && kept.over === over) return kept.laid;
      const { width, height } = brush;
      const laid = laidLanes({ width, height, window, scale, brackets: over }, source);
      kept = { key: brush, window, over, laid };
      return laid;
    };
  }, [left, dense, reasons, lanes, lanesBefore, version]);

  const paint = useCallback(
    (brush: Brush) => {
      const window = shownWindow.getState();
      if (window.to <= window.from) return;
      const scale = shell.getState().lecture ? projectorScale(brush.width) : 1;
      const laid = layOut(brush, window, scale);
      model.current = laid.model;
      const { timePs } = player.now();
      const playheadText = text(runTime(timePs));
      const seal = laneSeal.at(performance.now(), timePs);
      paintLanes(brush, {
        ...laid,
        playheadPs: timePs,
        playheadText,
        selected,
        played: latest.current.played?.() ?? null,
        pointed: pointed.getState().part,
        hiddenFromPs: sealedFromPs(player.now().timePs),
        seal,
        scale,
        reasons,
        cuts: player.cutsIn(window.from, window.to),
        layer,
      });
      if (area) paintArea(brush, laid.model, area);
      if (seal?.brokenMs != null) loop.once('advance', () => repaint.current());
    },
    [selected, reasons, layOut, laneSeal, layer, area],
  );

  useEffect(() => watchRun(() => repaint.current()), []);

  const actions = useMemo(() => actionsOn(model, latest, setHint), []);
  return (
    <KeyedSheet
      keys={`${label}: W and S zoom, A and D move${props.onArea ? ', [ and ] choose an area up to the playhead, Escape clears it' : ''}`}
      label={label}
      hint={hint}
      paint={paint}
      onReady={(ask) => {
        repaint.current = ask;
      }}
      {...actions}
    />
  );
}

/** Calls `ask` when anything that the lanes show changes; returns the unsubscribe function. */
function watchRun(ask: () => void): () => void {
  const stops = [
    player.onFrame(ask),
    player.state.subscribe(ask),
    shownWindow.subscribe(ask),
    pointed.subscribe(ask),
    hidesFuture.subscribe(ask),
    decisionTime.subscribe(ask),
    laterQuestion.subscribe(ask),
    brackets.subscribe(ask),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

type ModelRef = { readonly current: TimelineModel | null };
type PropsRef = { readonly current: LaneSheetProps };

function placeIn(event: PointerEvent<HTMLElement> | globalThis.WheelEvent, element: Element) {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function barAt(model: TimelineModel, x: number, y: number) {
  const row = laneAt(model, y);
  if (!row) return null;
  const { axis } = model;
  if (axis.valueAt(x) > sealedFromPs(player.now().timePs)) return null;
  const perPixel = (axis.high - axis.low) / (axis.at(axis.high) - axis.at(axis.low));
  const span = spanAt(row, axis.valueAt(x), SLACK * perPixel);
  return span ? { row, span } : null;
}

/** Keys that begin or end the area at the playhead, over all lines, and clear it. */
function areaKeys({ area = null, onArea, lanes }: LaneSheetProps) {
  const bound = (end: { from: number } | { to: number }) => {
    const window = shownWindow.getState();
    const all = lanes(window, Number.POSITIVE_INFINITY).map(({ id }) => id);
    const whole = area ?? { ...window, lanes: all };
    const { from, to } = { ...whole, ...end };
    onArea?.({ ...whole, from: Math.min(from, to), to: Math.max(from, to) });
  };
  const clear: Readonly<Record<string, () => void>> = area ? { escape: () => onArea?.(null) } : {};
  return {
    '[': () => bound({ from: player.now().timePs }),
    ']': () => bound({ to: player.now().timePs }),
    ...clear,
  };
}

/**
 * Pointer and keys: the ruler moves the playhead, a press selects a bar, dragging and the wheel move the
 * window.
 */
function actionsOn(model: ModelRef, props: PropsRef, setHint: (hint: Hint | null) => void) {
  let drag: { x: number; from: number; moved: boolean } | null = null;
  let corner: { x: number; y: number } | null = null;

  const zoom = (at: number, factor: number) => {
    const { endPs } = player.state.getState();
    shownWindow.setState(zoomed(shownWindow.getState(), at, factor, endPs), true);
  };
  const pan = (share: number) => {
    const { endPs } = player.state.getState();
    const window = shownWindow.getState();
    shownWindow.setState(moved(window, share * (window.to - window.from), endPs), true);
  };

  function press(x: number, y: number): void {
    const found = model.current && y > RULER ? barAt(model.current, x, y) : null;
    if (found) props.current.onPick(found.row, found.span);
    else if (model.current) void player.toTime(model.current.axis.valueAt(x));
  }

  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event, event.currentTarget);
      event.currentTarget.setPointerCapture(event.pointerId);
      const { onArea, choosesArea = false } = props.current;
      corner = onArea && y > RULER && (choosesArea || event.shiftKey) ? { x, y } : null;
      drag = { x, from: y <= RULER ? -1 : shownWindow.getState().from, moved: false };
      if (drag.from < 0) press(x, y);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event, event.currentTarget);
      if (corner && model.current)
        return props.current.onArea?.(areaBetween(model.current, corner, { x, y }));
      if (drag && model.current) return dragTo(x);
      const found = model.current && barAt(model.current, x, y);
      if (!found) return leave();
      const { from, to, title } = found.span;
      const isOver = Number.isFinite(to) && to <= sealedFromPs(player.now().timePs);
      const length = isOver ? `, ${text(time(to - from, 3))}` : '';
      const words = `${found.row.lane.title}: ${title}${length}`;
      const most = Math.max(0, event.currentTarget.clientWidth - words.length * 6);
      setHint({ x: Math.min(x + 10, most), y: y - 24, text: words });
      props.current.onPoint(found.row, found.span);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event, event.currentTarget);
      const isArea = corner !== null && Math.abs(corner.x - x) > SLACK;
      if (drag && !isArea && !drag.moved && drag.from >= 0) press(x, y);
      drag = corner = null;
    },
    onPointerLeave: leave,
    onWheel(event: React.WheelEvent<HTMLElement>) {
      const { x } = placeIn(event.nativeEvent, event.currentTarget);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan(Math.sign(event.deltaX || event.deltaY) * 0.12);
      else if (model.current) zoom(model.current.axis.valueAt(x), event.deltaY > 0 ? 1.25 : 0.8);
    },
    onKeyDown(event: KeyboardEvent) {
      const actions: Readonly<Record<string, () => void>> = {
        w: () => zoom(player.now().timePs, 0.8),
        s: () => zoom(player.now().timePs, 1.25),
        a: () => pan(-0.15),
        d: () => pan(0.15),
        ...areaKeys(props.current),
      };
      const act = event.ctrlKey || event.metaKey ? undefined : actions[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    },
  };

  function leave(): void {
    setHint(null);
    props.current.onPoint(null, null);
  }

  function dragTo(x: number): void {
    const shown = model.current;
    if (!drag || !shown) return;
    if (drag.from < 0) return void player.toTime(shown.axis.valueAt(x));
    if (Math.abs(x - drag.x) < 3 && !drag.moved) return;
    drag.moved = true;
    const { endPs } = player.state.getState();
    const by = shown.axis.valueAt(drag.x) - shown.axis.valueAt(x);
    const window = shownWindow.getState();
    shownWindow.setState(moved(window, by, endPs), true);
    drag.x = x;
  }
}
