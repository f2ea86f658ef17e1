import { useEffect, useMemo, useState } from 'react';
import { useStore } from '../../controllers/useStore';
import { failureText } from '../../model/scenario/engine-errors';
import { engineCommands } from '../../model/session/commands';
import { player } from '../../model/session/open-run';
import type { Listed } from '../../model/session/recorder';
import type { Hits } from '../../model/session/run-search';
import { searchInWorker } from '../../model/session/run-search-page';
import { session } from '../../model/session/session';
import { eventTest } from '../../model/trace/event-search';
import { useTerms } from '../../widgets/GlossaryText';

/** The search over a run that is too long to be kept. */
export interface RunSearch {
  /** `waiting`: the run is still being recorded, or words are being typed. */
  readonly status: 'waiting' | 'searching' | 'stopped' | 'finished' | 'failed';
  readonly hits: Hits;
  /** Hits so far, including those that are not kept. */
  readonly count: number;
  readonly events: number;
  readonly endEvents: number;
  readonly timePs: number;
  readonly failure: string | null;
}

const WAITING: RunSearch = {
  status: 'waiting',
  hits: { seqs: [], timesPs: [], parts: [] },
  ...{ count: 0, events: 0, endEvents: 0, timePs: 0, failure: null },
};

/** The pause between two letters at 40 words per minute: each new word restarts the worker. */
const TYPING_MS = 300;

export interface RunSearchControls {
  /** Null without words, or if all events of the run are kept. */
  readonly search: RunSearch | null;
  stop(): void;
  restart(): void;
}

export function useRunSearch(listed: Listed, words: string): RunSearchControls {
  const terms = useTerms();
  const machine = useStore(session, (state) => state.machine);
  const commands = useStore(session, (state) => state.commands);
  const isCut = useStore(player.state, () => player.recording()?.cut ?? false);
  const isRecorded = useStore(player.state, ({ complete, paused }) => complete || paused);
  const endEvents = useStore(player.state, (state) => state.endEvents);
  const [search, setSearch] = useState(WAITING);
  const [attempt, setAttempt] = useState(0);
  const [stopper, setStopper] = useState<AbortController | null>(null);
  const isWanted = useMemo(() => isCut && eventTest(words, terms) !== null, [isCut, words, terms]);
  const end = isRecorded ? endEvents : 0;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt is made on request
  useEffect(() => {
    setSearch(WAITING);
    if (!isWanted || !machine || end === 0) return;
    const stopping = new AbortController();
    let isOver = false;
    const change = (make: (before: RunSearch) => Partial<RunSearch>) => {
      if (!isOver) setSearch((before) => ({ ...before, ...make(before) }));
    };
    const start = async () => {
      setStopper(stopping);
      setSearch({ ...WAITING, status: 'searching', endEvents: end });
      const { parts, wires, config } = machine;
      const job = {
        machine: {
          parts: parts.map(({ title, type, tables }) => ({ title, type, tables })),
          wires,
        },
        session: { config, commands: engineCommands(machine, commands) },
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
      } catch (error) {
        change(() => ({
          status: 'failed',
          failure: failureText(machine, error),
        }));
      }
    };
    const timer = setTimeout(() => void start(), TYPING_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stopping.abort();
    };
  }, [isWanted, machine, commands, end, listed, words, terms, attempt]);

  return {
    search: isWanted ? search : null,
    stop: () => stopper?.abort(),
    restart: () => setAttempt((before) => before + 1),
  };
}

const joined = (before: Hits, more: Hits): Hits =>
  more.seqs.length === 0
    ? before
    : {
        seqs: [...before.seqs, ...more.seqs],
        timesPs: [...before.timesPs, ...more.timesPs],
        parts: [...before.parts, ...more.parts],
      };
