/** Where in a scenario's text the engine's refusal points: it knows rows and parts, not files. */
import type { EngineError } from '../engine/api';
import { FAULT } from '../engine/faults';
import { programTable } from './catalogue';
import type { CompiledMachine } from './compile';
import { type Problem, problem } from './problems';
import type { EncodedRow } from './program';

const OF_ROWS: readonly number[] = [FAULT.badRow, FAULT.unalignedDma];

export function refusedAt(machine: CompiledMachine, error: EngineError): Problem {
  const part = machine.parts[error.part];
  if (!part) return problem(error.message);
  const name = programTable(part.type)?.name;
  const rows: readonly EncodedRow[] =
    part.tables[part.type.tables.findIndex((table) => table.name === name)] ?? [];
  // A program that does not end properly is refused at the row after its last.
  const row = OF_ROWS.includes(error.code) ? (rows[error.detail] ?? rows.at(-1)) : undefined;
  return row
    ? row.where.problem(`${part.title}: ${error.message}`)
    : problem(`${part.title}: ${error.message}`);
}
