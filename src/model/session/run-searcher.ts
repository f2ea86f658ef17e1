/**
 * Searches the records of one run, which it makes once: it keeps them packed, so that a later search needs no run. A
 * run with more records than it may keep is made again for each search.
 */
import type { Engine } from '../../engine/api';
import type { EngineCode } from '../../engine/engine-code';
import { Slices } from '../../engine/run-slices';
import { eventSearch } from '../trace/event-search';
import type { ClassTest } from '../trace/rows';
import { RunIndex } from '../trace/run-index';
import {
  type HitColumns,
  isClassListed,
  MAX_HITS,
  momentsOf,
  noHits,
  type RunSearchJob,
  type SearchProgress,
  searchRun,
  stretchesOf,
} from './run-search';

/** Most records kept: 20 bytes each on average, a quarter of a gigabyte. */
const MOST_KEPT = 12_500_000;
/** Records searched between two looks at the clock. */
const AT_ONCE = 1 << 18;
/** Milliseconds between progress reports. */
const REPORT_MS = 100;

/** A search with the engine's code, which the page has already loaded. */
export interface PageSearchJob extends RunSearchJob {
  readonly code: EngineCode;
}

type Report = (progress: SearchProgress) => void;

interface Search {
  readonly test: ClassTest;
  hits: HitColumns;
  count: number;
  /** The last record searched. */
  to: number;
}

export class RunSearcher {
  private index: RunIndex | null = null;
  /** The run as it is made; null before and after. */
  private making: ReturnType<typeof stretchesOf> | null = null;
  private isWhole = false;
  private isTooLong = false;
  private events = 0;
  private timePs = 0;
  /** A stretch of the run that is being made, for all searches that wait for it. */
  private step: Promise<void> | null = null;

  /** @param createEngine makes an engine; two are used at a time at most */
  constructor(
    private readonly createEngine: () => Promise<Engine>,
    private readonly maxKept = MOST_KEPT,
  ) {}

  /** Searches to the end of the run, or until it is stopped. All jobs are of the same run. */
  async search(job: RunSearchJob, report: Report, signal: AbortSignal): Promise<void> {
    const query = eventSearch(job.words, job.machine, job.terms);
    if (!query) return;
    const ofRun = { ...job, search: query, end: { untilEvents: job.endEvents } };
    const moments =
      query.counters.length > 0 ? await momentsOf(await this.createEngine(), ofRun) : [];
    const test = isClassListed(job, query.testWith(moments), moments);
    const search: Search = { test, hits: noHits(), count: 0, to: 0 };
    while (!this.isTooLong && !signal.aborted) {
      await this.look(search, report, signal);
      if (signal.aborted) return;
      this.tell(search, report);
      if (this.isWhole) return;
      this.step ??= this.make(job).finally(() => {
        this.step = null;
      });
      await this.step;
    }
    if (this.isTooLong) await searchRun(await this.createEngine(), job, report, signal);
  }

  /** Searches the kept records. */
  private async look(search: Search, report: Report, signal: AbortSignal): Promise<void> {
    const { index } = this;
    const slices = new Slices(REPORT_MS);
    while (index && search.to < index.length && !signal.aborted) {
      const to = Math.min(index.length, search.to + AT_ONCE);
      const most = Math.max(0, MAX_HITS - search.count);
      search.count += index.find(search.test, { from: search.to + 1, to, most }, (seq) => {
        search.hits.seqs.push(seq);
        search.hits.timesPs.push(index.timeOf(seq));
        search.hits.parts.push(index.partOf(seq));
        search.hits.kinds.push(index.kindOf(seq));
      });
      search.to = to;
      if (!slices.isOver) continue;
      this.tell(search, report);
      await slices.pause();
    }
  }

  private tell(search: Search, report: Report): void {
    const { hits, count } = search;
    search.hits = noHits();
    report({ hits, count, events: this.events, timePs: this.timePs });
  }

  /** Makes more of the run: what takes as long as a report may wait. */
  private async make({ session, endEvents }: RunSearchJob): Promise<void> {
    this.index ??= new RunIndex();
    this.making ??= stretchesOf(await this.createEngine(), session, { untilEvents: endEvents });
    const slices = new Slices(REPORT_MS);
    while (!slices.isOver && !this.isWhole && !this.isTooLong) {
      const { value: stretch } = await this.making.next();
      if (!stretch) break;
      ({ events: this.events, timePs: this.timePs } = stretch);
      if (stretch.chunk) this.index.append(stretch.chunk);
      this.isWhole = stretch.isLast;
      this.isTooLong = this.index.length > this.maxKept;
    }
    if (this.isTooLong) this.index = null;
    if (this.isWhole || this.isTooLong) this.making = null;
    await slices.pause();
  }
}
