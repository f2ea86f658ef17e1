/**
 * Warnings about machines that compile but probably do not do what their author intends: an interrupt that no part
 * handles, a wait that never ends, a transfer in untracked memory. Each finding includes a fix if there is one.
 */

import { quote } from '../../base/suggest';
import type { ParamName, PartName } from '../../engine/gen/names';
import { Addresses, type Claim } from '../scenario/address-map';
import type { CompiledMachine, CompiledPart } from '../scenario/compiled';
import type { Value } from '../scenario/scenario-types';
import { rowsOf } from '../scenario/translation-check';
import { addressText, toText } from '../scenario/values';

/** A change that removes a finding: parameters by "part.param", or one more wire. */
export interface LintFix {
  readonly title: string;
  readonly params?: Readonly<Record<string, Value>>;
  readonly wire?: readonly [string, string];
}

export interface Finding {
  readonly rule: string;
  /** Name of the part concerned. */
  readonly part: string;
  readonly message: string;
  readonly fix: LintFix | null;
}

type Unplaced = Omit<Finding, 'rule'>;

type Row = ReturnType<typeof rowsOf>[number];

/** A machine, prepared for the rules. */
interface Subject {
  readonly parts: readonly CompiledPart[];
  readonly addresses: Addresses;
  readonly programs: readonly { readonly cpu: CompiledPart; readonly rows: readonly Row[] }[];
}

interface LintRule {
  readonly name: string;
  readonly find: (subject: Subject) => Unplaced[];
}

const size = (value: bigint) => toText(value, 'bytes', {});
const rangeText = (from: bigint, end: bigint) => `${addressText(from)} to ${addressText(end - 1n)}`;
const holds = ({ from, end }: Pick<Claim, 'from' | 'end'>, address: bigint) =>
  address >= from && address < end;

const isAny = ({ type }: CompiledPart, ...names: readonly PartName[]) => names.includes(type.name);

const memberOf = (part: CompiledPart, name: ParamName): string => {
  const param = part.params.find(({ spec }) => spec.name === name);
  return part.type.enums[param?.spec.type ?? '']?.[Number(param?.value)]?.name ?? '';
};

const paramValue = (part: CompiledPart, name: ParamName): bigint | undefined =>
  part.params.find(({ spec }) => spec.name === name)?.value;

/** "row 3 of cpu (dma_out)". */
function rowText(cpu: CompiledPart, { operation, where }: Row): string {
  const number = /\/(\d+)$/.exec(where.problem('').pointer)?.[1];
  const row = number === undefined ? 'a row' : `row ${Number(number) + 1}`;
  return `${row} of ${quote(cpu.name)} (${operation})`;
}

/** Command bit of a channel: interrupt on completion. */
const CHANNEL_INTERRUPTS = 16n;
/** Size of a channel's registers, and offset of the command register. */
const CHANNEL_BYTES = 16n;
const CHANNEL_COMMAND = 8n;

/** By operation: whether a row with a channel register makes its device interrupt on completion. */
const INTERRUPTING: Readonly<Record<string, (row: Row, offset: bigint) => boolean>> = {
  dma_out: () => true,
  dma_in: () => true,
  start_dma: ({ field }) => (field('count') & CHANNEL_INTERRUPTS) !== 0n,
  io_store: ({ field }, offset) =>
    offset % CHANNEL_BYTES === CHANNEL_COMMAND && (field('count') & CHANNEL_INTERRUPTS) !== 0n,
};

/** Rows that make a device interrupt, once per device. */
function interruptingRows({ parts, addresses, programs }: Subject) {
  const found = new Map<CompiledPart, { cpu: CompiledPart; row: Row }>();
  for (const { cpu, rows } of programs) {
    const seen = addresses.seenBy(cpu.index);
    for (const row of rows) {
      const to = row.field('to');
      const claim = seen.find((one) => holds(one, to));
      const device = claim && parts[claim.part];
      if (!claim || !device || !isAny(device, 'dma_device') || found.has(device)) continue;
      if (INTERRUPTING[row.operation]?.(row, to - claim.from)) found.set(device, { cpu, row });
    }
  }
  return found;
}

