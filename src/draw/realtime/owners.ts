/**
 * Ownership of buffers: ring buffers, copies, messages in queues, locks; each as a cell with its owner's
 * mark.
 */
import { integer } from '../../base/format';
import type { Frame } from '../../engine/api';
import type { PartType } from '../../engine/manifest';
import type { RealTimeLog } from '../../model/realtime/realtime-log';
import type { RealTimeRoles } from '../../model/realtime/realtime-roles';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { path, rect, type Shape, words } from '../shape';
import { widthOf } from '../text-width';

/** The owners of a buffer, in the order of its cycle. */
export const OWNERS = [
  { kind: 'adapter', title: 'the adapter’s, empty', cls: 'slot' },
  { kind: 'filling', title: 'being filled', cls: 'own-filling' },
  { kind: 'waiting', title: 'waits for the driver', cls: 'own-waiting' },
  { kind: 'driver', title: 'in TCP/IP', cls: 'a-lan' },
  { kind: 'queued', title: 'in a queue', cls: 'own-queued' },
  { kind: 'application', title: 'the application’s', cls: 'a-cpu' },
] as const;

type Owner = (typeof OWNERS)[number]['kind'];

interface Holding {
  readonly name: string;
  readonly packet: number;
  readonly owner: Owner;
}

interface Queue {
  readonly number: number;
  /** Packets, the oldest first. */
  readonly packets: readonly number[];
}

interface Lock {
  readonly number: number;
  readonly owner: string | null;
  readonly waiting: readonly string[];
}

export interface Ownership {
  readonly ring: readonly Holding[];
  readonly copies: readonly Holding[];
  readonly queues: readonly Queue[];
  readonly locks: readonly Lock[];
}

type Column = (field: string, row: number) => number;

function columnOf(machine: CompiledMachine, frame: Frame, part: number, name: string) {
  const type: PartType | undefined = machine.parts[part]?.type;
  const view = type?.views.findIndex((one) => one.name === name) ?? -1;
  const data = frame.views.find((one) => one.part === part && one.view === view);
  if (!data) return null;
  const fields = type?.views[view]?.fields ?? [];
  const at: Column = (field, row) =>
    data.columns[fields.findIndex((one) => one.name === field)]?.[row] ?? 0;
  return { rows: data.rows, at };
}

/** The owner of a packet that no adapter holds, as far as the trace has been read. */
function ownerOf(log: RealTimeLog, packet: number, timePs: number): Owner {
  const steps = log.packets.story(packet)?.steps.filter((step) => step.timePs <= timePs) ?? [];
  const has = (name: string) => steps.some((step) => step.name === name);
  if (has('accepted')) return 'application';
  if (has('delivered')) return 'queued';
  return has('taken') ? 'driver' : 'waiting';
}

const FREE = 0;

/** Rows of the kernel for each processor: one for each thread that it can have, and one for its interrupt handler. */
function rowsOfCpu({ parts }: CompiledMachine, { cpus }: RealTimeRoles): number {
  const tables = parts[cpus[0]?.part ?? -1]?.type.tables ?? [];
  return Math.max(0, ...tables.map(({ threads = 0 }) => threads)) + 1;
}

function threadName(machine: CompiledMachine, roles: RealTimeRoles, row: number): string {
  const rows = rowsOfCpu(machine, roles);
  const cpu = roles.cpus.find(({ number }) => number === Math.floor(row / rows));
  return cpu?.threads[row % rows] ?? `thread ${row % rows}`;
}

const WANTS_A_LOCK = 1;

/** Views that ownership is read from. */
export function ownerViews(machine: CompiledMachine, roles: RealTimeRoles) {
  const views = [
    [roles.adapter, 'ring'],
    [roles.stack, 'messages'],
    [roles.kernel, 'queues'],
    [roles.kernel, 'messages'],
    [roles.kernel, 'locks'],
    [roles.kernel, 'calls'],
  ] as const;
  return views.flatMap(([part, name]) => {
    const view = machine.parts[part ?? -1]?.type.views.findIndex((one) => one.name === name) ?? -1;
    return part === null || view < 0 ? [] : [{ part, view }];
  });
}

