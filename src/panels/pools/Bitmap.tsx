import {
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { count, integer, percent } from '../../base/format';
import { clamp } from '../../base/geometry';
import { shell } from '../../base/shell';
import { lensFor, WORD } from '../../draw/pool-lens';
import {
  entryAt,
  entryText,
  movedStretch,
  type StripsModel,
  stripsModel,
  WHOLE,
  zoomedStretch,
} from '../../draw/pool-strips';
import type { PoolUse } from '../../draw/pool-use';
import { player } from '../../model/opened';
import { Button } from '../../widgets/Button';
import { type Brush, CanvasView } from '../../widgets/CanvasView';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Table } from '../../widgets/Table';
import { TextTwin } from '../../widgets/TextTwin';
import { useFrameValue, useRun } from '../../widgets/useRun';
import { useStore } from '../../widgets/useStore';
import styles from './Bitmap.module.css';
import { look, lookAt } from './look';
import { poolName, poolsNow, usePoolViews } from './now';
import { paintStrips, TonesImage } from './paint';

/** Every entry of the map: a strip for each pool, with the place where its next search starts. */
export default function Bitmap() {
  useRun();
  usePoolViews();
  const whole = useStore(look, ({ stretch }) => stretch === WHOLE);
  const there = useFrameValue(() => poolsNow() !== null);
  const entries = useFrameValue(() => poolsNow()?.map.entries ?? 0);
  return (
    <Panel
      title="Bitmap, one row per pool"
      sub={there && count(entries, 'entry', 'entries')}
      tools={
        <>
          <Legend />
          {!whole && (
            <Button look="link" onClick={() => look.setState({ stretch: WHOLE })}>
              Whole pools
            </Button>
          )}
        </>
      }
      twin={<Twin />}
    >
      {there ? <Sheet /> : <EmptyState title="The map comes with the first frame of the run." />}
    </Panel>
  );
}

function Legend() {
  const owned = useFrameValue(() => Boolean(poolsNow()?.map.cells));
  return (
    <span className={styles.legend}>
      <span data-kind="held">{owned ? 'long-lived' : 'in use'}</span>
      {owned && (
        <>
          <span data-kind="own">by the pool’s CPUs</span>
          <span data-kind="foreign">spilled</span>
        </>
      )}
      <span data-kind="cursor">next search</span>
    </span>
  );
}

