import { useEffect, useMemo, useRef, useState } from 'react';
import { address } from '../../base/format';
import {
  coherentLog,
  coherentMoment,
  pointedPlaces,
  selectedPlaces,
  subscribeHighlights,
  useViews,
} from '../../controllers/useCoherence';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import {
  cellAt,
  changedCells,
  cursorShape,
  type LinesGrid,
  linesGrid,
  linesShapes,
  linesShown,
  placeIn,
  windowFor,
} from '../../draw/coherence/lines';
import { cellSentence, type PageLines, pageLines, pageSentences } from '../../draw/coherence/page';
import { RUNWAY_LINE } from '../../engine/gen/constants';
import {
  type CoherentMachine,
  PAGE_BYTES,
  PAGE_LINES,
} from '../../model/coherence/coherence-roles';
import { player } from '../../model/session/open-run';
import { point, select } from '../../model/session/selection';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { Select } from '../../widgets/Select';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './CacheLines.module.css';
import { usedPages } from './useShownPage';

interface PageProps {
  readonly coherent: CoherentMachine;
  readonly page: number;
}

const pageTitle = (page: number): string => `page ${address(page / PAGE_BYTES)}`;

/** Choice of the picture that follows the bus. */
const BUS = 'bus';

interface PageChoiceProps {
  readonly coherent: CoherentMachine;
  /** Null where the picture follows the bus. */
  readonly page: number | null;
  onChange(page: number | null): void;
}

export function PageChoice({ coherent, page, onChange }: PageChoiceProps) {
  const used = [...usedPages(coherent), ...(page === null ? [] : [page])];
  const pages = [...new Set(used)].sort((a, b) => a - b);
  return (
    <Select
      label="Page"
      options={[
        { value: BUS, title: 'in play' },
        ...pages.map((at) => ({ value: String(at), title: pageTitle(at) })),
      ]}
      value={page === null ? BUS : String(page)}
      onChange={(value) => onChange(value === BUS ? null : Number(value))}
    />
  );
}

/** The views of each part that the page view needs. */
export function pageViews({ caches, memory, tlb }: CoherentMachine) {
  return [
    ...caches.map(({ part }) => [part, 'lines', 'data', 'misses', 'write_backs', 'now'] as const),
    ...(tlb ? [[tlb.part, 'line', 'prefetch', 'tlb'] as const] : []),
    ...(memory ? [[memory.part, 'cells'] as const] : []),
  ];
}

/** Title of the device that made a write. */
function maker(coherent: CoherentMachine, write: number): string | null {
  const part = coherentLog(coherent)?.makers.get(write);
  return part === undefined ? null : (coherent.machine.parts[part]?.title ?? null);
}

function linesNow(coherent: CoherentMachine, page: number, first: number, count: number) {
  const now = coherentMoment(coherent);
  if (!now) return null;
  return pageLines(coherent, now, { page, first, count, maker: (write) => maker(coherent, write) });
}

export function PageView({ coherent, page }: PageProps) {
  const views = useMemo(() => pageViews(coherent), [coherent]);
  useViews(coherent, views);
  const [box, size] = useSize();
  const scale = useScale();
  const [width, height] = [size.width / scale, size.height / scale];
  const names = useMemo(() => rowNames(coherent), [coherent]);
  const grid = useMemo(() => linesGrid({ width, height, names }), [width, height, names]);
  return (
    <div className={styles.box} ref={box}>
      {width > 0 && (
        <div style={{ height: grid.height * scale }}>
          <Lines key={page} coherent={coherent} page={page} grid={grid} scale={scale} />
        </div>
      )}
    </div>
  );
}

export const rowNames = ({ caches, tlb, memory }: CoherentMachine): string[] =>
  [...caches, ...(tlb ? [tlb] : []), ...(memory ? [memory] : [])].map(({ title }) => title);

const lineOf = (at: number | null, page: number): number | null =>
  at !== null && at >= page && at < page + PAGE_BYTES
    ? Math.floor((at - page) / RUNWAY_LINE)
    : null;

const NONE: ReadonlySet<number> = new Set();
/** A step spans few events; after a larger seek nearly everything would be marked as changed. */
const STEP_EVENTS = 64;

