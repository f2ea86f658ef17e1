/** The engine's part types by name. Tests create their own catalogue. */
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

/** The program table of a part type; its rows start with an operation. */
export const programTable = (type: PartType): TableSpec | undefined =>
  type.tables.find((table) => table.fields.some((field) => field.name === 'do'));