function locksOf(machine: CompiledMachine, roles: RealTimeRoles, frame: Frame): Lock[] {
  const locks = columnOf(machine, frame, roles.kernel, 'locks');
  const calls = columnOf(machine, frame, roles.kernel, 'calls');
  if (!locks || !calls) return [];
  return Array.from({ length: locks.rows }, (_, number) => {
    const owner = locks.at('owner', number);
    const waiting = Array.from({ length: calls.rows }, (__, row) => row).filter(
      (row) => calls.at('wants', row) === WANTS_A_LOCK && calls.at('object', row) === number,
    );
    return {
      number,
      owner: owner === 0 ? null : threadName(machine, roles, owner - 1),
      waiting: waiting.map((row) => threadName(machine, roles, row)),
    };
  });
}

function queuesOf(machine: CompiledMachine, roles: RealTimeRoles, frame: Frame): Queue[] {
  const queues = columnOf(machine, frame, roles.kernel, 'queues');
  const messages = columnOf(machine, frame, roles.kernel, 'messages');
  if (!queues || !messages) return [];
  const places = messages.rows / queues.rows;
  return Array.from({ length: queues.rows }, (_, number) => {
    const [used, first] = [queues.at('used', number), queues.at('first', number)];
    const packets = Array.from({ length: used }, (__, i) =>
      messages.at('bytes', number * places + ((first + i) % places)),
    );
    return { number, packets };
  });
}

/** Ownership of buffers at the playhead; null while the frame lacks the views. */
export function ownershipOf(
  machine: CompiledMachine,
  log: RealTimeLog,
  frame: Frame,
): Ownership | null {
  const { roles } = log;
  if (frame.counters.length !== machine.parts.length) return null;
  const ring = columnOf(machine, frame, roles.adapter ?? -1, 'ring');
  const copies = columnOf(machine, frame, roles.stack ?? -1, 'messages');
  const holding = (name: string, packet: number): Holding => ({
    name,
    packet,
    owner: packet === FREE ? 'adapter' : ownerOf(log, packet, frame.timePs),
  });
  return {
    ring: Array.from({ length: ring?.rows ?? 0 }, (_, row) => {
      const [state, packet] = [ring?.at('state', row) ?? 0, ring?.at('packet', row) ?? 0];
      const name = `buffer ${row}`;
      if (state === 0) return { name, packet: 0, owner: 'adapter' };
      return state === 1 ? { name, packet, owner: 'filling' } : holding(name, packet);
    }),
    copies: Array.from({ length: copies?.rows ?? 0 }, (_, row) =>
      holding(`copy ${row}`, copies?.at('packet', row) ?? 0),
    ),
    queues: queuesOf(machine, roles, frame),
    locks: locksOf(machine, roles, frame),
  };
}

const classOf = (owner: Owner): string => OWNERS.find(({ kind }) => kind === owner)?.cls ?? 'slot';
const DARK: ReadonlySet<Owner> = new Set(['driver', 'application', 'queued']);

/** A piece of a ring between two angles. */
function sector(
  x: number,
  y: number,
  inner: number,
  outer: number,
  from: number,
  to: number,
): string {
  const at = (r: number, angle: number) =>
    `${(x + r * Math.sin(angle)).toFixed(2)} ${(y - r * Math.cos(angle)).toFixed(2)}`;
  const large = to - from > Math.PI ? 1 : 0;
  return `M${at(outer, from)}A${outer} ${outer} 0 ${large} 1 ${at(outer, to)}L${at(inner, to)}A${inner} ${inner} 0 ${large} 0 ${at(inner, from)}z`;
}

/** The ring of descriptors, the first at the top. */
function ringShapes(ring: readonly Holding[], x: number, y: number, radius: number): Shape[] {
  const [inner, step] = [radius * 0.56, (2 * Math.PI) / Math.max(1, ring.length)];
  const gap = ring.length > 1 ? 0.03 : 0.0001;
  return ring.flatMap(({ owner, packet }, i) => {
    const [from, to] = [i * step + gap, (i + 1) * step - gap];
    const middle = (from + to) / 2;
    const [tx, ty] = [
      x + 0.78 * radius * Math.sin(middle),
      y - 0.78 * radius * Math.cos(middle) + 3.6,
    ];
    const label = packet > 0 ? integer(packet) : integer(i);
    const tone = DARK.has(owner) ? 'on b6' : packet > 0 ? 'b6' : 'i3';
    return [
      path(sector(x, y, inner, radius, from, to), classOf(owner)),
      ...(radius > 34 ? [words(tx, ty, label, `t10 mid ${tone}`)] : []),
    ];
  });
}

