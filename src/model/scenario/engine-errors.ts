/**
 * Translates engine errors, which contain part and row numbers, into names and positions of the scenario.
 * Violations of the manifest are reported earlier; these are the checks that only the engine makes.
 */

import { quote } from '../../base/suggest';
import { EngineError } from '../../engine/api';
import { FAULT, isRefusal } from '../../engine/engine-errors';
import { programTable } from './catalogue';
import type { CompiledMachine, CompiledPart } from './compiled';
import type { EncodedRow } from './encode';
import { ruleText } from './param-rules';
import { type Problem, problem } from './problems';
import { toText } from './values';

const OF_ROWS: readonly number[] = [FAULT.badRow, FAULT.unalignedDma];
const OF_PARAMS: readonly number[] = [FAULT.badParam, FAULT.notLive];

function rowProblem(part: CompiledPart, row: EncodedRow): Problem {
  const table = programTable(part.type);
  const fields = (table?.fields ?? []).flatMap(({ name, type, default: usual }, i) => {
    const value = row.values[i] ?? 0n;
    return value === BigInt(usual) ? [] : [`${name} ${toText(value, type, part.type.enums)}`];
  });
  return row.where.problem(
    `${quote(part.name)} cannot execute this row: ${fields.join(', ') || 'the row is empty'}.`,
  );
}

function paramSentence(part: CompiledPart, { code, detail }: EngineError): string {
  const param = part.params[detail];
  if (!param) return `${quote(part.name)} refuses one of its parameters.`;
  const { spec, value } = param;
  const of = `"${spec.title}" of ${quote(part.name)}`;
  if (code === FAULT.notLive) return `${of} cannot change while the machine runs.`;
  const text = (one: bigint) => toText(one, spec.type, part.type.enums);
  const rule = ruleText(spec, part.type);
  const range = `${text(BigInt(spec.min))} to ${text(BigInt(spec.max))}${rule ? `, ${rule}` : ''}`;
  const constraint = spec.constraint ?? 'It conflicts with other values of its part.';
  return `${of} cannot be ${text(value)}. ${constraint} By itself it is ${range}.`;
}

function portSentence(part: CompiledPart, index: number): string {
  const port = part.type.ports.find(({ first, count }) => index >= first && index < first + count);
  if (!port) return `A port of ${quote(part.name)} must be wired.`;
  const name = port.count > 1 ? `${port.name}${index - port.first}` : port.name;
  return `The port ${quote(`${part.name}.${name}`)} must be wired. ${port.doc}`.trim();
}

/** A refusal by the engine, with the part, parameter, row or port that it concerns. */
export function refusedAt(machine: CompiledMachine, error: EngineError): Problem {
  const part = machine.parts[error.part];
  if (!part) return problem(error.message);
  const at = (message: string) => part.where?.problem(message) ?? problem(message);
  const { code, detail } = error;
  if (OF_ROWS.includes(code)) {
    const name = programTable(part.type)?.name;
    const rows: readonly EncodedRow[] =
      part.tables[part.type.tables.findIndex((table) => table.name === name)] ?? [];
    // A program without a proper end is refused at the row after its last.
    const row = rows[detail] ?? rows.at(-1);
    if (row) return rowProblem(part, row);
  }
  if (OF_PARAMS.includes(code)) return at(paramSentence(part, error));
  if (code === FAULT.unwired) return at(portSentence(part, detail));
  return at(error.message);
}

/** Any engine failure as a message about its machine. */
export function failureText(machine: CompiledMachine | null, error: unknown): string {
  if (machine && error instanceof EngineError && isRefusal(error))
    return refusedAt(machine, error).message;
  return error instanceof Error ? error.message : String(error);
}
