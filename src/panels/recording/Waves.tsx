import { type KeyboardEvent, type PointerEvent, useCallback, useRef, useState } from 'react';
import { count, integer, text, time } from '../../base/format';
import { timelineModel } from '../../draw/run/timeline';
import { moved, type Window, zoomed } from '../../draw/run/timeline-axis';
import {
  changeAt,
  countHits,
  matching,
  nextHit,
  signalQuery,
  signalValue,
  spansIn,
  valueText,
} from '../../model/report/signals';
import type { Signal, Signals } from '../../model/report/vcd-reader';
import { Button } from '../../widgets/Button';
import type { Brush } from '../../widgets/CanvasView';
import { EmptyState } from '../../widgets/Feedback';
import { KeyedSheet } from '../../widgets/KeyedSheet';
import { paintLanes, RULER } from '../../widgets/lanePaint';
import { type Column, Table } from '../../widgets/Table';
import styles from './Recording.module.css';
import { Failure, Progress } from './Shared';
import { useReplay } from './useReplay';

/** Signals of a recorded bus, as lanes. */
export function Waves({ file }: { readonly file: File }) {
  const { done, result } = useReplay(file, { kind: 'waves', name: file.name });
  if (!result) return <Progress done={done} doing="Reading" />;
  if (!result.ok) return <Failure problems={result.problems} />;
  return result.value.kind === 'waves' ? <Lanes dump={result.value} /> : null;
}

/** More lanes are not told apart; the search narrows them. */
const MOST_LANES = 60;
const LANE = 18;
const NAMES = 208;
/** On a narrow sheet. */
const SHORT_NAMES = 104;
const ZOOM = 0.5;

const words = (timePs: number, endPs: number): string => {
  const { unit } = time(endPs);
  return timePs === 0 ? `0 ${unit}` : text(time(timePs, 6));
};

function Lanes({ dump }: { readonly dump: Signals }) {
  const { signals, endPs, changes, cut } = dump;
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const [window, setWindow] = useState<Window>({ from: 0, to: Math.max(1, endPs) });
  const query = signalQuery(search);
  const found = matching(signals, query);
  const shown = found.slice(0, MOST_LANES);
  /** Moves the cursor, and the window if it would leave it. */
  const goTo = (timePs: number) => {
    setAt(timePs);
    const length = window.to - window.from;
    if (timePs < window.from || timePs > window.to)
      setWindow(moved({ from: timePs - length / 2, to: timePs + length / 2 }, 0, endPs));
  };
  const step = (by: 1 | -1) => {
    const next = nextHit(found, query, at, by);
    if (next !== null) goTo(next);
  };
  const zoom = (factor: number) => setWindow(zoomed(window, at, factor, endPs));
  return (
    <>
      <p>
        {count(signals.length, 'signal')}, {count(changes, 'change')} in {text(time(endPs, 4))}.
        {cut && ' The file has more changes than can be kept; the rest is not shown.'}
      </p>
      <div className={styles.find}>
        <input
          type="search"
          aria-label="Search the signals"
          placeholder="a name, or name=value"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          }}
        />
        <Button size="small" onClick={() => step(-1)}>
          Previous
        </Button>
        <Button size="small" onClick={() => step(1)}>
          Next
        </Button>
        <span role="status">
          {count(countHits(found, query), query.value === null ? 'change' : 'hit')} in{' '}
          {count(found.length, 'signal')}
          {found.length > shown.length && `, ${integer(shown.length)} shown`}
        </span>
        <span className={styles.zoom}>
          <Button size="small" onClick={() => zoom(ZOOM)}>
            Zoom in
          </Button>
          <Button size="small" onClick={() => zoom(1 / ZOOM)}>
            Zoom out
          </Button>
        </span>
      </div>
      {shown.length === 0 ? (
        <EmptyState title="No signal has such a name">
          A name is a part of the signal’s; name=value finds its changes to a value.
        </EmptyState>
      ) : (
        <Sheet
          {...{ signals: shown, endPs, at, window, goTo, step, zoom }}
          move={(share) => setWindow(moved(window, share * (window.to - window.from), endPs))}
        />
      )}
      <Table
        caption={`Values at ${words(at, endPs)}`}
        showCaption
        columns={columnsAt(at, endPs)}
        rows={shown}
        rowKey={({ name }) => name}
      />
    </>
  );
}

