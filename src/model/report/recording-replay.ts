/**
 * Replays a recorded file: mappings with every policy of the allocator and against the contract of the mapping
 * interface, references through caches of several sizes, signals as they are. The file may be larger than memory; it is read once for each
 * result.
 */
import { count } from '../../base/format';
import { EngineError } from '../../engine/api';
import {
  type CacheSetting,
  type ReferenceReport,
  ReferenceTraceError,
  replayReferences,
} from '../coherence/reference-trace';
import { type ContractReport, checkRecorded } from '../pools/map-contract';
import { readPattern } from '../pools/map-pattern';
import { MAP_POLICIES } from '../pools/map-policies';
import { type ReplayReport, replayMaps } from '../pools/map-replay';
import { geometryOf, type MapRunReport, runPattern } from '../pools/map-run';
import { type ByteSource, TraceError } from '../pools/map-trace';
import { openRecording, UnreadableFile } from '../pools/recording-bytes';
import { patternNotes } from '../pools/recording-words';
import { failure, type Result, success } from '../scenario/problems';
import {
  type MappingsRunJob,
  mappingsRun,
  type RecordedRun,
  type ReferencesRunJob,
  referencesRun,
} from './recording-run';
import { readVcd, type Signals } from './vcd-reader';

interface MappingsJob {
  readonly kind: 'allocator' | 'mappings';
  readonly name: string;
  /** Pools and entries of the table; null for those of the recording, or the usual ones. */
  readonly pools: number | null;
  readonly entries: number | null;
}

interface ReferencesJob {
  readonly kind: 'references';
  readonly name: string;
  readonly cpus: number;
  /** The caches that are compared. */
  readonly caches: readonly Readonly<Partial<Record<CacheSetting, string>>>[];
}

/** Some of a recording as a scenario. */
export type RunJob = { readonly kind: 'run' } & (
  | ({ readonly of: 'mappings' } & Omit<MappingsRunJob, 'pageBytes'>)
  | ({ readonly of: 'references' } & ReferencesRunJob)
);

interface WavesJob {
  readonly kind: 'waves';
  readonly name: string;
}

export type ReplayJob = MappingsJob | ReferencesJob | RunJob | WavesJob;

export interface MappingsReplay {
  readonly kind: 'mappings';
  /** The recorded answers against the engine's; null if none are recorded. */
  readonly compared: ReplayReport | null;
  readonly contract: ContractReport;
  readonly policies: readonly MapRunReport[];
  /** What the pattern that the policies ran lacks. */
  readonly lacks: readonly string[];
}

interface ReferencesReplay {
  readonly kind: 'references';
  readonly reports: readonly ReferenceReport[];
}

export type Replay =
  | MappingsReplay
  | ReferencesReplay
  | ({ readonly kind: 'run' } & RecordedRun)
  | ({ readonly kind: 'waves' } & Signals);

/** Linux maps in pages of 4 KiB on most systems. */
const PAGE_BYTES = 4096;

const PASSES = { allocator: 3, mappings: 2, run: 1, waves: 1 } as const;

export const passesOf = (job: ReplayJob): number =>
  job.kind === 'references' ? job.caches.length : PASSES[job.kind];

type Open = () => ByteSource;

function replayMappings(module: WebAssembly.Module, job: MappingsJob, open: Open): MappingsReplay {
  const isTrace = job.kind === 'allocator';
  const compared = isTrace ? replayMaps(module, open()) : null;
  const contract = checkRecorded(open(), isTrace);
  const pattern = readPattern(open(), isTrace, PAGE_BYTES, job.name);
  const table = geometryOf(pattern.init, {
    entries: job.entries ?? undefined,
    pools: job.pools ?? undefined,
    pageBytes: PAGE_BYTES,
  });
  const policies = runPattern(module, pattern.steps, MAP_POLICIES, table);
  return { kind: 'mappings', compared, contract, policies, lacks: patternNotes(pattern, count) };
}

const runOf = (job: RunJob, source: ByteSource): RecordedRun =>
  job.of === 'mappings'
    ? mappingsRun(source, { ...job, pageBytes: PAGE_BYTES })
    : referencesRun(source, job);

/** Replays a file that can be opened again; a problem names line and reason. */
export function replayRecording(
  module: WebAssembly.Module,
  job: ReplayJob,
  openFile: Open,
): Result<Replay> {
  const open = () => openRecording(openFile()).source;
  const refused = (message: string, line = 0, column = 0) =>
    failure([{ file: job.name, pointer: '', line, column, message }]);
  try {
    if (job.kind === 'run') return success({ kind: 'run', ...runOf(job, open()) });
    if (job.kind === 'waves') return success({ kind: 'waves', ...readVcd(open()) });
    if (job.kind !== 'references') return success(replayMappings(module, job, open));
    const { cpus, caches } = job;
    const reports = caches.map((params) => replayReferences(module, { cpus, params }, open()));
    return success({ kind: 'references', reports });
  } catch (error) {
    if (error instanceof TraceError) return refused(error.sentence, error.line, 1);
    if (error instanceof ReferenceTraceError)
      return refused(error.sentence, error.line, error.column);
    if (error instanceof UnreadableFile) return refused(`The file ${error.message}`);
    if (error instanceof EngineError) return refused(error.message);
    throw error;
  }
}