/** Claims that receive the interrupt writes of a device on HSC. */
function listeners({ addresses }: Subject, device: CompiledPart): Claim[] {
  const next = (part: number, port: string) => addresses.peersAt(part, port).map(([, at]) => at);
  return next(device.index, 'hsc')
    .flatMap(({ part }) => next(part, 'adapter'))
    .flatMap(({ part }) => next(part, 'bus'))
    .flatMap((place) => addresses.claimsAt(place))
    .filter(({ spec }) => spec.region === 'interrupts');
}

/** An interrupt that reaches no processor, and a change that makes it. */
interface LostInterrupt {
  readonly reason: string;
  readonly fix: LintFix | null;
}

/** Why no processor gets an interrupt that a device on HSC writes to an address; null if one gets it. */
function lostWrite(
  subject: Subject,
  device: CompiledPart,
  address: bigint,
  cpu: CompiledPart | undefined,
): LostInterrupt | null {
  const { parts, addresses } = subject;
  const all = listeners(subject, device);
  const heard = all.find((claim) => holds(claim, address));
  if (!heard) {
    const other = all[0] && parts[all[0].part];
    const cache = parts.find(
      (part) =>
        isAny(part, 'snoop_cache') &&
        addresses.peersAt(part.index, 'cpu')[0]?.[1].part === cpu?.index,
    );
    const listens = all.map(
      ({ part, from }) => `${quote(parts[part]?.name ?? '')} at ${addressText(from)}`,
    );
    const fix = other
      ? {
          title: `Make ${device.title} write to the interrupt register of ${other.title}`,
          params: { [`${device.name}.interrupt`]: addressText(all[0]?.from ?? 0n) },
        }
      : cache && {
          title: `Make ${cache.title} receive interrupts at ${addressText(address)}`,
          params: { [`${cache.name}.interrupt`]: addressText(address) },
        };
    const who =
      listens.length > 0
        ? `only ${listens.join(', ')} listens for interrupts`
        : 'no cache listens for interrupts';
    return { reason: `, and ${who}`, fix: fix ?? null };
  }
  const cache = parts[heard.part];
  if (!cache || addresses.peersAt(cache.index, 'irq').length > 0) return null;
  const [[, owner] = []] = addresses.peersAt(cache.index, 'cpu');
  const processor = owner && parts[owner.part];
  return {
    reason: `, where ${quote(cache.name)} receives it, but ${quote(`${cache.name}.irq`)} is not wired to a processor`,
    fix: processor
      ? {
          title: `Wire ${cache.name}.irq to ${processor.name}.irq0`,
          wire: [`${cache.name}.irq`, `${processor.name}.irq0`],
        }
      : null,
  };
}

function unhandledInterrupts(subject: Subject): Unplaced[] {
  return [...interruptingRows(subject)].flatMap(([device, { cpu, row }]) => {
    const address = paramValue(device, 'interrupt') ?? 0n;
    const lost = lostWrite(subject, device, address, cpu);
    if (!lost) return [];
    const message = `${quote(device.name)} writes its interrupt to ${addressText(address)} ("interrupt register")${lost.reason}: ${rowText(cpu, row)} waits for it forever.`;
    return [{ part: device.name, message, fix: lost.fix }];
  });
}

/** A wire from an interrupt output to the first free line of a processor. */
function interruptWire({ parts, addresses }: Subject, from: string): LintFix | null {
  const free = parts
    .filter((part) => isAny(part, 'processor'))
    .flatMap(({ index, name, type }) => {
      const lines = type.ports.find((port) => port.name === 'irq')?.count ?? 0;
      const isFree = (line: number) => addresses.peersAt(index, 'irq', line).length === 0;
      const line = Array.from({ length: lines }, (_, i) => i).find(isFree);
      return line === undefined ? [] : [`${name}.irq${line}`];
    })[0];
  return free === undefined ? null : { title: `Wire ${from} to ${free}`, wire: [from, free] };
}

/** The parts at the interrupt lines of a bridge, as text. */
const cardsOf = ({ parts, addresses }: Subject, bridge: CompiledPart): string =>
  addresses
    .peersAt(bridge.index, 'irq')
    .map(([, { part }]) => quote(parts[part]?.name ?? ''))
    .join(', ');

/** Why interrupts that pass a part, or that it raises by itself, reach no processor. */
const LOST: Partial<
  Record<PartName, (subject: Subject, part: CompiledPart) => LostInterrupt | null>
