/**
 * Who is to blame, beyond the chain of causes: an event that somebody got old data, that a write is lost, that a
 * device reached what was taken back, or that a translation had to be fetched again follows from something that did
 * not happen, and no cause leads there. It is read from the record before it: who held what, and since when; and
 * from the parameters that let it be so come the changes that would have prevented it.
 */
import { address as addressText, text, time } from '../../base/format';
import { LINE_BYTES } from '../coherence/coherence-roles';
import type { CompiledMachine } from '../scenario/compile';
import { settingOf } from '../scenario/param-rules';
import type { Assignment, Programs, Scenario } from '../scenario/scenario-types';
import type { Trace } from '../trace/trace';
import { mapForDirectionFix, withoutPrefetchFix } from './driver-cures';
import { broken, coherenceFixes, flushFixes, pageEndFixes, tableWalkFixes } from './fixes';
import { lostWordRule, ringOrderRule, ringTornRule } from './ring-rules';
import { field, type TraceEvent, TraceQuery } from './trace-query';
import { WAIT_RULES } from './wait-rules';

/** A change to try. */
export interface Fix {
  readonly title: string;
  readonly edits: Assignment;
  /** Programs that take the place of others. */
  readonly programs?: Programs;
}

export interface Diagnosis {
  readonly sentences: readonly string[];
  readonly cures: readonly Fix[];
}

const span = (ps: number): string => text(time(ps));
const lineOf = (address: number): number => address - (address % LINE_BYTES);

/** "does not snoop", where the adapter's mode says so. */
function deaf(past: TraceQuery): string[] {
  return past.parts('io_adapter').flatMap((adapter) => {
    const mode = settingOf(adapter, 'mode');
    return mode === null || mode === 'coherent'
      ? []
      : [`${adapter.title} is not coherent: it asked no cache, and told none.`];
  });
}

const covers = (told: TraceEvent, address: number): boolean => {
  const [from, bytes] = [field(told, 'address') ?? 0, field(told, 'bytes') ?? 0];
  return address >= from && address < from + bytes;
};

/** When the driver last made caches and memory agree about an address. */
function synced(past: TraceQuery, address: number, since: number): string[] {
  if (past.parts('io_services').length === 0) return [];
  const sync = past.last((told) => told.event.name === 'sync' && covers(told, address));
  if (!sync) return ['No dma_sync of these bytes came before.'];
  return sync.record.timePs < since
    ? [`The last dma_sync of these bytes was at ${span(sync.record.timePs)}, before that.`]
    : [];
}

function deviceOld(past: TraceQuery, told: TraceEvent, { machine, data }: Run): Diagnosis {
  const translated = past.last(
    ({ part, event }) => part === told.part && ['hit', 'loaded', 'astray'].includes(event.name),
  );
  if (translated?.event.name === 'astray') return staleTranslation(past, translated);
  const address = field(told, 'address') ?? 0;
  const line = lineOf(address);
  const holders = past.dirty(line);
  const ahead = past.last(
    (one) =>
      one.event.name === 'prefetch' &&
      one.part === told.part &&
      lineOf(field(one, 'address') ?? 0) === line,
  );
  const since = holders[0]?.record.timePs ?? told.record.timePs;
  const early = ahead !== null && ahead.record.timePs < told.record.timePs;
  return {
    sentences: [
      ...holders.map(
        ({ part, record }) =>
          `${part.title} has held this line private dirty since ${span(record.timePs)}: write ${field(told, 'wanted')} is there, and not in memory.`,
      ),
      ...deaf(past),
      ...(early
        ? [
            `${told.part.title} had fetched the line ahead at ${span(ahead.record.timePs)}, and nobody tells it of a later write. A mapping without prefetch asks when the device does.`,
          ]
        : []),
      ...(early ? [] : synced(past, address, since)),
    ],
    cures: [
      ...(early ? withoutPrefetchFix(data, machine) : []),
      ...coherenceFixes(past, [['flush_out', 'Flush before a device reads']]),
    ],
  };
}

