/**
 * Pointer, wheel and keys on the strips of the map. Two fingers zoom; a double click zooms to single bits.
 */

import type { KeyboardEvent, PointerEvent, RefObject, WheelEvent } from 'react';
import { integer } from '../../base/format';
import { clamp } from '../../base/geometry';
import { WORD } from '../../draw/pools/lens';
import {
  entryAt,
  entryText,
  movedRange,
  type StripsModel,
  WHOLE,
  zoomedRange,
} from '../../draw/pools/strips';
import { ownerOf } from '../../model/pools/pool-bitmap';
import { cpuPart } from '../../model/pools/pool-views';
import { clearSelection, point, select } from '../../model/session/selection';
import { session } from '../../model/session/session';
import type { Hint } from '../../widgets/KeyedSheet';
import { centreLens, poolView } from './pool-view';
import { poolName, poolsNow } from './pools-now';
import { applyPainted, canReserve, paintAt } from './reserve';

/** A press that moves less than this, in px, is a click. */
const CLICK = 3;
const NEARER = 0.7;
const FARTHER = 1.4;
/** Share of the present range that a double click shows. */
const CLOSE_UP = 1 / 16;

type ModelRef = RefObject<StripsModel | null>;

const poolSize = (): number =>
  Math.max(1, ...(poolsNow()?.map.pools ?? []).map((pool) => pool.end - pool.start));

function zoom(at: number, factor: number): void {
  const stretch = zoomedRange(poolView.getState().stretch, at, factor, poolSize());
  poolView.setState({ stretch: stretch.to - stretch.from >= 1 ? WHOLE : stretch });
}

const pan = (by: number): void =>
  poolView.setState({ stretch: movedRange(poolView.getState().stretch, by) });

/** Centre of the lens, or of the search it follows, as a share of its pool; keys zoom around it. */
function centre(): number {
  const { stretch, first } = poolView.getState();
  const map = poolsNow()?.map;
  const entry = first ?? map?.search?.start;
  const pool = map?.pools.find(
    ({ start, end }) => entry !== undefined && entry >= start && entry < end,
  );
  const share = pool && entry !== undefined ? (entry - pool.start) / poolSize() : 0.5;
  return clamp(share, stretch.from, stretch.to);
}

function step(entries: number): void {
  const map = poolsNow()?.map;
  if (!map) return;
  const from = poolView.getState().first ?? map.search?.start ?? 0;
  const most = Math.max(0, map.entries - WORD);
  poolView.setState({ first: clamp(Math.floor((from + entries) / WORD) * WORD, 0, most) });
}

/** Reserves the entries under the lens, or frees them. The lens stays there: the rerun moves the search. */
function reserveHere(): void {
  const map = poolsNow()?.map;
  if (!map || !canReserve()) return;
  const entry = poolView.getState().first ?? map.search?.start ?? 0;
  poolView.setState({ first: Math.floor(entry / WORD) * WORD });
  paintAt(entry, null);
  applyPainted();
}

const KEYS: Readonly<Record<string, () => void>> = {
  w: () => zoom(centre(), NEARER),
  s: () => zoom(centre(), FARTHER),
  '+': () => zoom(centre(), NEARER),
  '-': () => zoom(centre(), FARTHER),
  a: () => pan(-0.15),
  d: () => pan(0.15),
  arrowleft: () => step(-WORD),
  arrowright: () => step(WORD),
  arrowup: () => step(-poolSize()),
  arrowdown: () => step(poolSize()),
  enter: reserveHere,
  escape: () => {
    poolView.setState({ first: null, stretch: WHOLE });
    clearSelection();
  },
};

/** Moves the lens to an entry and selects its owner, if any. */
function pick(entry: number): void {
  centreLens(entry);
  const owner = ownerOf(poolsNow()?.map.cells?.[entry] ?? 0);
  const { machine } = session.getState();
  const part = machine && owner !== null ? cpuPart(machine, owner) : null;
  select(part === null ? {} : { part });
}

function pointAt(entry: number | null): void {
  poolView.setState({ marked: entry });
  const owner = entry === null ? null : ownerOf(poolsNow()?.map.cells?.[entry] ?? 0);
  const { machine } = session.getState();
  const part = machine && owner !== null ? cpuPart(machine, owner) : null;
  point(part === null ? {} : { part });
}

type Found = NonNullable<ReturnType<typeof entryAt>>;

interface Place {
  readonly x: number;
  readonly y: number;
}