const columnsAt = (at: number, endPs: number): readonly Column<Signal>[] => [
  { id: 'name', title: 'signal', cell: ({ name }) => name },
  {
    id: 'value',
    title: 'value',
    cell: (signal) => valueText(signal, signalValue(signal, changeAt(signal, at))) || 'none yet',
  },
  {
    id: 'since',
    title: 'since',
    numeric: true,
    cell: (signal) => timeOf(signal, changeAt(signal, at), endPs),
  },
  {
    id: 'until',
    title: 'until',
    numeric: true,
    cell: (signal) => timeOf(signal, changeAt(signal, at) + 1, endPs),
  },
];

const timeOf = ({ times }: Signal, change: number, endPs: number): string => {
  const timePs = times[change];
  return timePs === undefined ? '–' : words(timePs, endPs);
};

/** Off, unknown, not driven; other values are bars with their text. */
const STYLES: Readonly<Record<string, string>> = {
  '0': 'line',
  x: 'hatch',
  z: 'dashed',
  idle: 'line',
};

function lanesOf(signals: readonly Signal[], window: Window, endPs: number, width: number) {
  return signals.map((signal, part) => {
    const spans = spansIn(signal, window, endPs, width).map(({ from, to, value }, seq) => {
      const title = value === null ? 'many changes' : valueText(signal, value);
      const isBit = signal.bits === 1 && (value === '1' || value === '0');
      const style = STYLES[value ?? ''] ?? (value === null || isBit ? 'solid' : 'light');
      return {
        from,
        to,
        style,
        title,
        label: isBit || value === null ? '' : title,
        actor: null,
        seq,
      };
    });
    return { id: signal.name, part, title: shortName(signal.name), actor: 'cpu', spans };
  });
}

/** The scope and the name; the table has the whole. */
const shortName = (name: string): string => name.split('.').slice(-2).join('.');

interface SheetProps {
  readonly signals: readonly Signal[];
  readonly endPs: number;
  readonly at: number;
  readonly window: Window;
  goTo(timePs: number): void;
  step(by: 1 | -1): void;
  zoom(factor: number): void;
  move(share: number): void;
}

function Sheet({ signals, endPs, at, window, goTo, step, zoom, move }: SheetProps) {
  const axis = useRef<ReturnType<typeof timelineModel>['axis'] | null>(null);
  const paint = useCallback(
    (brush: Brush) => {
      const { width } = brush;
      const left = width < 600 ? SHORT_NAMES : NAMES;
      const model = timelineModel({
        ...{ width, window, left, laneHeight: LANE, top: RULER, right: 12, chain: [] },
        lanes: lanesOf(signals, window, endPs, width - left),
      });
      axis.current = model.axis;
      const playhead = { playheadPs: at, playheadText: words(at, endPs) };
      paintLanes(brush, {
        ...playhead,
        model,
        isRecorded: true,
        selected: null,
        scale: 1,
        reasons: [],
      });
    },
    [signals, window, endPs, at],
  );
  const point = (event: PointerEvent<HTMLElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    const timePs = axis.current?.valueAt(event.clientX - left) ?? 0;
    goTo(Math.round(Math.min(Math.max(timePs, window.from), window.to)));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const actions: Readonly<Record<string, () => void>> = {
      w: () => zoom(ZOOM),
      s: () => zoom(1 / ZOOM),
      a: () => move(-0.15),
      d: () => move(0.15),
      ArrowLeft: () => step(-1),
      ArrowRight: () => step(1),
      Home: () => goTo(0),
      End: () => goTo(endPs),
    };
    const act = event.ctrlKey || event.metaKey ? undefined : actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <div className={styles.waves} style={{ height: RULER + signals.length * LANE + 4 }}>
      <KeyedSheet
        keys="Signals: W and S zoom, A and D move, arrow keys go to the next change"
        label={`${count(signals.length, 'signal')} from ${words(window.from, endPs)} to ${words(window.to, endPs)}; the values at the cursor are in the table below`}
        hint={null}
        paint={paint}
        onReady={() => {}}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          point(event);
        }}
        onPointerMove={(event) => {
          if (event.currentTarget.hasPointerCapture(event.pointerId)) point(event);
        }}
        onWheel={(event) => {
          if (event.shiftKey) move(Math.sign(event.deltaY) * 0.12);
        }}
      />
    </div>
  );
}
