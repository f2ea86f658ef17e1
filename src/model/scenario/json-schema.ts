/**
 * The JSON Schema of scenario files, for editors: the structure, with part types, parameters and program rows from
 * the manifests. Editors use it for completion and warnings; only the loader decides whether a file is valid.
 */

import { UNITS } from '../../base/quantity.mjs';
import type { ParamSpec, PartType } from '../../engine/manifest';
import { type Catalogue, ENGINE_PARTS, programTable } from './catalogue';
import { EXPRESSION } from './expression';
import { ruleText } from './param-rules';
import { scenarioFile } from './schema';
import { toText } from './values';
import { z } from './zod';

type Json = Record<string, unknown>;

const unitsOf = (type: string): string[] =>
  Object.hasOwn(UNITS, type)
    ? Object.keys(UNITS[type as keyof typeof UNITS]).filter((name) => name !== 'µs')
    : [];

/** Regular expression for quantities and variables. */
function patternOf(type: string): string {
  const units = unitsOf(type);
  const unit = `\\s*(${units.join('|')})`;
  const plain = units.length === 0 || type === 'bytes';
  const number = `\\d+(\\.\\d+)?${units.length === 0 ? '' : unit}${plain && units.length > 0 ? '?' : ''}`;
  return `^(\\$.+|${number}${plain ? '|0[xX][0-9a-fA-F]+' : ''})$`;
}

/** Schema of a value: a choice, a quantity with its unit, or a variable. */
function valueSchema(type: string, enums: PartType['enums']): Json {
  const variable = { type: 'string', pattern: '^\\$' };
  const members = enums[type];
  if (members) {
    const choices = members.map(({ name, doc, title }) => ({
      const: name,
      description: doc || title,
    }));
    return { anyOf: [...choices, variable] };
  }
  if (type === 'flag') return { anyOf: [{ type: 'boolean' }, variable] };
  const units = unitsOf(type);
  const example = units.length > 0 ? { examples: [`1 ${units[1] ?? units[0]}`] } : {};
  return { anyOf: [{ type: 'string', pattern: patternOf(type), ...example }, { type: 'number' }] };
}

function paramSchema(spec: ParamSpec, part: PartType): Json {
  const { enums } = part;
  const rule = ruleText(spec, part);
  const value = valueSchema(spec.type, enums);
  const standard = toText(BigInt(spec.default), spec.type, enums);
  const units = unitsOf(spec.type);
  const unit = units.length > 0 ? ` Units: ${units.join(', ')}.` : '';
  return {
    description: `${spec.doc}${rule ? ` It is ${rule}.` : ''}${unit} ${spec.basis}${spec.source ? `: ${spec.source}` : ''}.`,
    default: standard,
    anyOf: [
      value,
      {
        type: 'object',
        required: ['value'],
        additionalProperties: false,
        properties: {
          value,
          basis: { type: 'string' },
          source: { type: 'string' },
          figures: { type: 'array', items: { type: 'string' } },
        },
      },
    ],
  };
}

const ARITHMETIC: Json = {
  type: 'string',
  pattern: EXPRESSION.source,
  examples: ['0x100000 + $i * 32'],
};

function fieldSchema(type: PartType, kind: string, doc: string): Json {
  const { anyOf, ...rest } = valueSchema(kind, type.enums);
  return { ...rest, anyOf: [...((anyOf ?? []) as Json[]), ARITHMETIC], description: doc };
}

function rowSchema(type: PartType, table: PartType['tables'][number]): Json {
  const isProgram = table.loops !== undefined;
  const fields = table.fields.map(({ name, type: kind, doc }) => [
    name,
    isProgram && name !== 'do'
      ? fieldSchema(type, kind, doc)
      : { ...valueSchema(kind, type.enums), description: doc },
  ]);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(fields) as Json,
    ...(table.fields.some((field) => field.name === 'do') ? { required: ['do'] } : {}),
  };
}

