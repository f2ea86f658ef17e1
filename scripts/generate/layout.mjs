/**
 * Manifests -> wasm/gen/layout.h and src/engine/gen/layout.ts: numbers, names and struct layouts shared by
 * both sides.
 */
import { conversation } from './protocols.mjs';

const upper = (text) => text.toUpperCase();
const ctype = (bits) => `uint${bits}_t`;

function cStruct(name, fields) {
  const size = fields.reduce((sum, field) => sum + field.bits / 8, 0);
  let offset = 0;
  const asserts = fields.map((field) => {
    const line = `_Static_assert(offsetof(struct ${name}, ${field.c}) == ${offset}, "layout");`;
    offset += field.bits / 8;
    return line;
  });
  return [
    `struct ${name} {`,
    ...fields.map((field) => `  ${ctype(field.bits)} ${field.c};`),
    '};',
    ...asserts,
    `_Static_assert(sizeof(struct ${name}) == ${size}, "no padding");`,
    '',
  ];
}

const KEYWORDS = new Set(['do', 'if', 'for', 'while', 'switch', 'default', 'register', 'return']);
const cname = (name) => (KEYWORDS.has(name) ? `${name}_` : name);

/** The test whether a service implements an operation: one comparison for each. */
const executesMacro = ({ name, executes }, runs) =>
  `#define ${upper(name)}_EXECUTES(op) (${executes.map((one) => `(op) == ${runs}_${upper(one)}`).join(' || ')})`;

/**
 * The counters in_<state> of a part that runs programs are in the order of its states, of which the first
 * is not counted.
 */
const cTimes = ({ name, counters, enums, services }) => {
  const [first] = counters.filter((row) => row.name.startsWith('in_'));
  if (!services || !first) return [];
  const state = (member) => `${upper(name)}_${upper(services.times)}_${upper(member)}`;
  const place = (counter) => `offsetof(struct ${name}_counters, ${counter})`;
  return enums[services.times]
    .slice(1)
    .map(
      (member) =>
        `_Static_assert(${place(`in_${member.name}`)} - ${place(first.name)} == 8 * (${state(member.name)} - ${state(first.name.slice(3))}), "counters in the order of the states");`,
    );
};

function cPart(part) {
  const out = [`/* ${part.title} */`, `#define SIM_TYPE_${upper(part.name)} ${part.id}`];
  for (const port of part.ports)
    out.push(`#define ${upper(part.name)}_PORT_${upper(port.name)} ${port.first}`);
  if (part.ports.length)
    out.push(
      `#define ${upper(part.name)}_PORTS ${part.ports.at(-1).first + part.ports.at(-1).count}`,
    );
  for (const [key, members] of Object.entries(part.enums).filter(([key]) => !part.ofProtocol[key]))
    out.push(
      'enum {',
      ...members.map(
        (member, i) => `  ${upper(part.name)}_${upper(key)}_${upper(member.name)} = ${i},`,
      ),
      '};',
      `#define ${upper(part.name)}_${upper(key)}_ALL ${members.length}u`,
    );
  if (part.services)
    out.push(
      `#define ${upper(part.name)}_${upper(part.services.operations)}_OWN ${part.services.own}u`,
    );
  for (const [name, number] of Object.entries(part.constants))
    out.push(`#define ${upper(part.name)}_${upper(name)} ${number}ull`);
  const wide = (rows) => rows.map((row) => ({ c: cname(row.name), bits: 64 }));
  if (part.params.length) out.push(...cStruct(`${part.name}_params`, wide(part.params)));
  part.params.forEach((row, i) => {
    out.push(`#define ${upper(part.name)}_PARAM_${upper(row.name)} ${i}`);
  });
  if (part.params.length)
    out.push(
      `#define ${upper(part.name)}_DEFAULTS {${part.params.map((row) => `${row.default}ull`).join(', ')}}`,
    );
  if (part.counters.length) out.push(...cStruct(`${part.name}_counters`, wide(part.counters)));
  out.push(...cTimes(part));
  part.tables.forEach((table, i) => {
    out.push(
      `#define ${upper(part.name)}_TABLE_${upper(table.name)} ${i}`,
      ...(table.loops
        ? [
            `#define ${upper(part.name)}_${upper(table.name)}_LOOPS ${table.loops}u`,
            `#define ${upper(part.name)}_${upper(table.name)}_THREADS ${table.threads}u`,
          ]
        : []),
      ...cStruct(`${part.name}_${table.name}_row`, wide(table.fields)),
    );
  });
  part.views.forEach((view, i) => {
    out.push(`#define ${upper(part.name)}_VIEW_${upper(view.name)} ${i}`);
    out.push(
      ...cStruct(
        `${part.name}_${view.name}`,
        view.fields.map((field) => ({ c: cname(field.name), bits: field.bits })),
      ),
    );
    for (const { name, at } of view.fields.flatMap((field) => field.parts ?? []))
      out.push(`#define ${upper(part.name)}_${upper(view.name)}_${upper(name)} ${at}`);
  });
  for (const event of part.events)
    out.push(`#define ${upper(part.name)}_EV_${upper(event.name)} ${event.kind}`);
  out.push('');
  return out;
}

