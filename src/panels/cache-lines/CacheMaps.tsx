import { useCallback, useEffect, useMemo, useRef } from 'react';
import { address, count, integer } from '../../base/format';
import {
  coherentMoment,
  pointedPlaces,
  selectedPlaces,
  subscribeHighlights,
  useViews,
} from '../../controllers/useCoherence';
import { useFrameValue } from '../../controllers/useRun';
import {
  type CacheShape,
  cacheBytes,
  colour,
  MAP_TOKENS,
  type Maps,
  type PlacedMap,
  pixel,
  placeMaps,
} from '../../draw/coherence/map';
import type { Moment } from '../../draw/moment';
import { LINE_STATES, STATE_NAMES } from '../../draw/state-cell';
import type { CacheRole, CoherentMachine } from '../../model/coherence/coherence-roles';
import { player } from '../../model/session/open-run';
import { point, select } from '../../model/session/selection';
import { type Brush, CanvasView } from '../../widgets/CanvasView';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { TextAlternative } from '../../widgets/TextAlternative';
import { mapTitle } from './mapTitle';

interface MapsProps {
  readonly coherent: CoherentMachine;
}

function mapViews({ caches, memory }: CoherentMachine) {
  return [
    ...caches.map(({ part }) => [part, 'lines', 'data', 'misses'] as const),
    ...(memory ? [[memory.part, 'cells'] as const] : []),
  ];
}

/** The bytes and image of one cache, reused from frame to frame. */
interface Sheet {
  readonly lines: number;
  readonly bytes: Uint8Array;
  readonly image: ImageData;
  readonly canvas: HTMLCanvasElement;
}

function sheetOf(lines: number, { columns, rows }: CacheShape): Sheet {
  const canvas = document.createElement('canvas');
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows);
  return { lines, bytes: new Uint8Array(lines), image, canvas };
}

/** Draws one cache: bytes, colours, one image scaled up without smoothing. */
function paintMap(brush: Brush, sheet: Sheet, palette: Uint32Array, place: PlacedMap): void {
  colour(sheet.bytes, palette, new Uint32Array(sheet.image.data.buffer));
  sheet.canvas.getContext('2d')?.putImageData(sheet.image, 0, 0);
  const { context } = brush;
  context.imageSmoothingEnabled = false;
  context.drawImage(sheet.canvas, place.x, place.y, place.width, place.height);
}

const linesOf = (now: Moment, cache: CacheRole): number => now.view(cache.part, 'lines')?.rows ?? 0;