/** The event that a device's write came to where a stale translation led it; null where it did not. */
const wentAstray = (past: TraceQuery, write: number | null): TraceEvent | null =>
  past.last(
    (one) =>
      one.part.type.name === 'memory_controller' &&
      one.event.name === 'overwritten' &&
      field(one, 'write') === write,
  );

function loadOld(past: TraceQuery, told: TraceEvent): Diagnosis {
  const address = field(told, 'address') ?? 0;
  const covered = wentAstray(past, field(told, 'got'));
  if (covered) return misplacedBy(past, covered);
  const missed = wentAstray(past, field(told, 'wanted'));
  if (missed) {
    const { sentences, cures } = misplacedBy(past, missed);
    return {
      sentences: [`Write ${field(told, 'wanted')} was meant for here.`, ...sentences],
      cures,
    };
  }
  const filled = past.last(
    (one) =>
      one.part === told.part &&
      one.event.name === 'filled' &&
      field(one, 'address') === lineOf(address),
  );
  const wanted = field(told, 'wanted') ?? 0;
  // A device writes both halves of a line at once, and tells of the first.
  const halves = [wanted, wanted - 1];
  const written = past.last(
    (one) => one.event.name === 'write' && halves.includes(field(one, 'write') ?? -1),
  );
  const at = written?.record.timePs;
  return {
    sentences: [
      ...(filled
        ? [`${told.part.title} has had its copy since ${span(filled.record.timePs)}.`]
        : [`${told.part.title} had its own copy, and asked nobody.`]),
      ...(written && at !== undefined
        ? [`${written.part.title} made write ${wanted} to memory at ${span(at)}.`]
        : []),
      ...deaf(past),
    ],
    cures: coherenceFixes(past, [
      ['purge_in', 'Purge before a device writes'],
      ['second_purge', 'Purge once more after it wrote'],
    ]),
  };
}

function lost(past: TraceQuery, told: TraceEvent): Diagnosis {
  const line = lineOf(field(told, 'address') ?? 0);
  const holder = past.lineOf(line);
  return {
    sentences: [
      ...(holder
        ? [
            `${holder.part.title} still held the line from before write ${field(told, 'newest')}, and wrote it back: its write ${field(told, 'old')} is older.`,
          ]
        : []),
      ...deaf(past),
    ],
    cures: coherenceFixes(past, [['purge_in', 'Purge before a device writes']]),
  };
}

function dropped(past: TraceQuery, told: TraceEvent): Diagnosis {
  const line = lineOf(field(told, 'address') ?? 0);
  const holder = past.lineOf(line, told.part, 'private_dirty');
  const since = holder ? ` since ${span(holder.record.timePs)}` : '';
  return {
    sentences: [
      `${told.part.title} held the line private dirty${since}: write ${field(told, 'lost')} was nowhere else.`,
      'A flush would have written it to memory; a purge, and a write of half the line, throw it away.',
    ],
    cures: broken(past),
  };
}

const PAGE = 4096;
/** Each word that a device posts is a write. */
const WORD_BYTES = 4;

/** The last mapping or unmapping of a bus address. */
function turnedBy(past: TraceQuery, name: 'map' | 'unmap', address: number): TraceEvent | null {
  return past.last((one) => {
    const from = field(one, 'address') ?? 0;
    const pages = field(one, 'pages') ?? 0;
    return one.event.name === name && address >= from && address < from + pages * PAGE;
  });
}

/** A walk got an entry from memory while a newer one lay in a cache. */
function entryOld(past: TraceQuery, told: TraceEvent): Diagnosis {
  const holders = past.dirty(lineOf(field(told, 'address') ?? 0));
  return {
    sentences: [
      ...holders.map(
        ({ part, record }) =>
          `${part.title} has held this line of the table private dirty since ${span(record.timePs)}.`,
      ),
      `Walks of ${told.part.title} are not snooped: it asked no cache, and nobody flushed the line.`,
    ],
    cures: tableWalkFixes(past),
  };
}

