/**
 * The events of the open run that a query finds. A run whose records are all kept is searched on the page, in slices,
 * as it is recorded; a longer one is made again in a worker.
 */
import { useEffect, useMemo, useState } from 'react';
import { Slices } from '../engine/run-slices';
import { tracedMachine } from '../model/scenario/compiled';
import { failureText } from '../model/scenario/engine-errors';
import { engineCommands } from '../model/session/commands';
import { player } from '../model/session/open-run';
import type { Listed } from '../model/session/recorder';
import { type Hits, hitsOf, isRecordListed, joined, NO_HITS } from '../model/session/run-search';
import { searchInWorker } from '../model/session/run-search-page';
import { session } from '../model/session/session';
import { QueryError } from '../model/trace/event-query';
import { type EventSearch, eventSearch } from '../model/trace/event-search';
import { type RowTest, testOf } from '../model/trace/rows';
import type { Term } from '../model/trace/terms';
import { useStore } from './useStore';

export interface RunSearch {
  /** `waiting`: the run is still being recorded, or words are being typed. */
  readonly status: 'waiting' | 'searching' | 'stopped' | 'finished' | 'failed';
  readonly hits: Hits;
  /** Hits so far, including those that are not kept. */
  readonly count: number;
  readonly events: number;
  readonly endEvents: number;
  /** Time up to which the run is searched. */
  readonly timePs: number;
  readonly failure: string | null;
}

const WAITING: RunSearch = {
  status: 'waiting',
  hits: NO_HITS,
  ...{ count: 0, events: 0, endEvents: 0, timePs: 0, failure: null },
};

/** The pause between two letters at 40 words per minute: each new word restarts the worker. */
const TYPING_MS = 300;
/** Records examined between two checks of the clock. */
const AT_ONCE = 64;

export interface EventHits {
  /** Why the query cannot be read. */
  readonly error: QueryError | null;
  /** Hits among the records that the page holds; null without a query. */
  readonly found: readonly number[] | null;
  /** Null without a query. */
  readonly search: RunSearch | null;
  /** The run has more records than the page holds. */
  readonly isLong: boolean;
  stop(): void;
  restart(): void;
}

/** The search for a query, or why there is none. */
function useQuery(words: string, terms: readonly Term[]) {
  const machine = useStore(session, (state) => state.machine);
  return useMemo((): { search: EventSearch | null; error: QueryError | null } => {
    try {
      return { search: machine && eventSearch(words, machine, terms), error: null };
    } catch (error) {
      if (error instanceof QueryError) return { search: null, error };
      throw error;
    }
  }, [machine, words, terms]);
}

/** Hits among the kept records; null if the search is over before its end. */
async function findKept(
  test: RowTest,
  isListed: (kind: number, seq: number) => boolean,
  isOver: () => boolean,
): Promise<readonly number[] | null> {
  const trace = player.trace();
  const found: number[] = [];
  const slices = new Slices();
  if (!trace) return found;
  for (let seq = trace.first; seq <= trace.last; seq++) {
    if (seq % AT_ONCE === 0 && slices.isOver) {
      await slices.pause();
      if (isOver()) return null;
    }
    if (isListed(trace.kindOf(seq), seq) && test(trace, seq)) found.push(seq);
  }
  return found;
}

/** The records of the events that make the conditions on counters true: known when the run is recorded. */
async function momentsOf({ counters }: EventSearch): Promise<(number | null)[]> {
  const moments: (number | null)[] = [];
  for (const holds of counters) moments.push((await player.firstWhere(holds))?.seq ?? null);
  return moments;
}

/** Hits among the kept records. Earlier hits stay until there are more. */
function useKeptHits(search: EventSearch | null, listed: Listed): readonly number[] | null {
  const recorded = useStore(player.state, (state) => state.recorded);
  const [found, setFound] = useState<readonly number[] | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace is searched again as it grows
  useEffect(() => {
    if (!search) {
      setFound(null);
      return;
    }
    let over = false;
    const find = async () => {
      const moments = await momentsOf(search);
      const types = session.getState().machine?.parts.map(({ type }) => type) ?? [];
      const isListed = isRecordListed(types, listed, moments);
      const all = over
        ? null
        : await findKept(testOf(search.testWith(moments)), isListed, () => over);
      if (!over && all) setFound(all);
    };
    void find();
    return () => {
      over = true;
    };
  }, [search, listed, recorded]);
  return found;
}

/** The level limits a search for words; conditions find events of any level. */
export function useEventHits(level: Listed, words: string, terms: readonly Term[]): EventHits {
  const machine = useStore(session, (state) => state.machine);
  const commands = useStore(session, (state) => state.commands);
  const isLong = useStore(player.state, () => player.recording()?.cut ?? false);
  const isRecorded = useStore(player.state, ({ complete, paused }) => complete || paused);
  const endEvents = useStore(player.state, (state) => state.endEvents);
  const endPs = useStore(player.state, (state) => state.endPs);
  const { search: query, error } = useQuery(words, terms);
  const listed = query?.hasConditions ? 'all' : level;
  const found = useKeptHits(query, listed);
  const [long, setLong] = useState(WAITING);
  const [attempt, setAttempt] = useState(0);
  const [stopper, setStopper] = useState<AbortController | null>(null);
  const end = isRecorded ? endEvents : 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is made on request
  useEffect(() => {
    setLong(WAITING);
    if (!isLong || !query || !machine || end === 0) return;
    const stopping = new AbortController();
    let isOver = false;
    const change = (make: (before: RunSearch) => Partial<RunSearch>) => {
      if (!isOver) setLong((before) => ({ ...before, ...make(before) }));
    };
    const start = async () => {
      setStopper(stopping);
      setLong({ ...WAITING, status: 'searching', endEvents: end });
      const job = {
        machine: tracedMachine(machine),
        session: { config: machine.config, commands: engineCommands(machine, commands) },
        ...{ endEvents: end, listed, words, terms },
      };
      try {
        const status = await searchInWorker(
          job,
          ({ hits, ...progress }) =>
            change((before) => ({ ...progress, hits: joined(before.hits, hits) })),
          stopping.signal,
        );
        change(() => ({ status: status === 'done' ? 'finished' : 'stopped' }));
      } catch (failure) {
        change(() => ({ status: 'failed', failure: failureText(machine, failure) }));
      }
    };
    const timer = setTimeout(() => void start(), TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stopping.abort();
    };
  }, [isLong, query, machine, commands, end, listed, words, terms, attempt]);

  const short = useMemo((): RunSearch => {
    const trace = player.trace();
    if (!found || !trace || isLong) return WAITING;
    const hits = hitsOf(trace, found);
    const status = isRecorded ? 'finished' : 'searching';
    const timePs = isRecorded || query?.counters.length === 0 ? endPs : 0;
    const known = { count: found.length, events: endEvents, endEvents, timePs };
    return { ...WAITING, ...known, status, hits };
  }, [query, found, isLong, isRecorded, endEvents, endPs]);

  return {
    ...{ error, found, isLong },
    search: query && (isLong ? long : short),
    stop: () => stopper?.abort(),
    restart: () => setAttempt((before) => before + 1),
  };
}