/** Every line of every cache as a cell. */
export function CacheMaps({ coherent }: MapsProps) {
  const views = useMemo(() => mapViews(coherent), [coherent]);
  useViews(coherent, views);
  const { caches } = coherent;
  const sheets = useRef<Sheet[]>([]);
  const layout = useRef<Maps | null>(null);
  const repaint = useRef<() => void>(() => {});

  const paint = useCallback(
    (brush: Brush) => {
      const now = coherentMoment(coherent);
      const first = caches[0];
      if (!now || !first || linesOf(now, first) === 0) return;
      const lines = linesOf(now, first);
      layout.current = placeMaps(first, lines, caches.length, brush);
      const { shape, places } = layout.current;
      const palette = Uint32Array.from(MAP_TOKENS, (token) => pixel(brush.color(token)));
      caches.forEach((cache, index) => {
        const place = places[index];
        let sheet = sheets.current[index];
        if (!sheet || sheet.lines !== lines || sheet.canvas.width !== shape.columns)
          sheet = sheetOf(lines, shape);
        sheets.current[index] = sheet;
        if (!place) return;
        const counts = cacheBytes(coherent, cache, now, sheet.bytes);
        paintMap(brush, sheet, palette, place);
        mapTitle(brush, cache.title, counts, place);
        markLines(brush, coherent, cache, { now, shape, place });
      });
    },
    [coherent, caches],
  );

  useEffect(() => {
    const ask = () => repaint.current();
    const stops = [player.onFrame(ask), subscribeHighlights(ask)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);

  /** The cache and its line at a place of the grid, which stacks the caches. */
  const found = ({ row, column }: GridPlace) => {
    const { columns = 1, rows = 1 } = layout.current?.shape ?? {};
    const cache = caches[Math.floor(row / rows)];
    return cache ? { cache, line: (row % rows) * columns + column } : null;
  };
  const addressAt = (place: GridPlace): number | null => {
    const [now, at] = [coherentMoment(coherent), found(place)];
    const tag = at ? (now?.view(at.cache.part, 'lines')?.column('tag')?.[at.line] ?? 0) : 0;
    return at && tag > 0 ? (tag - 1) * at.cache.lineBytes : null;
  };
  const describe = (place: GridPlace): string => {
    const at = found(place);
    const code = at ? sheets.current[caches.indexOf(at.cache)]?.bytes[at.line] : undefined;
    const [state, where] = [LINE_STATES[code ?? 0] ?? 'invalid', addressAt(place)];
    const name = state === 'invalid' ? 'invalid' : `${STATE_NAMES[state]}, ${address(where ?? 0)}`;
    return at ? `${at.cache.title}, line ${integer(at.line)}: ${name}` : '';
  };
  const chosen = (place: GridPlace) => {
    const index = addressAt(place);
    return index === null
      ? { part: found(place)?.cache.part ?? null }
      : { part: found(place)?.cache.part ?? null, view: 'address', index };
  };
  const { rows = 1, columns = 1 } = layout.current?.shape ?? {};
  return (
    <RovingGrid
      label="Lines of all caches, a page to a row"
      rows={rows * caches.length}
      columns={columns}
      describe={describe}
      cellAt={(x, y) => cellIn(layout.current, x, y)}
      onPoint={(place) => point(place ? chosen(place) : {})}
      onChoose={(place) => select(chosen(place))}
      isSelected={(place) => addressAt(place) === selectedPlaces(coherent).address}
    >
      <CanvasView
        label="State of every line of every cache"
        paint={paint}
        onReady={(ask) => {
          repaint.current = ask;
        }}
      />
    </RovingGrid>
  );
}

function cellIn(layout: Maps | null, x: number, y: number): GridPlace | null {
  if (!layout) return null;
  const { shape, places } = layout;
  const index = places.findIndex(
    (at) => x >= at.x && x < at.x + at.width && y >= at.y && y < at.y + at.height,
  );
  const place = places[index];
  if (!place) return null;
  const row = Math.floor((y - place.y) / place.cell);
  return { row: index * shape.rows + row, column: Math.floor((x - place.x) / place.cell) };
}

interface MarkedMap {
  readonly now: Moment;
  readonly shape: CacheShape;
  readonly place: PlacedMap;
}

/** A frame around the selected and the hovered line in every cache that holds them. */
function markLines(brush: Brush, coherent: CoherentMachine, cache: CacheRole, at: MarkedMap): void {
  const { context } = brush;
  const tags = at.now.view(cache.part, 'lines')?.column('tag');
  const marks = [
    [pointedPlaces(coherent).address, '--mark'],
    [selectedPlaces(coherent).address, '--ink-1'],
  ] as const;
  for (const [where, token] of marks) {
    if (where === null || !tags) continue;
    const line = tags.indexOf(Math.floor(where / cache.lineBytes) + 1);
    if (line < 0) continue;
    const { x, y, cell } = at.place;
    const size = Math.max(cell, 4) + 4;
    const left = x + ((line % at.shape.columns) + 0.5) * cell - size / 2;
    const top = y + (Math.floor(line / at.shape.columns) + 0.5) * cell - size / 2;
    context.strokeStyle = brush.color(token);
    context.lineWidth = 2;
    context.strokeRect(left, top, size, size);
  }
}

/** The maps as counts, one sentence for each cache. */
export function MapsText({ coherent }: MapsProps) {
  const views = useMemo(() => mapViews(coherent), [coherent]);
  useViews(coherent, views);
  const text = useFrameValue(() => {
    const now = coherentMoment(coherent);
    if (!now) return '';
    return coherent.caches.map((cache) => cacheSentence(coherent, cache, now)).join('\n');
  });
  return (
    <TextAlternative summary="Lines in each state, at the playhead." sentences={text.split('\n')} />
  );
}

function cacheSentence(coherent: CoherentMachine, cache: CacheRole, now: Moment): string {
  const lines = linesOf(now, cache);
  const counts = cacheBytes(coherent, cache, now, new Uint8Array(lines));
  const parts = LINE_STATES.flatMap((state, code) => {
    const amount = counts[code] ?? 0;
    return amount > 0 && state !== 'invalid' ? [`${integer(amount)} ${STATE_NAMES[state]}`] : [];
  });
  const rest = parts.length > 0 ? parts.join(', ') : 'none held';
  return `${cache.title}, ${count(lines, 'line')} of ${integer(cache.lineBytes)} bytes: ${rest}.`;
}
