import { describe, expect, test } from 'vitest';
import type { PartType } from '../../engine/manifest';
import { ENGINE_PARTS, programTable } from './catalogue';
import { readJson } from './json-text';
import type { Problem } from './problems';
import { encodeRows } from './program';
import { type Value, Where } from './scenario-types';

const processor = ENGINE_PARTS.types.get('processor') as PartType;
const table = programTable(processor) as PartType['tables'][number];
const operations = processor.enums.op ?? [];
const others = table.fields.filter(({ name }) => name !== 'do').map(({ name }) => name);

/** Why a row of a program is refused, and where. */
function refusals(fields: Readonly<Record<string, Value>>): string[] {
  const json = readJson(JSON.stringify([fields]));
  if (!json.ok) throw new Error(json.problems[0]?.message);
  const found: Problem[] = [];
  const report = (problem: Problem) => found.push(problem);
  const rows = [{ fields, where: new Where(json.value, [0]) }];
  encodeRows({ type: processor, table, variables: {}, report }, rows);
  return found.map(({ pointer, message }) => `${pointer}: ${message}`);
}

describe('a field that an operation does not have is refused at its position', () => {
  test.each(operations.map(({ name, fields }) => ({ name, fields: fields ?? [] })))(
    '$name',
    ({ name, fields }) => {
      for (const field of others) {
        const refused = refusals({ do: name, [field]: 32 }).filter((one) =>
          one.startsWith(`/0/${field}: "${name}" has no field "${field}"`),
        );
        expect(refused.length, field).toBe(fields.includes(field) ? 0 : 1);
      }
      const [near = ''] = refusals({ do: name, [`${fields[0] ?? 'from'}s`]: 1 });
      expect(near).toContain(fields[0] ? `did you mean "${fields[0]}"?` : 'it has no fields.');
    },
  );

  test('listing the valid ones if none is similar', () => {
    expect(refusals({ do: 'spend', time: '1 us', tag: 5 })).toEqual([
      '/0/tag: "spend" has no field "tag". Known: time.',
    ]);
    expect(refusals({ do: 'unmap', tag: 0, from: '0x999' })).toEqual([
      '/0/from: "unmap" has no field "from". Known: bytes, tag.',
    ]);
  });

  test('unless a variable gives the operation', () => {
    const refused = refusals({ do: '$op', width: 4 });
    expect(refused).toEqual([expect.stringContaining('/0/do: There is no variable "op"')]);
  });
});
