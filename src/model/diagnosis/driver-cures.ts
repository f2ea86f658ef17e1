/** What the programs of a run could do otherwise, where they and not the machine are to blame. */
import type { CompiledMachine } from '../scenario/compile';
import type { Assignment, Scenario } from '../scenario/scenario-types';
import type { Fix } from './diagnose';

type Row = Assignment;

/** The programs in which a row becomes another; none if no row does. */
function instead(
  { programs }: Scenario,
  title: string,
  change: (row: Row) => Row | null,
): readonly Fix[] {
  const changed = [...programs].flatMap(([name, rows]) => {
    const now = rows.map(({ fields }) => change(fields) ?? fields);
    return now.some((row, at) => row !== rows[at]?.fields) ? [[name, now] as const] : [];
  });
  return changed.length === 0 ? [] : [{ title, edits: {}, programs: Object.fromEntries(changed) }];
}

/** One store of the processor touches nothing but its byte. */
export const storeBytes = (data: Scenario): readonly Fix[] =>
  instead(data, 'Store the byte with the processor', ({ do: what, from, to }) =>
    what === 'dma_set_byte' && from !== undefined && to !== undefined
      ? { do: 'pio_write', from, to, bytes: 1, width: '1 B' }
      : null,
  );

/** Hints of a mapping: half lines are merged with the rest of their line, or written as they come; lines are not fetched ahead. */
const [SAFE, NO_PREFETCH, FAST, CONTIGUOUS] = [1, 4, 16, 32];
const MAPPING = new Set(['map', 'map_buffer', 'dma_in']);

/** The programs with the hints of their mappings changed; null leaves a mapping as it is. */
const hinted = (
  data: Scenario,
  { variables }: CompiledMachine,
  title: string,
  change: (hints: number) => number | null,
): readonly Fix[] =>
  instead(data, title, (row) => {
    if (!MAPPING.has(String(row.do))) return null;
    const { count = 0 } = row;
    const name = typeof count === 'string' && count.startsWith('$') ? count.slice(1) : null;
    const now = Number(name === null ? count : variables[name]);
    // A count that follows the number of a processor has no single value to change.
    const hints = Number.isNaN(now) ? null : change(now);
    return hints === null ? null : { ...row, count: hints };
  });

/** A device's half line is merged with the other half where a buffer is mapped safe. */
export const mapForDirectionFix = (data: Scenario, machine: CompiledMachine): readonly Fix[] =>
  hinted(data, machine, 'Map buffers safe: half lines are merged', (hints) =>
    (hints & (FAST | CONTIGUOUS)) === 0 ? null : (hints & ~(FAST | CONTIGUOUS)) | SAFE,
  );

/** A line is asked for when the device asks for it, and by then its newest is known. */
export const withoutPrefetchFix = (data: Scenario, machine: CompiledMachine): readonly Fix[] =>
  hinted(data, machine, 'Map buffers without prefetch', (hints) =>
    (hints & NO_PREFETCH) === 0 ? hints | NO_PREFETCH : null,
  );
