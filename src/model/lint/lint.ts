/**
 * Warnings about machines that compile but probably do not do what their author intends: an interrupt that no part
 * handles, a wait that never ends, a transfer in untracked memory. Each finding includes a fix if there is one.
 */

import { quote } from '../../base/suggest';
import type { ParamName } from '../../engine/gen/names';
import { Addresses } from '../scenario/address-map';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import { rowsOf } from '../scenario/translation-check';
import { addressText, toText } from '../scenario/values';
import { lostInterrupts, unhandledInterrupts, unwiredInterrupts } from './interrupts';
import {
  type Finding,
  holds,
  isAny,
  paramValue,
  type Row,
  rowText,
  type Subject,
  type Unplaced,
} from './subject';

interface LintRule {
  readonly name: string;
  readonly find: (subject: Subject) => Unplaced[];
}

const size = (value: bigint) => toText(value, 'bytes', {});
const rangeText = (from: bigint, end: bigint) => `${addressText(from)} to ${addressText(end - 1n)}`;

const memberOf = (part: CompiledPart, name: ParamName): string => {
  const param = part.params.find(({ spec }) => spec.name === name);
  return part.type.enums[param?.spec.type ?? '']?.[Number(param?.value)]?.name ?? '';
};

/** By waiting operation: the operation that ends the wait. */
const WOKEN_BY: Readonly<
  Record<string, { readonly by: string; readonly what: string; readonly everywhere?: boolean }>
> = {
  wait: { by: 'signal', what: 'semaphore' },
  take: { by: 'give', what: "the kernel's semaphore", everywhere: true },
  get: { by: 'put', what: "the kernel's queue", everywhere: true },
};

/** Threads that wait for a semaphore that is never signalled. */
function waitsWithoutSignal({ addresses, programs }: Subject): Unplaced[] {
  return programs.flatMap(({ cpu, rows }) => {
    const reported = new Set<string>();
    return rows.flatMap((row) => {
      const rule = WOKEN_BY[row.operation];
      const tag = row.field('tag');
      const key = `${row.operation} ${tag}`;
      if (!rule || reported.has(key)) return [];
      reported.add(key);
      const adders = rule.everywhere ? programs.flatMap((one) => one.rows) : rows;
      const isAdded = adders.some(
        ({ operation, field }) => operation === rule.by && field('tag') === tag,
      );
      const hasDriver = addresses.peersAt(cpu.index, 'os').length > 0;
      const isLine =
        !rule.everywhere &&
        (tag > 0n || !hasDriver) && // line 0 is the driver's
        addresses.peersAt(cpu.index, 'irq', Number(tag)).length > 0;
      if (isAdded || isLine) return [];
      const line =
        rule.everywhere || tag === 0n || tag > 3n
          ? ''
          : `, and no interrupt line is wired to ${quote(`${cpu.name}.irq${tag}`)}`;
      const message = `${rowText(cpu, row)} waits forever: no "${rule.by}" adds to ${rule.what} ${tag}${line}.`;
      return [{ part: cpu.name, message, fix: null }];
    });
  });
}

/** Senders to queues from which no thread takes messages: they wait when the queue is full. */
function queuesWithoutReceiver({ parts, programs }: Subject): Unplaced[] {
  const kernel = parts.find((part) => isAny(part, 'kernel'));
  const all = programs.flatMap(({ cpu, rows }) => rows.map((row) => ({ cpu, row })));
  const taken = new Set(
    all.flatMap(({ row }) => (row.operation === 'get' ? [row.field('tag')] : [])),
  );
  const first = new Map<bigint, { cpu: CompiledPart; row: Row }>();
  for (const one of all) {
    const tag = one.row.field('tag');
    if (one.row.operation === 'put' && !taken.has(tag) && !first.has(tag)) first.set(tag, one);
  }
  return [...first].map(([tag, { cpu, row }]) => {
    const places = kernel ? (paramValue(kernel, 'queue_places') ?? 0n) : 0n;
    const message = `${rowText(cpu, row)} waits forever once ${places} messages are in the kernel's queue ${tag}: no "get" takes one out.`;
    return { part: cpu.name, message, fix: null };
  });
}