const CELL = 21;

/** A row of cells after its title, all as wide as the longest number needs. */
function cellRow(
  title: string,
  holdings: readonly Holding[],
  x: number,
  y: number,
  right: number,
): Shape[] {
  const longest = Math.max(...holdings.map(({ packet }) => widthOf(String(packet), 10.5)));
  const pitch = Math.max(CELL, Math.ceil(longest) + 5);
  const cells = holdings.slice(0, Math.max(1, Math.floor((right - x) / pitch)));
  return [
    words(x, y - 4, title, 't10 i2'),
    ...cells.flatMap(({ owner, packet }, i) => [
      rect(x + i * pitch, y, pitch - 3, 15, classOf(owner)),
      ...(packet > 0
        ? [
            words(
              x + i * pitch + (pitch - 3) / 2,
              y + 11,
              String(packet),
              `t10 mid ${DARK.has(owner) ? 'on' : ''}`,
            ),
          ]
        : []),
    ]),
  ];
}

export function ownerShapes(owned: Ownership, width: number, height: number): Shape[] {
  const radius = owned.ring.length > 0 ? Math.min(64, height / 2 - 8, width / 4.4) : 0;
  const shapes = ringShapes(owned.ring, radius + 10, radius + 8, radius);
  if (radius > 0)
    shapes.push(words(radius + 10, radius + 12, `ring of ${owned.ring.length}`, 't10 i2 mid'));
  const x = radius > 0 ? 2 * radius + 30 : 12;
  let y = 18;
  const used = owned.copies.filter(({ packet }) => packet > 0);
  const queued = owned.queues.filter(({ packets }) => packets.length > 0);
  const next = (more: Shape[]) => {
    shapes.push(...more);
    y += 36;
  };
  if (radius > 0) {
    for (const { number, packets } of queued.slice(0, 2))
      next(
        cellRow(
          `queue ${number}, addresses of packets`,
          packets.map((packet) => ({ name: '', packet, owner: 'queued' })),
          x,
          y,
          width - 8,
        ),
      );
    if (queued.length === 0)
      next([words(x, y - 4, 'queues', 't10 i2'), words(x, y + 10, 'empty', 't11 i3')]);
    next(
      used.length > 0
        ? cellRow(`copies, ${used.length} of ${owned.copies.length} in use`, used, x, y, width - 8)
        : [words(x, y - 4, 'copies', 't10 i2'), words(x, y + 10, 'none', 't11 i3')],
    );
  }
  for (const { number, owner, waiting } of owned.locks.filter((one) => one.owner !== null)) {
    const sentence = `lock ${number}: ${owner}${waiting.length > 0 ? `; ${waiting.join(', ')} waits` : ''}`;
    if (y + 10 > height) break;
    shapes.push(words(x, y + 8, sentence, widthOf(sentence, 11.5) > width - x ? 't10' : 't11'));
    y += 18;
  }
  if (radius === 0 && owned.locks.every((one) => one.owner === null))
    shapes.push(words(x, y + 8, 'No lock is held.', 't11 i3'));
  return shapes;
}

const titleOf = (owner: Owner): string => OWNERS.find(({ kind }) => kind === owner)?.title ?? '';

/** The same in words: a sentence per owned object. */
export function ownerSentences(owned: Ownership): string[] {
  const held = [...owned.ring, ...owned.copies].filter(({ packet }) => packet > 0);
  return [
    `${integer(owned.ring.filter(({ owner }) => owner === 'adapter').length)} of ${integer(owned.ring.length)} buffers of the ring are the adapter’s and empty.`,
    ...held.map(
      ({ name, packet, owner }) => `${name}: packet ${integer(packet)}, ${titleOf(owner)}.`,
    ),
    ...owned.queues
      .filter(({ packets }) => packets.length > 0)
      .map(
        ({ number, packets }) => `Queue ${number} holds packet ${packets.map(integer).join(', ')}.`,
      ),
    ...owned.locks
      .filter(({ owner }) => owner !== null)
      .map(
        ({ number, owner, waiting }) =>
          `Lock ${number} is ${owner}’s${waiting.length > 0 ? `, and ${waiting.join(', ')} waits for it` : ''}.`,
      ),
  ];
}