function partSchema(type: PartType): Json {
  const params = type.params.map((spec) => [spec.name, paramSchema(spec, type)]);
  const tables = type.tables.map((table) => [
    table.name,
    { type: 'array', items: rowSchema(type, table), description: table.doc },
  ]);
  const closed = (properties: Json) => ({
    type: 'object',
    additionalProperties: false,
    properties,
  });
  return {
    description: type.doc,
    properties: {
      params: closed(Object.fromEntries(params) as Json),
      tables: closed(Object.fromEntries(tables) as Json),
    },
  };
}

/** Schema of a part: its type determines the parameters. Without a type it changes a part of the extended machine. */
function partsSchema(catalogue: Catalogue, general: Json): Json {
  const types = [...catalogue.types.values()];
  const choices = types.map((type) => ({ const: type.name, description: type.doc }));
  return {
    ...general,
    properties: { ...(general.properties as Json), type: { anyOf: choices } },
    allOf: types.map((type) => ({
      if: { properties: { type: { const: type.name } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: "then" is a keyword of JSON Schema.
      then: { $ref: `#/$defs/${type.name}` },
    })),
  };
}

const listOf = (items: Json): Json => ({ type: 'array', items });

/** Schemas of loops: rows repeated with a variable that is counted or takes values from a list. */
function loopSchemas(): Json[] {
  const name = { type: 'string', pattern: '^[A-Za-z][A-Za-z0-9_]*$' };
  const bound = { type: ['integer', 'string'] };
  const loop = (key: string, properties: Json) => ({
    type: 'object',
    description: 'Rows that are repeated when the file is read.',
    required: ['for', key, 'rows'],
    additionalProperties: false,
    properties: {
      for: { ...name, description: 'The variable, $name in the rows.' },
      ...properties,
      index: { ...name, description: 'A variable with the number of the iteration, from 0.' },
      rows: { ...listOf({ $ref: '#/$defs/program_item' }), minItems: 1 },
    },
  });
  return [
    loop('count', {
      from: { ...bound, description: 'Its first value; 0 if absent.' },
      count: { ...bound, description: 'How many values it takes.' },
      step: { ...bound, description: 'The difference between values; 1 if absent.' },
    }),
    loop('in', {
      in: {
        ...listOf({ type: ['string', 'number', 'boolean'] }),
        minItems: 1,
        description: 'Its values, one after another.',
      },
    }),
  ];
}

/** The object schema inside "this or null". */
function notNull(schema: Json): Json {
  const options = schema.anyOf as Json[] | undefined;
  return options?.find((option) => option.type === 'object') ?? schema;
}

const step = (schema: Json, ...path: string[]): Json =>
  path.reduce((at, key) => (at[key] ?? {}) as Json, schema);

export function scenarioJsonSchema(catalogue: Catalogue = ENGINE_PARTS): Json {
  const schema = z.toJSONSchema(scenarioFile, { io: 'input', reused: 'inline' }) as Json;
  const parts = step(schema, 'properties', 'machine', 'properties', 'parts');
  const general = notNull(step(parts, 'additionalProperties'));
  parts.additionalProperties = { anyOf: [partsSchema(catalogue, general), { type: 'null' }] };
  const rows = [...catalogue.types.values()].flatMap((type) => {
    const table = programTable(type);
    return table ? [rowSchema(type, table)] : [];
  });
  const programs = step(schema, 'properties', 'programs');
  const items = listOf({ $ref: '#/$defs/program_item' });
  programs.additionalProperties = items;
  const threads = listOf({ anyOf: [{ type: 'string' }, items] });
  step(schema, 'properties', 'workload').additionalProperties = {
    anyOf: [{ type: 'string' }, items, threads],
  };
  return {
    ...schema,
    title: 'Busyard scenario',
    $defs: {
      ...Object.fromEntries(
        [...catalogue.types.values()].map((type) => [type.name, partSchema(type)]),
      ),
      program_item: { anyOf: [...rows, ...loopSchemas()] },
    },
  };
}