function Sheet() {
  const model = useRef<StripsModel | null>(null);
  const repaint = useRef<() => void>(() => {});
  const image = useMemo(() => new TonesImage(), []);
  const [hint, setHint] = useState<Hint | null>(null);

  const paint = useCallback(
    (brush: Brush) => {
      const now = poolsNow();
      if (!now) return;
      const { width, height, ratio } = brush;
      const scale = shell.getState().lecture ? 1.3 : 1;
      const { stretch, first, marked, under, across } = look.getState();
      model.current = stripsModel({ ...now, width, height, ratio, scale, stretch });
      const { search } = now.map;
      const place = first ?? (search && lensFor(now.map, under / across, across));
      paintStrips(
        brush,
        {
          model: model.current,
          scale,
          lens: place === null || under === 0 ? null : { first: place, entries: under },
          marked,
          active: search?.pool ?? null,
        },
        image,
      );
    },
    [image],
  );

  useEffect(() => {
    const ask = () => repaint.current();
    const stops = [player.onFrame(ask), look.subscribe(ask)];
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
      aria-label="Bitmap: arrow keys move the lens, W and S zoom, A and D move"
      data-own-keys
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys zoom and move while it has the focus
      tabIndex={0}
      {...actions}
    >
      <CanvasView
        label="Entries in use in each pool, and where the next search starts"
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

type ModelRef = { readonly current: StripsModel | null };

/** Pointer: a press puts the lens, dragging and the wheel move and zoom the strips. Keys do the same. */
function actionsOn(model: ModelRef, setHint: (hint: Hint | null) => void) {
  let drag: { x: number; moved: boolean } | null = null;

  const shareAt = (x: number): number => {
    const { stretch } = look.getState();
    const { left = 0, right = 1 } = model.current ?? {};
    const share = clamp((x - left) / (right - left), 0, 1);
    return stretch.from + share * (stretch.to - stretch.from);
  };
  const poolSize = () =>
    Math.max(1, ...(poolsNow()?.map.pools ?? []).map((pool) => pool.end - pool.start));
  const zoom = (at: number, factor: number) => {
    const stretch = zoomedStretch(look.getState().stretch, at, factor, poolSize());
    look.setState({ stretch: stretch.to - stretch.from >= 1 ? WHOLE : stretch });
  };
  const pan = (by: number) => look.setState({ stretch: movedStretch(look.getState().stretch, by) });
  const step = (entries: number) => {
    const map = poolsNow()?.map;
    if (!map) return;
    const from = look.getState().first ?? map.search?.start ?? 0;
    look.setState({
      first: clamp(Math.floor((from + entries) / WORD) * WORD, 0, Math.max(0, map.entries - WORD)),
    });
  };
  const keys: Readonly<Record<string, () => void>> = {
    w: () => zoom((look.getState().stretch.from + look.getState().stretch.to) / 2, 0.7),
    s: () => zoom((look.getState().stretch.from + look.getState().stretch.to) / 2, 1.4),
    a: () => pan(-0.15),
    d: () => pan(0.15),
    arrowleft: () => step(-WORD),
    arrowright: () => step(WORD),
    arrowup: () => step(-poolSize()),
    arrowdown: () => step(poolSize()),
    escape: () => look.setState({ first: null, stretch: WHOLE }),
  };
  const placeIn = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const leave = () => {
    setHint(null);
    look.setState({ marked: null });
  };

  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      event.currentTarget.setPointerCapture(event.pointerId);
      drag = { x: placeIn(event).x, moved: false };
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event);
      if (drag && model.current && (drag.moved || Math.abs(x - drag.x) > 3)) {
        pan((drag.x - x) / (model.current.right - model.current.left));
        drag = { x, moved: true };
        return;
      }
      const found = model.current && entryAt(model.current, x, y);
      const map = poolsNow()?.map;
      if (!found || !map) return leave();
      look.setState({ marked: found.entry });
      const text = `Entry ${integer(found.entry)}, ${poolName(found.pool)}: ${entryText(map, found.entry)}`;
      setHint({ x: Math.min(x + 10, event.currentTarget.clientWidth - 220), y: y - 24, text });
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const { x, y } = placeIn(event);
      const found = model.current && drag && !drag.moved ? entryAt(model.current, x, y) : null;
      if (found) lookAt(found.entry);
      drag = null;
    },
    onPointerLeave: leave,
    onWheel(event: React.WheelEvent<HTMLElement>) {
      const { left } = event.currentTarget.getBoundingClientRect();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan(Math.sign(event.deltaX || event.deltaY) * 0.12);
      else zoom(shareAt(event.clientX - left), event.deltaY > 0 ? 1.4 : 0.7);
    },
    onKeyDown(event: KeyboardEvent) {
      const act =
        event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    },
  };
}

function Twin() {
  const now = useFrameValue(poolsNow);
  if (!now) return <TextTwin summary="The map comes with the first frame of the run." />;
  const used = now.uses.reduce((sum, use) => sum + use.used, 0);
  return (
    <TextTwin
      summary={`${integer(used)} of ${count(now.map.entries, 'entry', 'entries')} are in use, ${percent((used / now.map.entries) * 100, 1)}.`}
    >
      <Table<PoolUse>
        caption="The pools at the needle"
        columns={[
          { id: 'pool', title: 'pool', cell: ({ pool }) => (pool.large ? 'large' : pool.number) },
          {
            id: 'by',
            title: 'used by',
            cell: ({ holders }) => (holders.length > 0 ? `CPU ${holders.join(', ')}` : 'nobody'),
          },
          {
            id: 'range',
            title: 'entries',
            cell: ({ pool }) => `${integer(pool.start)} to ${integer(pool.end - 1)}`,
          },
          { id: 'used', title: 'in use', numeric: true, cell: ({ used: sum }) => integer(sum) },
          {
            id: 'free',
            title: 'longest free',
            numeric: true,
            cell: (use) => integer(use.longestFree),
          },
          {
            id: 'cursor',
            title: 'next search at',
            numeric: true,
            cell: ({ pool }) => integer(pool.cursor),
          },
          {
            id: 'locks',
            title: 'lock taken',
            numeric: true,
            cell: ({ pool }) => integer(pool.locks),
          },
        ]}
        rows={now.uses}
        rowKey={({ pool }) => String(pool.number)}
      />
    </TextTwin>
  );
}