function executed(parts) {
  const runs = parts.find((part) => part.services);
  if (!runs) return [];
  const members = `${upper(runs.name)}_${upper(runs.services.operations)}`;
  return parts.filter((part) => part.executes).map((part) => executesMacro(part, members));
}

/** Counts a value of a protocol's enum with the counter that it names. */
const cCount = ({ name, ofProtocol }) =>
  Object.entries(ofProtocol)
    .filter(([, { counted }]) => counted.length > 0)
    .flatMap(([key, { from, counted }]) => [
      `static inline void ${name}_count_${key}(struct ${name}_counters *c, uint32_t ${key}) {`,
      `  switch (${key}) {`,
      ...counted.map(
        (one) =>
          `    case ${upper(`${from.replace('.', '_')}_${one.name}`)}: c->${one.counter}++; break;`,
      ),
      '  }',
      '}',
      '',
    ]);

/** Counters of protocols' enum values; included after both headers. */
export const countsOf = (parts) => parts.flatMap(cCount);

export function layoutHeader(parts, hash) {
  const kinds = parts.reduce((sum, part) => sum + part.events.length, 0);
  return [
    '/* Made from the manifests by scripts/generate.mjs. */',
    '#ifndef SIM_GEN_LAYOUT_H',
    '#define SIM_GEN_LAYOUT_H',
    '',
    '#include <stddef.h>',
    '#include <stdint.h>',
    '',
    `#define SIM_LAYOUT_HASH 0x${hash}u`,
    `#define SIM_TYPE_COUNT ${parts.length}`,
    `#define SIM_KIND_COUNT ${kinds}`,
    '',
    ...parts.flatMap(cPart),
    ...executed(parts),
    '#endif',
    '',
  ].join('\n');
}

/** The data of a port that the page needs besides its protocol. */
const facesOf = ({ name, first, count, protocol, role, required, doc, ...port }) => ({
  name,
  first,
  count,
  protocol,
  role,
  required,
  doc,
  ...(port.requiresWired && { requiresWired: port.requiresWired }),
  ...(port.forbidsWired && { forbidsWired: port.forbidsWired }),
  ...(port.requiresSender && { requiresSender: port.requiresSender }),
  ...(port.calls.length > 0 && { calls: port.calls }),
});

/** As JSON text, which a browser parses in a third of the time that it needs for an object literal of this size. */
export function layoutTs(parts, protocols, hash) {
  const types = parts.map(
    ({
      code,
      onParamChange,
      serializable,
      queueCapacity,
      selfEvents,
      services,
      ofProtocol,
      ports,
      ...part
    }) => ({
      ...part,
      ports: ports.map((port) => ({ ...facesOf(port), ...conversation(protocols, port) })),
    }),
  );
  return [
    '/* Made from the manifests by scripts/generate.mjs. */',
    "import type { PartType } from '../manifest';",
    '',
    `export const LAYOUT_HASH = 0x${hash};`,
    `export const PART_TYPES: readonly PartType[] = JSON.parse(${JSON.stringify(JSON.stringify(types))});`,
    '',
  ].join('\n');
}