> = {
  hsc_pci: (subject, bridge) => {
    const address = paramValue(bridge, 'interrupt') ?? 0n;
    const [cpu] = subject.parts.filter((part) => isAny(part, 'processor'));
    const cards = cardsOf(subject, bridge);
    const lost = cards ? lostWrite(subject, bridge, address, cpu) : null;
    const writes = `${quote(bridge.name)} writes the interrupts of ${cards} to ${addressText(address)} ("interrupt register")`;
    return lost && { ...lost, reason: writes + lost.reason };
  },
  lba: (subject, bridge) => {
    const cards = cardsOf(subject, bridge);
    if (!cards || subject.addresses.peersAt(bridge.index, 'interrupt').length > 0) return null;
    const port = `${bridge.name}.interrupt`;
    return {
      reason: `${quote(bridge.name)} forwards the interrupts of ${cards}, and ${quote(port)} is not wired`,
      fix: interruptWire(subject, port),
    };
  },
  ethernet: (subject, card) => {
    const line = Number(paramValue(card, 'line') ?? 0n);
    const { parts, addresses } = subject;
    const [[, driver] = []] = addresses.peersAt(card.index, 'driver');
    const isOffloaded = driver && parts[driver.part]?.type.name === 'offload_engine';
    if (isOffloaded || addresses.peersAt(card.index, 'irq', line).length > 0) return null;
    const [other] = [0, 1, 2, 3].filter((i) => addresses.peersAt(card.index, 'irq', i).length > 0);
    const port = `${card.name}.irq${line}`;
    return {
      reason: `${quote(card.name)} interrupts on line ${line} ("interrupt line"), and ${quote(port)} is not wired`,
      fix:
        other === undefined
          ? interruptWire(subject, port)
          : {
              title: `Make ${card.title} interrupt on line ${other}`,
              params: { [`${card.name}.line`]: other },
            },
    };
  },
  offload_engine: (subject, engine) => {
    const port = `${engine.name}.irq`;
    if (subject.addresses.peersAt(engine.index, 'irq').length > 0) return null;
    return {
      reason: `${quote(engine.name)} interrupts when a packet has arrived, and ${quote(port)} is not wired`,
      fix: interruptWire(subject, port),
    };
  },
};

function lostInterrupts(subject: Subject): Unplaced[] {
  return subject.parts.flatMap((part) => {
    const lost = LOST[part.type.name as PartName]?.(subject, part);
    return lost
      ? [{ part: part.name, message: `${lost.reason}: no processor gets them.`, fix: lost.fix }]
      : [];
  });
}

/** By operation of a card driver: the size parameter up to which it polls instead of waiting for an interrupt. */
const POLLED: Readonly<Record<string, { readonly param: ParamName; readonly from?: ParamName }>> = {
  dma_write: { param: 'poll_write' },
  dma_read: { param: 'poll_read' },
  write_data: { param: 'poll_write', from: 'write_threshold' },
  read_data: { param: 'poll_read', from: 'read_threshold' },
};

/** Cards whose driver waits for an interrupt although the interrupt line is not wired. */
function unwiredInterrupts({ parts, addresses, programs }: Subject): Unplaced[] {
  return parts
    .filter((part) => isAny(part, 'gt_driver'))
    .flatMap((driver) => {
      const [cpuIndex] = addresses.processorsOf(driver.index);
      const program = programs.find(({ cpu }) => cpu.index === cpuIndex);
      const registers = paramValue(driver, 'registers') ?? 0n;
      const claim = addresses.seenBy(cpuIndex ?? -1).find((one) => holds(one, registers));
      const card = claim && parts[claim.part];
      if (!program || !card || addresses.peersAt(card.index, 'irq').length > 0) return [];
      const row = program.rows.find(({ operation, field }) => {
        const rule = POLLED[operation];
        const bytes = field('bytes');
        return (
          rule !== undefined &&
          bytes > (paramValue(driver, rule.param) ?? 0n) &&
          bytes >= ((rule.from && paramValue(driver, rule.from)) ?? 0n)
        );
      });
      if (!row) return [];
      const { cpu } = program;
      return [
        {
          part: card.name,
          message: `${quote(`${card.name}.irq`)} is not wired, and ${rowText(cpu, row)} waits for the interrupt of ${quote(card.name)}: forever.`,
          fix: {
            title: `Wire ${card.name}.irq to ${cpu.name}.irq0`,
            wire: [`${card.name}.irq`, `${cpu.name}.irq0`] as const,
          },
        },
      ];
    });
}

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
