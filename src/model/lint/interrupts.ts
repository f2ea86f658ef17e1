/** Interrupts that no processor gets, or that nobody handles. */
import { quote } from '../../base/suggest';
import type { ParamName, PartName } from '../../engine/gen/names';
import type { Claim } from '../scenario/address-map';
import type { CompiledPart } from '../scenario/compiled';
import { addressText } from '../scenario/values';
import {
  holds,
  isAny,
  type LintFix,
  paramValue,
  type Row,
  rowText,
  type Subject,
  type Unplaced,
} from './subject';

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

export function unhandledInterrupts(subject: Subject): Unplaced[] {
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

export function lostInterrupts(subject: Subject): Unplaced[] {
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
export function unwiredInterrupts({ parts, addresses, programs }: Subject): Unplaced[] {
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