/** By operation: the field that is a device register. */
const REGISTER_FIELDS: Readonly<Record<string, string>> = {
  dma_out: 'to',
  dma_in: 'to',
  io_store: 'to',
  io_load: 'from',
  pio_write: 'to',
  pio_read: 'from',
};

/** Rows whose address belongs to no device register. */
function unansweredRows({ parts, addresses, programs }: Subject): Unplaced[] {
  return programs.flatMap(({ cpu, rows }) => {
    const seen = addresses.seenBy(cpu.index);
    const reported = new Set<string>();
    return rows.flatMap((row) => {
      const address = row.field(REGISTER_FIELDS[row.operation] ?? '');
      const key = `${row.operation} ${address}`;
      if (!REGISTER_FIELDS[row.operation] || reported.has(key)) return [];
      reported.add(key);
      if (seen.some((claim) => holds(claim, address))) return [];
      const all = seen.map(
        ({ part, spec, from, end }) =>
          `${spec.region} of ${quote(parts[part]?.name ?? '')} at ${rangeText(from, end)}`,
      );
      const reaches =
        all.length > 0 ? `It reaches ${all.join(', ')}.` : 'It reaches no device at all.';
      const message = `${rowText(cpu, row)} goes to ${addressText(address)}, where no device answers. ${reaches}`;
      return [{ part: cpu.name, message, fix: null }];
    });
  });
}

/** By operation: the field that is memory accessed by a device. */
const MEMORY_FIELDS: Readonly<Record<string, string>> = {
  dma_out: 'from',
  dma_in: 'from',
  map: 'from',
  map_buffer: 'from',
  dma_write: 'from',
  dma_read: 'to',
};

/** Whether stale data is possible: the adapter does not take part in coherence, or a part has a defect. */
const canReadStaleData = (parts: readonly CompiledPart[]): boolean =>
  parts.some(
    (part) =>
      (isAny(part, 'io_adapter') && memberOf(part, 'mode') === 'none') ||
      (paramValue(part, 'fault') ?? 0n) !== 0n,
  );

/** Device transfers in memory that is not tracked, so stale data would not be noticed. */
function untrackedMemory({ parts, programs }: Subject): Unplaced[] {
  return parts
    .filter((part) => isAny(part, 'memory_controller'))
    .flatMap((memory) => {
      if (!canReadStaleData(parts)) return [];
      const [from = 0n, bytes = 0n] = [
        paramValue(memory, 'tracked_from'),
        paramValue(memory, 'tracked'),
      ];
      const moved = programs.flatMap(({ cpu, rows }) =>
        rows.flatMap((row) => {
          const field = MEMORY_FIELDS[row.operation];
          const length = row.field('bytes');
          if (field === undefined || length === 0n) return [];
          return [{ cpu, row, from: row.field(field), end: row.field(field) + length }];
        }),
      );
      const [first] = moved;
      const isFollowed = moved.some((one) => one.from < from + bytes && one.end > from);
      if (!first || bytes === 0n || isFollowed) return [];
      const start =
        moved.reduce((least, one) => (one.from < least ? one.from : least), first.from) & ~0xfffn;
      const end = moved.reduce((most, one) => (one.end > most ? one.end : most), first.end);
      const needed = (end - start + 0xfffn) & ~0xfffn;
      const length = needed > bytes ? needed : bytes;
      const most = BigInt(memory.params.find(({ spec }) => spec.name === 'tracked')?.spec.max ?? 0);
      const fix =
        length <= most
          ? {
              title: `Let ${memory.title} follow ${size(length)} from ${addressText(start)} on`,
              params: {
                [`${memory.name}.tracked_from`]: addressText(start),
                [`${memory.name}.tracked`]: size(length),
              },
            }
          : null;
      const message = `${quote(memory.name)} tracks ${rangeText(from, from + bytes)}, but devices access other memory (${rowText(first.cpu, first.row)}: ${rangeText(first.from, first.end)}): stale data there would not be detected.`;
      return [{ part: memory.name, message, fix }];
    });
}

