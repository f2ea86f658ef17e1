/** The programs of the open machine at the playhead: which rows run, what rows cost, and where playing stops. */
import { useEffect, useMemo } from 'react';
import {
  beginsQuery,
  type ProgramPart,
  programParts,
  rowsOfItem,
} from '../model/drivers/program-rows';
import { type RowCost, rowCosts, totalCost } from '../model/drivers/row-costs';
import type { ItemPath } from '../model/scenario/program-loops';
import { player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { useHidesFuture } from './useAnswerMask';
import { useFrameValue, useLog, useRun } from './useRun';
import { useStore } from './useStore';

const NO_PROGRAMS: readonly ProgramPart[] = [];

type RowState = 'running' | 'ready' | 'waiting';

const STATES: Readonly<Record<string, RowState>> = {
  ready: 'ready',
  running: 'running',
  blocked: 'waiting',
  waits: 'waiting',
};

/** A row at the playhead. */
export interface PresentRow {
  readonly program: ProgramPart;
  readonly thread: number;
  readonly item: ItemPath;
  readonly state: RowState;
}

const usePrograms = (): readonly ProgramPart[] =>
  useStore(session, ({ machine }) => (machine ? programParts(machine) : NO_PROGRAMS));

const STATE_LIST = ['running', 'ready', 'waiting'] as const;

/** Part, thread, row and state of every thread that is not over, as text that changes only with them. */
function presentText(programs: readonly ProgramPart[]): string {
  const frame = player.frame();
  const { machine } = session.getState();
  if (!frame || !machine) return '';
  return programs
    .flatMap(({ part, view, status, row }, at) => {
      const shown = frame.views.find((one) => one.part === part && one.view === view);
      const members = machine.parts[part]?.type.enums.thread ?? [];
      // The last row of the view is the interrupt handler.
      return Array.from({ length: Math.max(0, (shown?.rows ?? 0) - 1) }, (_, thread) => {
        const state = STATES[members[shown?.columns[status]?.[thread] ?? -1]?.name ?? ''];
        const index = shown?.columns[row]?.[thread];
        return state ? `${at} ${thread} ${index} ${STATE_LIST.indexOf(state)}` : '';
      });
    })
    .filter(Boolean)
    .join(',');
}

/** The rows of all threads at the playhead. */
export function usePresentRows(): readonly PresentRow[] {
  useRun();
  const programs = usePrograms();
  useEffect(() => player.want(programs.map(({ part, view }) => ({ part, view }))), [programs]);
  const text = useFrameValue(() => presentText(programs));
  return useMemo(
    () =>
      text.split(',').flatMap((one): PresentRow[] => {
        const [at = 0, thread = 0, row = -1, state = 0] = one.split(' ').map(Number);
        const program = programs[at];
        const item = program?.rows[row]?.item;
        return one !== '' && program && item
          ? [{ program, thread, item, state: STATE_LIST[state] ?? 'running' }]
          : [];
      }),
    [text, programs],
  );
}

/** A row of the file, as one thread executes it. */
interface RowPlace {
  readonly part: string;
  readonly thread: number;
  readonly item: ItemPath;
}

export interface ProgramCosts {
  /** An open question asks about a result of the run. */
  readonly isSealed: boolean;
  /** The cost of a row of the file; null if it has not begun. */
  of(place: RowPlace): RowCost | null;
}

/** What the rows cost in the recorded run. */
export function useProgramCosts(): ProgramCosts {
  const machine = useStore(session, (state) => state.machine);
  const programs = usePrograms();
  const isSealed = useHidesFuture();
  const log = useLog(
    (trace) => machine && rowCosts(trace, machine),
    ({ read }) => read,
  );
  return {
    isSealed,
    of({ part, thread, item }) {
      const program = programs.find(({ name }) => name === part);
      if (!program || !log || isSealed) return null;
      const rows = rowsOfItem(program, thread, item);
      return totalCost(rows.flatMap((row) => log.of(program.part, row) ?? []));
    },
  };
}

export interface Breakpoints {
  /** Whether playing can stop at a row; loops, laps and ends take no time. */
  canStop(place: RowPlace): boolean;
  has(place: RowPlace): boolean;
  /** Sets or removes the stop at all of these places. */
  toggle(places: readonly RowPlace[]): void;
}

const OR = ' OR ';
const TIMELESS = new Set(['end', 'thread', 'repeat', 'again', 'lap', 'lap_end', 'stop']);

/** Rows at which playing stops: conditions of *stop when*. */
export function useBreakpoints(): Breakpoints {
  const programs = usePrograms();
  const stopAt = useStore(player.state, (state) => state.stopAt);
  const conditions = stopAt?.split(OR) ?? [];
  const queriesOf = ({ part, thread, item }: RowPlace): string[] => {
    const program = programs.find(({ name }) => name === part);
    const rows = program ? rowsOfItem(program, thread, item) : [];
    const isTimed = rows.some((row) => !TIMELESS.has(program?.rows[row]?.operation ?? ''));
    return program && isTimed ? beginsQuery(program, rows).split(OR) : [];
  };
  const has = (queries: readonly string[]) =>
    queries.length > 0 && queries.every((query) => conditions.includes(query));
  return {
    canStop: (place) => queriesOf(place).length > 0,
    has: (place) => has(queriesOf(place)),
    toggle(places) {
      const queries = places.flatMap(queriesOf);
      if (queries.length === 0) return;
      const others = conditions.filter((one) => !queries.includes(one));
      const isOwn = others.every((one) => one.startsWith('(part='));
      const kept = isOwn ? others : [];
      const next = has(queries) ? kept : [...new Set([...kept, ...queries])];
      player.setStop(next.length > 0 ? next.join(OR) : null);
    },
  };
}
