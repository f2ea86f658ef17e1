import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { count, integer, percent } from '../../base/format';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { drawingScale, useStore } from '../../controllers/useStore';
import { type Phrase, textOf } from '../../draw/phrase';
import { lensFor } from '../../draw/pools/lens';
import { poolsPhrases } from '../../draw/pools/pool-words';
import { hasTrail, type StripsModel, stripsModel, WHOLE } from '../../draw/pools/strips';
import { AGE_TITLES, type PoolUse } from '../../draw/pools/usage';
import type { Pool } from '../../model/pools/pool-bitmap';
import { reservableIn } from '../../model/pools/reserved-stretches';
import { player } from '../../model/session/open-run';
import { pointed, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import type { Brush } from '../../widgets/CanvasView';
import { EmptyState } from '../../widgets/Feedback';
import { type Hint, KeyedSheet } from '../../widgets/KeyedSheet';
import { Panel } from '../../widgets/Panel';
import { PanelSentence } from '../../widgets/PanelSentence';
import { Segmented } from '../../widgets/Segmented';
import { Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './Bitmap.module.css';
import { actionsOn } from './bitmapActions';
import { paintStrips } from './paint';
import { TonesImage } from './paintTones';
import { poolView } from './pool-view';
import { chosenCpu, poolsNow, trailNow, usePoolViews } from './pools-now';
import { reservedRanges } from './reserve';

/** Every entry of the map: a strip for each pool, with the start of its next search. */
export default function Bitmap() {
  useRun();
  usePoolViews();
  const whole = useStore(poolView, ({ stretch }) => stretch === WHOLE);
  const there = useFrameValue(() => poolsNow() !== null);
  const entries = useFrameValue(() => poolsNow()?.map.entries ?? 0);
  return (
    <Panel
      title="Bitmap, one row per pool"
      sub={there && whole && count(entries, 'entry', 'entries')}
      tools={
        <>
          <Legend />
          <Colours />
          <Reserve />
          {!whole && (
            <Button look="link" onClick={() => poolView.setState({ stretch: WHOLE })}>
              Whole pools
            </Button>
          )}
        </>
      }
      textAlternative={<PoolsTextAlternative />}
    >
      {there ? (
        <div className={styles.around}>
          <div className={styles.sheet}>
            <Sheet />
          </div>
          <Sentence />
        </div>
      ) : (
        <EmptyState title="The pool map appears with the first frame of the run." />
      )}
    </Panel>
  );
}

const COLOURINGS = [
  { value: 'owner', title: 'owner', hint: 'Colours show which CPU mapped the entries' },
  { value: 'age', title: 'age', hint: 'Colours show how long ago the youngest entry was mapped' },
] as const;

function Colours() {
  const colouring = useStore(poolView, (state) => state.colouring);
  return (
    <Segmented
      label="Colour by"
      options={COLOURINGS}
      value={colouring}
      onChange={(value) => poolView.setState({ colouring: value })}
    />
  );
}

/** With it on, the pointer reserves entries of the map. */
function Reserve() {
  const reserving = useStore(poolView, (state) => state.reserving);
  const can = useStore(session, ({ machine }) => reservableIn(machine) !== null);
  if (!can) return null;
  return (
    <Button
      size="small"
      aria-pressed={reserving}
      title="Drag over the map: those entries are taken from the start, and the machine is rerun"
      onClick={() => poolView.setState({ reserving: !reserving })}
    >
      Reserve
    </Button>
  );
}

/** The meaning of the colours: by owner or by age, if the machine records them. */
const TRAIL_KINDS = [
  ['age-0', 'handed out now'],
  ['age-2', '10 ms ago'],
  ['foreign', 'spilled'],
  ['held', 'long-lived'],
] as const;

const AGE_KINDS = [
  ...AGE_TITLES.map((title, age) => [`age-${age}`, title] as const),
  ['held', 'before'] as const,
];

function Legend() {
  const owned = useFrameValue(() => Boolean(poolsNow()?.map.cells));
  const colouring = useStore(poolView, (state) => state.colouring);
  const chosen = useChosen();
  const byOwner = [
    ['held', 'long-lived'],
    ['own', 'by its CPUs'],
    ['foreign', 'spilled'],
  ] as const;
  const stretch = useStore(poolView, (state) => state.stretch);
  const isTrail = useFrameValue(() => {
    const map = poolsNow()?.map;
    return map !== undefined && hasTrail(map, stretch);
  });
  const byAge = isTrail ? TRAIL_KINDS : AGE_KINDS;
  const kinds = !owned ? [['held', 'in use'] as const] : colouring === 'age' ? byAge : byOwner;
  return (
    <span className={styles.legend}>
      {kinds.map(([kind, title]) => (
        <span key={kind} data-kind={kind}>
          {title}
        </span>
      ))}
      {chosen !== null && <span data-kind="chosen">CPU {chosen}’s</span>}
      <span data-kind="cursor">next search</span>
    </span>
  );
}

/** The highlighted processor: hovered, or else selected. */
function useChosen(): number | null {
  useStore(pointed, ({ part }) => part);
  useStore(selection, ({ part }) => part);
  return chosenCpu();
}

/** Slower than this, single owners of a lock can be seen; faster, only the share of time for which it is held. */
const SWEEP_PS = 1e9;

function isLockPace(): boolean {
  const { pace, speed } = player.state.getState();
  return pace === 'story' || speed < SWEEP_PS;
}

/** What the map shows now, in phrases. */
function phrasesNow(): Phrase[] {
  const now = poolsNow();
  if (!now) return [];
  const { timePs } = player.now();
  return poolsPhrases({ uses: now.uses, trail: trailNow(), lockPace: isLockPace(), timePs });
}

function Sentence() {
  const json = useFrameValue(() => JSON.stringify(phrasesNow()));
  const phrases = useMemo(() => JSON.parse(json) as readonly Phrase[], [json]);
  return <PanelSentence className={styles.sentence} phrases={phrases} />;
}

function Sheet() {
  const model = useRef<StripsModel | null>(null);
  const repaint = useRef<() => void>(() => {});
  const image = useMemo(() => ({ strips: new TonesImage(), held: new TonesImage() }), []);
  const [hint, setHint] = useState<Hint | null>(null);

  const paint = useCallback(
    (brush: Brush) => {
      const now = poolsNow();
      if (!now) return;
      const { width, height, ratio } = brush;
      const scale = drawingScale();
      const { stretch, first, marked, under, across, colouring } = poolView.getState();
      const chosen = chosenCpu();
      const trail = trailNow();
      model.current = stripsModel({
        ...now,
        trail,
        width,
        height,
        ratio,
        scale,
        stretch,
        colouring,
        chosen,
      });
      const { search } = now.map;
      const place = first ?? (search && lensFor(now.map, under / across, across));
      paintStrips(
        brush,
        {
          model: model.current,
          scale,
          trail,
          lockPace: isLockPace(),
          timePs: player.now().timePs,
          reserved: reservedRanges(),
          isReserving: poolView.getState().reserving,
          lens: place === null || under === 0 ? null : { first: place, entries: under },
          marked,
          active: search?.pool ?? null,
          chosen,
        },
        image,
      );
    },
    [image],
  );

  useEffect(() => {
    const ask = () => repaint.current();
    const stores = [poolView, pointed, selection].map((store) => store.subscribe(ask));
    const stops = [player.onFrame(ask), ...stores];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);

  const actions = useMemo(() => actionsOn(model, setHint), []);
  return (
    <KeyedSheet
      keys="Bitmap: arrow keys move the lens, Enter reserves the entries there, W and S zoom, A and D move, Escape goes back"
      data-own-keys
      label="Entries in use in each pool, and where the next search starts"
      hint={hint}
      paint={paint}
      onReady={(ask) => {
        repaint.current = ask;
      }}
      {...actions}
    />
  );
}

/** "CPU 3, 7 wait" */
function lockText({ holder, waiting, lock }: Pool): string {
  if (lock === null) return '';
  const held = holder === null ? 'free' : `CPU ${holder}`;
  return waiting.length > 0 ? `${held}, ${integer(waiting.length)} wait` : held;
}

function PoolsTextAlternative() {
  const now = useFrameValue(poolsNow);
  if (!now)
    return <TextAlternative summary="The pool map appears with the first frame of the run." />;
  const used = now.uses.reduce((sum, use) => sum + use.used, 0);
  const reserved = reservedRanges().map(
    ({ from, to }) => ` Entries ${integer(from)} to ${integer(to - 1)} are reserved.`,
  );
  return (
    <TextAlternative
      summary={`${textOf(phrasesNow())} ${integer(used)} of ${count(now.map.entries, 'entry', 'entries')} are in use, ${percent((used / now.map.entries) * 100, 1)}.${reserved.join('')}`}
    >
      <Table<PoolUse>
        caption="The pools at the playhead"
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
          { id: 'lock', title: 'lock now', cell: ({ pool }) => lockText(pool) },
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
    </TextAlternative>
  );
}