interface LinesProps extends PageProps {
  readonly grid: LinesGrid;
  readonly scale: number;
}

function Lines({ coherent, page, grid, scale }: LinesProps) {
  const shown = linesShown(grid);
  const lines = useRef<PageLines | null>(null);
  const fresh = useRef<{ events: number; changed: ReadonlySet<number> }>({
    events: -1,
    changed: NONE,
  });
  /** First line chosen by scrolling; until then the first line of the page that was used. */
  const [chosen, setFirst] = useState<number | null>(null);
  useStore(player.state, (state) => state.recorded);
  const lowest = lineOf(coherentLog(coherent)?.pages.get(page)?.lowest ?? null, page);
  const usual = windowFor(0, shown, lowest);
  const first = chosen ?? usual;
  /** The part of a drag that is less than a column. */
  const remainder = useRef(0);
  const [cursor, setCursor] = useState<GridPlace | null>(null);
  const group = useLiveGroup(() => {
    const now = linesNow(coherent, page, first, shown);
    if (!now) return [];
    const { events } = player.now();
    const passed = Math.abs(events - fresh.current.events);
    if (passed > 0) {
      const changed = passed <= STEP_EVENTS ? changedCells(lines.current, now) : NONE;
      fresh.current = { events, changed };
    }
    lines.current = now;
    const marked = lineOf(pointedPlaces(coherent).address, page);
    const marks = {
      marked: marked === null ? [] : [marked],
      selected: lineOf(selectedPlaces(coherent).address, page),
      changed: player.state.getState().playing ? NONE : fresh.current.changed,
    };
    return linesShapes(grid, now, marks);
  });
  useEffect(() => {
    const follow = () => {
      const selectedLine = lineOf(selectedPlaces(coherent).address, page);
      setFirst((before) =>
        selectedLine === null && before === null
          ? null
          : windowFor(before ?? usual, shown, selectedLine),
      );
    };
    follow();
    return subscribeHighlights(follow);
  }, [coherent, page, shown, usual]);

  const placed = (place: GridPlace) => {
    const { row, line } = placeIn(grid, place.row, place.column);
    const part = lines.current?.rows[row]?.part ?? null;
    return { part, view: 'address', index: page + (first + line) * RUNWAY_LINE };
  };
  return (
    <RovingGrid
      label={`${pageTitle(page)}: lines across, holders down`}
      rows={grid.rows * grid.bands}
      columns={grid.columns}
      describe={(place) => {
        const { row, line } = placeIn(grid, place.row, place.column);
        return lines.current ? cellSentence(lines.current, row, line) : '';
      }}
      cellAt={(x, y) => cellAt(grid, x / scale, y / scale)}
      onPoint={(place) => {
        setCursor(place);
        point(place ? placed(place) : {});
      }}
      onChoose={(place) => select(placed(place))}
      isSelected={(place) => selectedPlaces(coherent).address === placed(place).index}
      onPan={(pixels) => {
        remainder.current += pixels / grid.across / scale;
        const whole = Math.trunc(remainder.current);
        remainder.current -= whole;
        if (whole !== 0) setFirst(windowFor(first + whole, shown, null));
      }}
      onLeave={(by) => setFirst(windowFor(first + by, shown, null))}
    >
      <SvgView width={grid.width} height={grid.height} scale={scale}>
        <g ref={group} />
        {cursor && <ShapeView shapes={[cursorShape(grid, cursor.row, cursor.column)]} />}
      </SvgView>
    </RovingGrid>
  );
}

/** The page as sentences, one for each run of lines. */
export function PageText({ coherent, page }: PageProps) {
  const views = useMemo(() => pageViews(coherent), [coherent]);
  useViews(coherent, views);
  const text = useFrameValue(() => {
    const now = linesNow(coherent, page, 0, PAGE_LINES);
    return now ? pageSentences(now).join('\n') : '';
  });
  const sentences = text === '' ? [] : text.split('\n');
  const summary =
    sentences.length > 0
      ? `Of ${pageTitle(page)}, at the playhead:`
      : `No cache holds a line of ${pageTitle(page)} at the playhead.`;
  return <TextAlternative summary={summary} sentences={sentences} />;
}
