/** What the programs of a run could do otherwise, where they and not the machine are to blame. */
import type { CompiledMachine } from '../scenario/compile';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import type { Cure } from './culprit';

type Row = Assignment;

/** The programs in which a row becomes another; none if no row does. */
function instead(
  { programs }: Scenario,
  title: string,
  change: (row: Row) => Row | null,
): readonly Cure[] {
  const changed = [...programs].flatMap(([name, rows]) => {
    const now = rows.map(({ fields }) => change(fields) ?? fields);
    return now.some((row, at) => row !== rows[at]?.fields) ? [[name, now] as const] : [];
  });
  return changed.length === 0 ? [] : [{ title, edits: {}, programs: Object.fromEntries(changed) }];
}

/** One store of the processor touches nothing but its byte. */
export const storeBytes = (data: Scenario): readonly Cure[] =>
  instead(data, 'Store the byte with the processor', ({ do: what, from, to, bytes }) =>
    what === 'dma_set_byte' && from !== undefined && to !== undefined && bytes !== undefined
      ? { do: 'pio_write', from, to, bytes, width: '1 B' }
      : null,
  );

/** Hints of a mapping: half lines are merged with the rest of their line, or written as they come. */
const [SAFE, FAST, CONTIGUOUS] = [1, 16, 32];
const MAPPING = new Set(['map', 'map_buffer', 'dma_in']);

/** A device's half line is merged with the other half where a buffer is mapped safe. */
export const mapSafe = (data: Scenario, { variables }: CompiledMachine): readonly Cure[] =>
  instead(data, 'Map buffers safe: half lines are merged', (row) => {
    if (!MAPPING.has(String(row.do))) return null;
    const { count = 0 } = row;
    const name = typeof count === 'string' && count.startsWith('$') ? count.slice(1) : null;
    const hints = Number(name === null ? count : variables[name]);
    if ((hints & (FAST | CONTIGUOUS)) === 0) return null;
    return { ...row, count: (hints & ~(FAST | CONTIGUOUS)) | SAFE };
  });
