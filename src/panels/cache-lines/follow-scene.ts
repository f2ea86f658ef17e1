/** What the picture of the line in play shows: the event, the bays around it, and shared names. */
import { useMemo, useRef } from 'react';
import { coherentLog, coherentMoment } from '../../controllers/useCoherence';
import { playedIndex, useEachFrame } from '../../controllers/useLinePlay';
import { pageName, type TitleOf } from '../../draw/coherence/line-words';
import { type PageLines, pageLines } from '../../draw/coherence/page';
import type { Shape } from '../../draw/shape';
import { emptyCell, type LineState, stateCell } from '../../draw/state-cell';
import {
  type CoherentMachine,
  PAGE_BYTES,
  PAGE_LINES,
} from '../../model/coherence/coherence-roles';
import { LineBays, streamsOf } from '../../model/coherence/line-bays';
import type { LineEvent, LineStory } from '../../model/coherence/line-story';
import { player } from '../../model/session/open-run';
import { useFollowing } from './useFollow';

/** Streams of work that are kept apart, and how near two lines of one stream are. */
export const MOST_BAYS = 3;
export const NEAR = 7;
/** A sheet narrower than this, in units of the drawing, has room for fewer bays. */
export const WIDTH_OF_A_BAY = 100;
export interface FollowProps {
  readonly coherent: CoherentMachine;
}

/** What is drawn: the event in play, and the lines of each bay. */
export interface Scene {
  readonly index: number;
  readonly event: LineEvent | null;
  readonly firsts: readonly number[];
  /** Bay in which the event is seen; -1 where none shows it. */
  readonly active: number;
  readonly pages: readonly PageLines[];
}

export const titleIn =
  ({ machine }: CoherentMachine): TitleOf =>
  (part) =>
    machine.parts[part ?? -1]?.title ?? 'somebody';

function makerIn(coherent: CoherentMachine) {
  const makers = coherentLog(coherent)?.makers;
  return (write: number): string | null => {
    const part = makers?.get(write);
    return part === undefined ? null : (coherent.machine.parts[part]?.title ?? null);
  };
}

export function useBays(
  coherent: CoherentMachine,
  story: LineStory | null,
  columns: number,
  most: number,
) {
  const length = story?.events.length ?? 0;
  const isBegun = length > 0;
  const key = story && isBegun ? player.trace() : null;
  return useMemo(() => {
    if (!story || !key || coherent.caches.length === 0) return null;
    return new LineBays(story.events, columns, streamsOf(story.events, NEAR, most));
  }, [story, key, columns, most, coherent]);
}

/** Lines of the bays at the playhead; the same object until one of them or the event changes. */
export function useScene(
  { coherent }: FollowProps,
  story: LineStory | null,
  bays: LineBays | null,
  columns: number,
): Scene | null {
  const { bays: held } = useFollowing();
  const kept = useRef<{ key: string; scene: Scene | null }>({ key: '', scene: null });
  return useEachFrame(() => {
    const now = coherentMoment(coherent);
    if (!now || !story || !bays) return null;
    const index = playedIndex(story);
    const view = bays.at(index);
    if (!view) return null;
    const firsts = held?.length === bays.count ? held : view.bays.map(({ first }) => first);
    const maker = makerIn(coherent);
    const pages = firsts.map((first) => {
      const page = Math.floor(first / PAGE_LINES) * PAGE_BYTES;
      return pageLines(coherent, now, { page, first: first % PAGE_LINES, count: columns, maker });
    });
    const event = story.events[index] ?? null;
    const shows = (first: number | undefined) =>
      event !== null && first !== undefined && event.line >= first && event.line < first + columns;
    const active = shows(firsts[view.active]) ? view.active : firsts.findIndex(shows);
    const states = pages.map(({ rows }) =>
      rows.map(({ cells }) => cells.map(({ state, title }) => state ?? title).join()).join(';'),
    );
    const { lost, supplied } = event ?? {};
    const key = `${index} ${lost} ${supplied} ${firsts} ${states.join('|')}`;
    if (key !== kept.current.key || kept.current.scene === null)
      kept.current = { key, scene: { index, event, firsts, active, pages } };
    return kept.current.scene;
  });
}

export const tagOf = (first: number): string => pageName(first).replace('page ', '');

export const cellShapes = (
  state: LineState | null,
  x: number,
  y: number,
  width: number,
  height: number,
): Shape[] =>
  state === null ? emptyCell(x, y, width, height) : stateCell(x, y, width, height, state);
