/** The part types the engine has, by name; tests make a catalogue of their own. */
import { LAYOUT_HASH, PART_TYPES } from '../../engine/gen/layout';
import type { PartType, TableSpec } from '../../engine/manifest';

export interface Catalogue {
  readonly layoutHash: number;
  readonly types: ReadonlyMap<string, PartType>;
}

export const catalogueOf = (layoutHash: number, types: readonly PartType[]): Catalogue => ({
  layoutHash,
  types: new Map(types.map((type) => [type.name, type])),
});

export const ENGINE_PARTS: Catalogue = catalogueOf(LAYOUT_HASH, PART_TYPES);

/** The table that holds programs: its rows begin with an operation. */
export const programTable = (type: PartType): TableSpec | undefined =>
  type.tables.find((table) => table.fields.some((field) => field.name === 'do'));