function placeIn(event: PointerEvent<HTMLElement> | React.MouseEvent<HTMLElement>): Place {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** What stands at a place of the map. */
function hintAt({ pool, entry }: Found, { x, y }: Place, width: number): Hint | null {
  const map = poolsNow()?.map;
  const text = map && `Entry ${integer(entry)}, ${poolName(pool)}: ${entryText(map, entry)}`;
  return text ? { x: clamp(x + 10, 0, Math.max(0, width - 260)), y: y - 24, text } : null;
}

/** The pointer as a brush that reserves entries, or frees them, from press to release. */
function brushOn(found: (place: Place) => Found | null) {
  let isOn: boolean | null = null;
  return {
    begin(place: Place): boolean {
      const at = poolView.getState().reserving ? found(place) : null;
      isOn = at && paintAt(at.entry, null);
      return isOn !== null;
    },
    moveTo(place: Place): boolean {
      const at = isOn === null ? null : found(place);
      if (at) paintAt(at.entry, isOn);
      return isOn !== null;
    },
    end(): void {
      if (isOn !== null) applyPainted();
      isOn = null;
    },
    cancel(): void {
      isOn = null;
      poolView.setState({ painted: null });
    },
  };
}

export function actionsOn(model: ModelRef, setHint: (hint: Hint | null) => void) {
  /** Pressed pointers by id. */
  const down = new Map<number, Place>();
  let drag: { x: number; moved: boolean } | null = null;

  const found = ({ x, y }: Place) => model.current && entryAt(model.current, x, y);
  const brush = brushOn(found);
  /** Position within its pool of the entry at a point; beside the strips, as if on one. */
  const shareAt = (place: Place): number => {
    const at = found(place);
    if (at) return (at.entry - at.pool.start) / (at.pool.end - at.pool.start);
    const { stretch } = poolView.getState();
    const { left = 0, right = 1 } = model.current ?? {};
    const share = clamp((place.x - left) / (right - left), 0, 1);
    return stretch.from + share * (stretch.to - stretch.from);
  };
  const leave = () => {
    setHint(null);
    pointAt(null);
  };

  /** Pinch: the range between two fingers grows as they move apart. */
  function pinch(id: number, place: Place): void {
    const other = [...down].find(([key]) => key !== id)?.[1];
    const before = down.get(id);
    if (!other || !before) return;
    const [was, is] = [Math.abs(before.x - other.x), Math.abs(place.x - other.x)];
    const middle = { x: (place.x + other.x) / 2, y: (place.y + other.y) / 2 };
    if (was > 8 && is > 8) zoom(shareAt(middle), was / is);
  }

  function dragTo({ x }: Place): boolean {
    const shown = model.current;
    if (!drag || !shown || !(drag.moved || Math.abs(x - drag.x) > CLICK)) return false;
    const { stretch } = poolView.getState();
    const [strip] = shown.strips;
    const line = strip ? (strip.to - strip.from) / poolSize() / (stretch.to - stretch.from) : 1;
    pan(((drag.x - x) / (shown.right - shown.left)) * Math.min(1, line));
    drag = { x, moved: true };
    return true;
  }

  function hover(place: Place, width: number): void {
    const at = found(place);
    pointAt(at?.entry ?? null);
    setHint(at && hintAt(at, place, width));
  }

  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      event.currentTarget.setPointerCapture(event.pointerId);
      down.set(event.pointerId, placeIn(event));
      if (down.size === 1 && brush.begin(placeIn(event))) return;
      drag = down.size === 1 ? { x: placeIn(event).x, moved: false } : null;
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const place = placeIn(event);
      if (brush.moveTo(place)) hover(place, event.currentTarget.clientWidth);
      else if (down.size > 1) pinch(event.pointerId, place);
      else if (!dragTo(place)) hover(place, event.currentTarget.clientWidth);
      if (down.has(event.pointerId)) down.set(event.pointerId, place);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      const at = drag && !drag.moved ? found(placeIn(event)) : null;
      if (at) pick(at.entry);
      brush.end();
      down.delete(event.pointerId);
      drag = null;
    },
    onPointerCancel(event: PointerEvent<HTMLElement>) {
      brush.cancel();
      down.delete(event.pointerId);
      drag = null;
    },
    onPointerLeave: leave,
    onDoubleClick(event: React.MouseEvent<HTMLElement>) {
      const { stretch } = poolView.getState();
      const isClose = (stretch.to - stretch.from) * poolSize() <= WORD;
      if (isClose) poolView.setState({ stretch: WHOLE });
      else zoom(shareAt(placeIn(event)), CLOSE_UP);
    },
    onWheel(event: WheelEvent<HTMLElement>) {
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        pan(Math.sign(event.deltaX || event.deltaY) * 0.12);
      else zoom(shareAt(placeIn(event)), event.deltaY > 0 ? FARTHER : NEARER);
    },
    onKeyDown(event: KeyboardEvent) {
      const act =
        event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    },
  };
}