function staleTranslation(past: TraceQuery, told: TraceEvent): Diagnosis {
  const address = field(told, 'address') ?? 0;
  const taken = turnedBy(past, 'unmap', address);
  const old = past.last((one) => one.part === told.part && one.event.name === 'old_entry');
  if (taken && old && old.record.seq > taken.record.seq)
    return {
      sentences: [
        `${taken.part.title} took the page back at ${span(taken.record.timePs)}.`,
        `The translation was forgotten; at ${span(old.record.timePs)} ${told.part.title} read the entry anew, past the caches, as memory still had it.`,
      ],
      cures: tableWalkFixes(past),
    };
  const forgotten = past.last(({ event: { name } }) => name === 'flush' || name === 'purged');
  const after = forgotten !== null && taken !== null && forgotten.record.seq > taken.record.seq;
  return {
    sentences: [
      taken
        ? `${taken.part.title} took the page back at ${span(taken.record.timePs)}.`
        : 'The page was taken back before.',
      after
        ? `What was forgotten at ${span(forgotten.record.timePs)} was another translation.`
        : `Nothing was forgotten since: ${told.part.title} still has the old translation.`,
    ],
    cures: flushFixes(past),
  };
}

/** By which events a unit tells that it used a translation which the table no longer has. */
const STALE: Readonly<Record<string, readonly string[]>> = {
  iommu: ['stale', 'gone'],
  io_adapter: ['astray', 'gone'],
};

/** Data that lies in the wrong place, or went to the wrong device: the translation that led there is to blame. */
function astray(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const used = past.last(({ part, event: { name } }) =>
    (STALE[part.type.name] ?? []).includes(name),
  );
  if (!used) return null;
  const { sentences, cures } = staleTranslation(past, used);
  const [lost, wanted] = [field(told, 'lost'), field(told, 'wanted')];
  return {
    sentences: [
      `The device asked for bus address ${addressText(field(used, 'address') ?? 0)}, and ${used.part.title} led it here.`,
      ...sentences,
      ...(lost ? [`Whoever made write ${lost} will read what the device wrote instead.`] : []),
      ...(wanted ? [`What was asked for is write ${wanted}.`] : []),
    ],
    cures,
  };
}

/** A line that a bridge fetched, and that was overwritten before it was given. */
function fetchedEarly(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const address = field(told, 'address') ?? 0;
  const bytes = Number(settingOf(told.part, 'line') ?? LINE_BYTES);
  const here = past.last(
    (one) =>
      one.part === told.part &&
      one.event.name === 'here' &&
      field(one, 'address') === address - (address % bytes),
  );
  if (!here) return null;
  const cures = broken(past);
  return {
    sentences: [
      `${told.part.title} has had this line since ${span(here.record.timePs)}, and nobody tells it of a later write.`,
      ...(cures.length ? [] : ['Whoever wrote it did not wait until the device had read it.']),
    ],
    cures,
  };
}

/** What lies in memory since an access went astray. */
function misplacedBy(past: TraceQuery, since: TraceEvent): Diagnosis {
  const why = astray(past, since) ?? { sentences: [], cures: [] };
  return {
    ...why,
    sentences: [`A device wrote it at ${span(since.record.timePs)}.`, ...why.sentences],
  };
}

/** A processor loaded what a device's interrupt announced while the bridge still held it. */
function overtaken(past: TraceQuery, told: TraceEvent): Diagnosis {
  const write = field(told, 'write') ?? 0;
  const posted = past.last((one) => {
    const [first, bytes] = [field(one, 'write') ?? 0, field(one, 'bytes') ?? 0];
    return one.event.name === 'posted' && write >= first && write < first + bytes / WORD_BYTES;
  });
  const interrupt = past.last(({ event }) => event.name === 'interrupted');
  return {
    sentences: [
      ...(posted
        ? [
            `${posted.part.title} took write ${write} at ${span(posted.record.timePs)} as a posted write.`,
          ]
        : []),
      ...(interrupt
        ? [`${interrupt.part.title} took an interrupt at ${span(interrupt.record.timePs)}.`]
        : []),
      'The interrupt overtook the posted write: its line goes straight to the processor and does not wait for what bridges hold.',
      'Read a register of the device first: its value comes back behind the posted writes. Or send the interrupt as a write behind the data, as MSI does.',
    ],
    cures: [],
  };
}