/** Mapping services and adapters that disagree on whether addresses are translated. */
function differentModes({ parts, programs }: Subject): Unplaced[] {
  const adapters = parts.filter((part) => isAny(part, 'io_adapter'));
  const isUsed = programs.some(({ rows }) =>
    rows.some(({ operation }) => operation in MEMORY_FIELDS),
  );
  return parts
    .filter((part) => isAny(part, 'io_services'))
    .flatMap((services) =>
      adapters.flatMap((adapter) => {
        const [own, other] = [memberOf(services, 'mode'), memberOf(adapter, 'mode')];
        const isTranslating = other === 'coherent';
        if (!isUsed || isTranslating === (own === 'coherent')) return [];
        const mode = isTranslating ? 'coherent' : 'none';
        const why = isTranslating
          ? `${quote(services.name)} hands out physical addresses, and ${quote(adapter.name)} translates device addresses`
          : `${quote(services.name)} hands out I/O addresses, and ${quote(adapter.name)} does not translate`;
        return [
          {
            part: services.name,
            message: `${why}: devices reach the wrong memory.`,
            fix: {
              title: `Set the mode of ${services.title} to ${mode}`,
              params: { [`${services.name}.mode`]: mode },
            },
          },
        ];
      }),
    );
}

/** Services and caches with different virtual offsets. */
function differentOffsets({ parts }: Subject): Unplaced[] {
  const cache = parts.find(
    (part) => isAny(part, 'snoop_cache') && memberOf(part, 'indexed') === 'virtual',
  );
  const offset = cache && paramValue(cache, 'virtual_offset');
  if (!cache || offset === undefined) return [];
  return parts
    .filter((part) => isAny(part, 'io_services') && paramValue(part, 'virtual_offset') !== offset)
    .map((services) => ({
      part: services.name,
      message: `"virtual minus physical" is ${addressText(paramValue(services, 'virtual_offset') ?? 0n)} in ${quote(services.name)} and ${addressText(offset)} in ${quote(cache.name)}: devices would look for lines in the wrong sets of the cache.`,
      fix: {
        title: `Set it to ${addressText(offset)} in ${services.title}`,
        params: { [`${services.name}.virtual_offset`]: addressText(offset) },
      },
    }));
}

const LINT_RULES: readonly LintRule[] = [
  { name: 'interrupt-unheard', find: unhandledInterrupts },
  { name: 'interrupt-lost', find: lostInterrupts },
  { name: 'interrupt-unwired', find: unwiredInterrupts },

  { name: 'wait-without-signal', find: waitsWithoutSignal },
  { name: 'queue-without-receiver', find: queuesWithoutReceiver },
  { name: 'register-unanswered', find: unansweredRows },
  { name: 'memory-unfollowed', find: untrackedMemory },
  { name: 'modes-differ', find: differentModes },
  { name: 'offsets-differ', find: differentOffsets },
];

/** All findings for a machine that compiles, rule by rule. */
export function lint({ parts, wires }: Pick<CompiledMachine, 'parts' | 'wires'>): Finding[] {
  const programs = parts.flatMap((cpu) =>
    isAny(cpu, 'processor') ? [{ cpu, rows: rowsOf(cpu) }] : [],
  );
  const subject: Subject = { parts, addresses: new Addresses(parts, wires), programs };
  return LINT_RULES.flatMap(({ name, find }) =>
    find(subject).map((found) => ({ rule: name, ...found })),
  );
}
