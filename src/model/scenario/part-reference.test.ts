import { expect, test } from 'vitest';
import { scenarioJsonSchema } from './json-schema';
import { referenceMarkdown } from './part-reference';
import { FIXTURE } from './scenario.fixture';

test('the reference has every parameter with its manifest text', () => {
  const text = referenceMarkdown(FIXTURE);
  expect(text).toContain('* [Worker](#worker-worker): Runs programs.');
  expect(text).toContain(
    '| `call` | 128.5 ns | 1 ns to 10 us | yes | Work around a call. | calibrated: rows 4 and 8 |',
  );
  expect(text).toContain('| `mode` | idle | idle, work, wait |  |');
  expect(text).toContain('| `store` | {part} stores {bytes} at {address}. |');
  expect(text).toContain(
    '| `accept` | a card | call | bytes, when | when; bytes in the queue | Time at which the transmit queue has room. |',
  );
});

test('the schema has the parameters of each part type', () => {
  const schema = scenarioJsonSchema(FIXTURE);
  expect(schema.$defs).toMatchObject({
    worker: {
      properties: {
        params: {
          additionalProperties: false,
          properties: {
            call: { default: '128.5 ns', description: expect.stringContaining('calibrated') },
          },
        },
      },
    },
  });
  expect(schema).toMatchObject({
    additionalProperties: false,
    required: expect.arrayContaining(['busyard', 'title', 'machine', 'view']),
  });
});