/** Something else lies in memory than belongs there. */
function misplaced(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const since = past.last((one) => one.part === told.part && one.event.name === 'overwritten');
  return since && misplacedBy(past, since);
}

function stopped(past: TraceQuery, told: TraceEvent): Diagnosis {
  const address = field(told, 'address') ?? 0;
  const [given, taken] = [turnedBy(past, 'map', address), turnedBy(past, 'unmap', address)];
  const sentence = taken
    ? `${taken.part.title} took the page back at ${span(taken.record.timePs)}, ${span(told.record.timePs - taken.record.timePs)} before the device asked.`
    : given
      ? `${given.part.title} mapped the page at ${span(given.record.timePs)}; its entry is not valid.`
      : 'No page of this address was ever mapped.';
  return {
    sentences: [sentence, 'The fault kept memory from harm.'],
    cures: [...pageEndFixes(past), ...broken(past)],
  };
}

interface Run {
  readonly machine: CompiledMachine;
  readonly data: Scenario;
}

/** What each event of a part of a type says is wrong. */
const KINDS: Readonly<
  Record<string, (past: TraceQuery, told: TraceEvent, run: Run) => Diagnosis | null>
> = {
  'io_adapter.stale': deviceOld,
  'io_adapter.torn': deviceOld,
  'snoop_cache.stale': loadOld,
  'memory_controller.lost': lost,
  'memory_controller.overwritten': astray,
  'memory_controller.overtaken': overtaken,
  'snoop_cache.discarded': dropped,
  'snoop_cache.neighbour': (past, told, { machine, data }) => {
    const found = dropped(past, told);
    return { ...found, cures: [...mapForDirectionFix(data, machine), ...found.cures] };
  },
  'io_adapter.gone': staleTranslation,
  'io_adapter.astray': staleTranslation,
  'iommu.gone': staleTranslation,
  'iommu.stale': staleTranslation,
  'iommu.old_entry': entryOld,
  'memory.overwritten': astray,
  'memory.given_away': astray,
  'memory.old': misplaced,
  'lba.stale': fetchedEarly,
  'hsc_pci.stale': fetchedEarly,
  'io_adapter.fault': stopped,
  'iommu.fault': stopped,
  'gt.torn': ringTornRule,
  'gt.lost': (past, told, { data }) => lostWordRule(past, told, data),
  'gt.old': ringOrderRule,
  'processor.stale': ringOrderRule,
};

const kindOf = ({ part, event }: TraceEvent): string => `${part.type.name}.${event.name}`;

/** Who is to blame for an event; null for one with which nothing is wrong, and that waits for nobody. */
export function diagnose({ machine, data }: Run, trace: Trace, seq: number): Diagnosis | null {
  const past = new TraceQuery(machine, trace, seq);
  const told = past.told(seq);
  if (!told) return null;
  const kind = kindOf(told);
  return (
    KINDS[kind]?.(past, told, { machine, data }) ??
    WAIT_RULES[kind]?.(past, told, { machine, trace }) ??
    null
  );
}

/** A wait further back than this ended before the event, and led to much else as well. */
const NEAR = 3;

/**
 * The reason that is to blame for an event, of the chain of its reasons, newest first: itself; or else the newest
 * with which something is wrong, however far back; or else a wait that is near. Null where there is none.
 */
export function nearestDiagnosis(
  run: Run,
  trace: Trace,
  reasons: readonly number[],
): (Diagnosis & { readonly seq: number }) | null {
  const past = new TraceQuery(run.machine, trace, reasons[0] ?? 0);
  const isWrong = (seq: number) => {
    const told = past.told(seq);
    return told !== null && kindOf(told) in KINDS;
  };
  const inTurn = [...reasons.slice(0, 1), ...reasons.filter(isWrong), ...reasons.slice(0, NEAR)];
  for (const seq of inTurn) {
    const found = diagnose(run, trace, seq);
    if (found) return { ...found, seq };
  }
  return null;
}
