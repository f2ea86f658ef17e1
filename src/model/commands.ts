/** Live changes of a session, as the engine takes them. */
import type { Command } from '../engine/api';
import { type CompiledMachine, paramAt } from './compile';
import type { SessionCommand } from './document';
import { outOfRange, toInteger } from './values';

/** A command ready for the engine, or why it cannot be given. */
export function engineCommand(machine: CompiledMachine, command: SessionCommand): Command | string {
  const param = paramAt(machine, command.param);
  const part = machine.parts.find((one) => one.params.some((own) => own === param));
  if (!param || !part) return `There is no parameter "${command.param}".`;
  if (param.spec.change !== 'live')
    return `"${param.spec.title}" cannot change while the machine runs.`;
  const value = toInteger(command.value, param.spec.type, part.type.enums);
  if (typeof value === 'string') return value;
  const refused = outOfRange(value, param.spec, part.type.enums);
  return refused ?? { atEvents: command.at, part: part.index, param: param.index, value };
}

/** The session's commands as the engine takes them. */
export const engineCommands = (
  machine: CompiledMachine,
  commands: readonly SessionCommand[],
): Command[] =>
  commands
    .map((command) => engineCommand(machine, command))
    .filter((command) => typeof command !== 'string');
