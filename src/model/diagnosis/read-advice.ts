/**
 * Advice on device reads behind a local bus adapter, from the run's counters so far: lines fetched one at a time,
 * useless prefetches, lines delayed behind stores, and lines taken from processors.
 */

import { count, percent, text, time } from '../../base/format';
import type { CounterName } from '../../engine/gen/names';
import { COMMANDS, hintCell, MEMORIES } from '../coherence/read-hints';
import type { CompiledMachine } from '../scenario/compiled';

/** A setting to try, by its parameter path. */
interface ReadTry {
  readonly title: string;
  readonly path: string;
  readonly value: string | boolean;
}

export interface ReadAdvice {
  readonly text: string;
  readonly tries: readonly ReadTry[];
}

/** Counters used by the advice, which an open question may hide. */
export const ADVISED: readonly CounterName[] = [
  'delayed',
  'fetched',
  'wasted',
  'bytes_out',
  'blocked',
  'blocked_time',
];

/** Fewer lines than this are not significant. */
const ENOUGH = 16;
const OFTEN = 0.5;
const WASTED = 0.25;
const BLOCKED = 0.02;
const MOST = 'read_multiple';

/** Cards that use a weaker read command than they could. */
function strongerCommands({ parts }: Pick<CompiledMachine, 'parts'>): ReadTry[] {
  return parts.flatMap(({ title, type, params }) => {
    const param = params.find(({ spec }) => spec.name === 'command');
    const most = type.enums.command?.findIndex(({ name }) => name === MOST) ?? -1;
    return param && most >= 0 && Number(param.value) !== most
      ? [{ title: `MRM as the command of ${title}`, path: param.path, value: MOST }]
      : [];
  });
}

/** `counters` has one array per part, in manifest order. */
export function adviceForReads(
  machine: Pick<CompiledMachine, 'parts'>,
  part: number,
  counters: readonly (readonly number[] | Float64Array)[],
  until: number,
): readonly ReadAdvice[] {
  const adapter = machine.parts[part];
  if (!adapter) return [];
  const of = (index: number, name: CounterName): number => {
    const at = machine.parts[index]?.type.counters.findIndex((one) => one.name === name) ?? -1;
    return counters[index]?.[at] ?? 0;
  };
  const line = Number(adapter.params.find(({ spec }) => spec.name === 'line')?.value ?? 0n);
  const given = of(part, 'bytes_out') / line;
  const [delayed, fetched, wasted] = [of(part, 'delayed'), of(part, 'fetched'), of(part, 'wasted')];
  const [blocked, blockedTime] = [of(part, 'blocked'), of(part, 'blocked_time')];
  const host = machine.parts.findIndex(({ type }) => type.name === 'sba');
  const taken = of(host, 'kept');
  const advice: ReadAdvice[] = [];
  if (given >= ENOUGH && delayed / given >= OFTEN)
    advice.push({
      text: `${count(delayed, 'delayed read')} for ${count(Math.round(given), 'line')}: almost every line is waited for separately. Prefetch more lines for the card’s read command, or let the card use another command.`,
      tries: strongerCommands(machine),
    });
  if (fetched >= ENOUGH && wasted / fetched >= WASTED)
    advice.push({
      text: `${percent(wasted / fetched)} of the lines fetched were never used. Fewer lines ahead would leave more of memory and rope to others.`,
      tries: [],
    });
  if (blockedTime > BLOCKED * until)
    advice.push({
      text: `${count(blocked, 'line')} waited behind stores, ${text(time(blockedTime))} in all. Relaxed ordering lets data overtake them, if the driver tolerates that.`,
      tries: [],
    });
  if (taken >= ENOUGH)
    advice.push({
      text: `${count(taken, 'line')} went to the I/O cache, owned or shared: processors have to request them again.`,
      tries: MEMORIES.flatMap((memory) =>
        COMMANDS.flatMap((command): ReadTry[] => {
          const cell = hintCell(adapter, command, memory, 'current');
          return cell && !cell.param.value
            ? [{ title: `Read Current for ${command.toUpperCase()}`, path: cell.path, value: true }]
            : [];
        }),
      ),
    });
  return advice;
}
