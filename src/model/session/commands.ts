/** Converts a session's live changes to engine commands. */
import type { Command } from '../../engine/api';
import type { CompiledMachine } from '../scenario/compiled';
import type { Path } from '../scenario/json-text';
import { findParam } from '../scenario/paths';
import { outOfRange, toInteger } from '../scenario/values';
import type { SessionCommand } from './document';

/** An engine command, or why the change is refused. */
export function engineCommand(machine: CompiledMachine, command: SessionCommand): Command | string {
  const found = findParam(machine.parts, command.param);
  if (typeof found === 'string') return found;
  const { part, item: spec, index } = found;
  if (spec.change !== 'live') return `"${spec.title}" cannot change while the machine runs.`;
  const value = toInteger(command.value, spec.type, part.type.enums);
  if (typeof value === 'string') return value;
  const refused = outOfRange(value, spec, part.type.enums);
  return refused ?? { atEvents: command.at, part: part.index, param: index, value };
}

/** The engine commands of all valid changes. */
export const engineCommands = (
  machine: CompiledMachine,
  commands: readonly SessionCommand[],
): Command[] =>
  commands
    .map((command) => engineCommand(machine, command))
    .filter((command) => typeof command !== 'string');

/** A refused change: its position in the document and the reason. */
export interface RefusedCommand {
  readonly path: Path;
  readonly message: string;
}

export const refusedCommands = (
  machine: CompiledMachine,
  commands: readonly SessionCommand[],
): RefusedCommand[] =>
  commands.flatMap((command, i) => {
    const why = engineCommand(machine, command);
    if (typeof why !== 'string') return [];
    const message = `The change of "${command.param}" after ${command.at} events cannot be made. ${why}`;
    return [{ path: ['commands', i], message }];
  });
