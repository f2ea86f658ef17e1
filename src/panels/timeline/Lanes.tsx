import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { text, time } from '../../base/format';
import { shell } from '../../base/shell';
import { lanesOf } from '../../draw/run-lanes';
import { laneAt, type TimelineModel, timelineModel } from '../../draw/timeline';
import { moved, zoomed } from '../../draw/timeline-axis';
import { player } from '../../model/opened';
import { point, select, selection } from '../../model/selection';
import { session } from '../../model/session';
import { type Brush, CanvasView } from '../../widgets/CanvasView';
import { paintLanes, spanAt } from '../../widgets/lanePaint';
import { Panel } from '../../widgets/Panel';
import { runTime } from '../../widgets/runTime';
import { useReasons } from '../../widgets/useReasons';
import { useRun } from '../../widgets/useRun';
import { useStore } from '../../widgets/useStore';
import { EventList } from './EventList';
import styles from './Lanes.module.css';
import { shownWindow } from './window';

const LEFT = 116;
const RIGHT = 24;
/** On a phone the names stand above the bars. */
const NARROW = { left: 12, right: 8, caption: 16 };
const NARROW_HEIGHT = 46;
const RULER = 20;
const MOST_HEIGHT = 22;
const LEAST_HEIGHT = 12;
/** Pixels of slack around a bar, so that a narrow one can be hit. */
const SLACK = 3;

/** What every part did, in a window of time around the needle. */
export default function Lanes() {
  useRun();
  return (
    <Panel title="Timeline" bare twin={<EventList />}>
      <Sheet />
    </Panel>
  );
}

function Sheet() {
  const machine = useStore(session, (state) => state.machine);
  const wanted = useStore(session, (state) => state.data?.view.lanes);
  const selected = useStore(selection, (state) => state.event);
  const reasons = useReasons();
  const [hint, setHint] = useState<Hint | null>(null);
  const model = useRef<TimelineModel | null>(null);
  const repaint = useRef<() => void>(() => {});

  const paint = useCallback(
    (brush: Brush) => {
      const trace = player.trace();
      if (!machine || !trace) return;
      const { width, height } = brush;
      const narrow = width < 600;
      const scale = shell.getState().lecture ? 1.3 : 1;
      const window = shownWindow.getState();
      if (window.to <= window.from) return;
      const lanes = lanesOf(machine, trace, window, wanted ?? []);
      const fits = (height - RULER * scale - 4) / Math.max(1, lanes.length);
      model.current = timelineModel({
        width,
        window,
        lanes,
        chain: reasons,
        laneHeight: Math.min(
          narrow ? NARROW_HEIGHT : MOST_HEIGHT * scale,
          Math.max(LEAST_HEIGHT, fits),
        ),
        ...(narrow ? NARROW : { left: LEFT, right: RIGHT }),
        top: RULER * scale,
      });
      const { timePs } = player.now();
      paintLanes(brush, {
        model: model.current,
        needlePs: timePs,
        needleText: text(runTime(timePs)),
        selected,
        scale,
        reasons,
      });
    },
    [machine, wanted, selected, reasons],
  );

  useEffect(() => {
    const ask = () => repaint.current();
    const stops = [player.onFrame(ask), shownWindow.subscribe(ask)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);

  const actions = useMemo(() => actionsOn(model, setHint), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing that takes keys is no fieldset
    <div
      className={styles.sheet}
      role="group"
      aria-label="Timeline: W and S zoom, A and D move"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and move while it has the focus
      tabIndex={0}
      {...actions}
    >
      <CanvasView
        label="What each part did around the needle"
        paint={paint}
        onReady={(ask) => {
          repaint.current = ask;
        }}
      />
      {hint && (
        <span className={styles.hint} style={{ left: hint.x, top: hint.y }}>
          {hint.text}
        </span>
      )}
    </div>
  );
}

interface Hint {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

type ModelRef = { readonly current: TimelineModel | null };

function placeIn(event: PointerEvent<HTMLElement> | globalThis.WheelEvent, element: Element) {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function barAt(model: TimelineModel, x: number, y: number) {
  const row = laneAt(model, y);
  if (!row) return null;
  const perPixel = (model.axis.high - model.axis.low) / (model.axis.at(model.axis.high) - LEFT);
  const span = spanAt(row, model.axis.valueAt(x), SLACK * perPixel);
  return span ? { row, span } : null;
}

/** Pointer and keys: the ruler moves the needle, bars are selected, dragging and the wheel move the window. */
function actionsOn(model: ModelRef, setHint: (hint: Hint | null) => void) {
  let drag: { x: number; from: number; moved: boolean } | null = null;

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
    if (found) select({ part: found.row.lane.part, event: found.span.seq });
    else if (model.current) void player.toTime(model.current.axis.valueAt(x));
  }

  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event, event.currentTarget);
      event.currentTarget.setPointerCapture(event.pointerId);
      drag = { x, from: y <= RULER ? -1 : shownWindow.getState().from, moved: false };
      if (drag.from < 0) press(x, y);
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event, event.currentTarget);
      if (drag && model.current) return dragTo(x);
      const found = model.current && barAt(model.current, x, y);
      if (!found) return leave();
      const { from, to, title } = found.span;
      const length = Number.isFinite(to) ? `, ${text(time(to - from, 3))}` : '';
      setHint({ x: x + 10, y: y - 24, text: `${found.row.lane.title}: ${title}${length}` });
      point({ part: found.row.lane.part, event: found.span.seq });
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event, event.currentTarget);
      if (drag && !drag.moved && drag.from >= 0) press(x, y);
      drag = null;
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
      };
      const act = event.ctrlKey || event.metaKey ? undefined : actions[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    },
  };

  function leave(): void {
    setHint(null);
    point({});
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
