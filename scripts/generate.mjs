/**
 * Manifests -> C headers and TypeScript. Every part declares itself once, in <part>.json beside its code;
 * this writes wasm/gen/layout.h, wasm/gen/registry.h and src/engine/gen/layout.ts from all of them.
 * Files are only rewritten when their content changes, so builds that depend on them stay quick.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseQuantity } from '../src/base/quantity.mjs';
import { hears, protocolsHeader, prototypes, readProtocols, switches } from './generate/protocols.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const MAX_U64 = (1n << 64n) - 1n;

function fail(where, sentence) {
  throw new Error(`${where}: ${sentence}`);
}

function manifests() {
  const found = [];
  for (const layer of ['parts', 'os', 'check']) {
    const folder = join(root, 'wasm', layer);
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder).sort()) {
      const file = join(folder, name, `${name}.json`);
      if (existsSync(file) && existsSync(join(folder, name, `${name}.c`)))
        found.push({ layer, name, file, raw: JSON.parse(readFileSync(file, 'utf8')) });
    }
  }
  return found;
}

const QUANTITIES = new Set(['time', 'clock', 'bytes', 'rate', 'count', 'address', 'flag']);

/** A value of a parameter or table field in base units, as a decimal string. */
function value(input, type, enums, where) {
  if (type === 'choice') fail(where, 'a choice needs an enum.');
  if (QUANTITIES.has(type)) return parseQuantity(input, type).toString();
  const members = enums[type];
  if (!members) fail(where, `"${type}" is neither a quantity nor an enum of this manifest.`);
  const index = members.findIndex((member) => member.name === input);
  if (index < 0) fail(where, `"${input}" is not a member of ${type}.`);
  return String(index);
}

function checkName(name, where) {
  if (!/^[a-z][a-z0-9_]*$/.test(name ?? '')) fail(where, `"${name}" is not a lower-case name.`);
}

const BASES = new Set(['measured', 'documented', 'derived', 'assumed', 'calibrated', 'scenario']);

/** What a parameter must be besides lying in its range; null where it may be anything. */
function ruleOf(row, enums, where) {
  const { multipleOf, powerOfTwo = false, mask = false, atMost } = row;
  if (multipleOf === undefined && !powerOfTwo && atMost === undefined) {
    if (mask) fail(where, 'a mask is one less than what? It needs "multipleOf" or "powerOfTwo".');
    return null;
  }
  if (row.change === 'live')
    fail(where, 'a rule is for parameters that stay as they are in a run.');
  const name = (term) => typeof term === 'string' && /^[a-z]/.test(term);
  const terms = (list) =>
    list === undefined
      ? []
      : [list].flat().map((term) => (name(term) ? term : value(term, row.type, enums, where)));
  return { of: terms(multipleOf), powerOfTwo, mask, atMost: terms(atMost) };
}

/** Rules relate parameters of one part that stay as they are in a run. */
function checkRules(params, where) {
  for (const { name, rule } of params)
    for (const term of rule ? [...rule.of, ...rule.atMost] : [])
      if (!/^\d/.test(term) && params.find((one) => one.name === term)?.change !== 'restart')
        fail(where, `${name}: its rule names "${term}", which is no parameter, or a live one.`);
}

function param(row, enums, where) {
  checkName(row.name, where);
  const at = `${where}.${row.name}`;
  if (!BASES.has(row.basis))
    fail(at, `basis "${row.basis}" is not one of ${[...BASES].join(', ')}.`);
  if (!row.doc) fail(at, 'a parameter needs a one-line doc.');
  if (row.basis !== 'scenario' && !row.source)
    fail(at, 'a parameter names the source of its default.');
  const choice = !QUANTITIES.has(row.type);
  const last = choice
    ? String((enums[row.type]?.length ?? 1) - 1)
    : row.type === 'flag'
      ? '1'
      : String(MAX_U64);
  const rule = ruleOf(row, enums, at);
  return {
    name: row.name,
    title: row.title ?? row.name.replaceAll('_', ' '),
    type: row.type,
    default: value(row.default, row.type, enums, at),
    min: row.min === undefined ? '0' : value(row.min, row.type, enums, at),
    max: row.max === undefined ? last : value(row.max, row.type, enums, at),
    ...(rule ? { rule } : {}),
    change: row.change ?? 'restart',
    doc: row.doc,
    basis: row.basis,
    source: row.source ?? '',
  };
}

/** Numbers that the part and those who read its views both count with. */
const constants = (rows, where) =>
  Object.fromEntries(
    rows.map((row) => {
      checkName(row.name, where);
      if (!row.doc) fail(`${where}.${row.name}`, 'a constant needs a one-line doc.');
      return [row.name, Number(value(row.value, row.type, {}, `${where}.${row.name}`))];
    }),
  );

/** What the bits of a field hold, from the lowest on. */
function bitsOf(field, where) {
  let at = 0;
  const parts = field.parts.map(({ name, bits }) => {
    checkName(name, where);
    at += bits;
    return { name, at: at - bits, bits };
  });
  if (at !== (field.bits ?? 32)) fail(where, `the parts of ${field.name} do not fill it.`);
  return parts;
}

function normalise({ layer, name, raw, file }, id, nextKind) {
  const where = relative(root, file);
  if (raw.part !== name) fail(where, `the manifest calls itself "${raw.part}".`);
  const enums = {};
  for (const [key, members] of Object.entries(raw.enums ?? {}))
    enums[key] = members
      .map((member) => (typeof member === 'string' ? { name: member } : member))
      .map((member) => ({
        name: member.name,
        title: member.title ?? member.name.replaceAll('_', ' '),
        style: member.style ?? 'solid',
        doc: member.doc ?? '',
      }));
  let port = 0;
  const ports = (raw.ports ?? []).map((row) => {
    checkName(row.name, where);
    const spec = {
      name: row.name,
      first: port,
      count: row.count ?? 1,
      protocol: row.protocol,
      role: row.role,
      required: row.required ?? false,
      handles: row.handles ?? [],
      lacks: row.lacks ?? [],
      ignores: row.ignores ?? [],
      forwards: row.forwards ?? {},
      says: row.says ?? null,
      doc: row.doc ?? '',
    };
    checkName(row.protocol, `${where}, port ${row.name}, protocol`);
    if (row.role !== 'client' && row.role !== 'server')
      fail(where, `port ${row.name} is neither client nor server of its protocol.`);
    port += spec.count;
    return spec;
  });
  return {
    id,
    layer,
    name,
    title: raw.title,
    actor: raw.actor ?? 'other',
    doc: raw.doc,
    keeps: raw.keeps ?? false,
    constants: constants(raw.constants ?? [], where),
    notes: raw.notes ?? false,
    enums,
    params: (raw.params ?? []).map((row) => param(row, enums, where)),
    counters: (raw.counters ?? []).map((row) => ({
      name: row.name,
      title: row.title ?? row.name.replaceAll('_', ' '),
      unit: row.unit,
      doc: row.doc,
    })),
    tables: (raw.tables ?? []).map((row) => ({
      name: row.name,
      doc: row.doc,
      fields: row.fields.map((field) => ({
        name: field.name,
        type: field.type,
        doc: field.doc ?? '',
        default:
          field.default === undefined
            ? '0'
            : value(field.default, field.type, enums, `${where}.${row.name}.${field.name}`),
      })),
    })),
    views: (raw.views ?? []).map((row) => ({
      name: row.name,
      doc: row.doc,
      fields: row.fields.map((field) => ({
        name: field.name,
        bits: field.bits ?? 32,
        as: field.as ?? 'count',
        ...(field.parts ? { parts: bitsOf(field, `${where}, view ${row.name}`) } : {}),
      })),
    })),
    tracks: (raw.tracks ?? []).map((row) => ({
      name: row.name,
      title: row.title,
      states: row.states,
    })),
    ports,
    events: (raw.events ?? []).map((row) => ({
      kind: nextKind(),
      name: row.name,
      fields: (row.fields ?? []).map((field) => ({
        name: field.name,
        slot: field.slot,
        as: field.as,
      })),
      sentence: row.sentence,
      lane: row.lane ?? null,
      level: row.level ?? 'detail',
    })),
  };
}

function checkReferences(part, where) {
  checkRules(part.params, where);
  for (const event of part.events) {
    for (const field of event.fields)
      if (!['a', 'b', 'c'].includes(field.slot))
        fail(where, `event ${event.name}: field ${field.name} needs slot a, b or c.`);
    for (const [, name] of event.sentence.matchAll(/\{(\w+)\}/g))
      if (name !== 'part' && !event.fields.some((field) => field.name === name))
        fail(where, `event ${event.name}: the sentence names {${name}}, which is no field.`);
    if (event.lane && !part.tracks.some((track) => track.name === event.lane.track))
      fail(where, `event ${event.name}: no track ${event.lane.track}.`);
  }
  for (const track of part.tracks)
    if (!part.enums[track.states]) fail(where, `track ${track.name}: no enum ${track.states}.`);
  for (const view of part.views) {
    let offset = 0;
    for (const field of view.fields) {
      if (offset % (field.bits / 8))
        fail(where, `view ${view.name}: ${field.name} would need padding.`);
      offset += field.bits / 8;
    }
    if (view.fields.some((field) => field.bits === 64) && offset % 8)
      fail(where, `view ${view.name}: the row would need padding at its end.`);
  }
}

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

function cPart(part) {
  const out = [`/* ${part.title} */`, `#define BY_TYPE_${upper(part.name)} ${part.id}`];
  for (const port of part.ports)
    out.push(`#define ${upper(part.name)}_PORT_${upper(port.name)} ${port.first}`);
  if (part.ports.length)
    out.push(
      `#define ${upper(part.name)}_PORTS ${part.ports.at(-1).first + part.ports.at(-1).count}`,
    );
  for (const [key, members] of Object.entries(part.enums))
    out.push(
      'enum {',
      ...members.map(
        (member, i) => `  ${upper(part.name)}_${upper(key)}_${upper(member.name)} = ${i},`,
      ),
      '};',
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
  part.tables.forEach((table, i) => {
    out.push(
      `#define ${upper(part.name)}_TABLE_${upper(table.name)} ${i}`,
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

function layoutHeader(parts, hash, kinds) {
  return [
    '/* Made from the manifests by scripts/generate.mjs. */',
    '#ifndef BY_GEN_LAYOUT_H',
    '#define BY_GEN_LAYOUT_H',
    '',
    '#include <stddef.h>',
    '#include <stdint.h>',
    '',
    `#define BY_LAYOUT_HASH 0x${hash}u`,
    `#define BY_TYPE_COUNT ${parts.length}`,
    `#define BY_KIND_COUNT ${kinds}`,
    '',
    ...parts.flatMap(cPart),
    '#endif',
    '',
  ].join('\n');
}

/* A C function of (type, index) from rows [index, value]; zero where there is none. */
function cLookup(name, comment, parts, rows) {
  return [
    `/* ${comment} */`,
    `static BY_COLD uint32_t ${name}(uint32_t type, uint32_t index) {`,
    '  switch (type << 8 | index) {',
    ...parts.flatMap((part) =>
      rows(part).map(([index, value]) => `    case ${part.id} << 8 | ${index}: return ${value};`),
    ),
    '  }',
    '  return 0;',
    '}',
    '',
  ];
}

/* Parts that only check the others are left out of the engine that runs machines. */
const whereBuilt = (part, lines, otherwise = []) =>
  part.layer === 'check'
    ? ['#ifdef BY_CHECKS', ...lines, ...(otherwise.length ? ['#else', ...otherwise] : []), '#endif']
    : lines;

/* A switch over part types: direct calls, which the compiler sees through where a table of pointers would hide them. */
function cDispatch(result, name, parameters, args, parts, otherwise = '__builtin_unreachable()') {
  const give = result === 'void' ? (call) => `${call}; return;` : (call) => `return ${call};`;
  return [
    `static inline ${result} by_dispatch_${name}(uint32_t type, by *m, uint32_t self, ${parameters}) {`,
    '  switch (type) {',
    ...parts.flatMap((part) =>
      whereBuilt(part, [`    case ${part.id}: ${give(`${part.name}_${name}(m, self, ${args})`)}`]),
    ),
    '  }',
    `  ${otherwise};`,
    '}',
    '',
  ];
}

/*
 * by_ask where the protocol and the side asked are known, for what is asked often: few part types come into
 * question, and the compiler sees which case is meant.
 */
function cAsk(parts, protocol, role, body) {
  const name = `by_ask_${protocol}_${role}`;
  const head = `BY_INLINE uint32_t ${name}(by *m, uint32_t self, uint32_t port, uint32_t kind, by_poll *p)`;
  if (!body) return [`${head};`];
  const cases = parts.flatMap((part) => {
    const ends = part.ports.filter((port) => port.protocol === protocol && port.role === role);
    if (ends.length === 0) return [];
    const single = ends.length === 1 && ends[0].count === 1;
    const port = single ? `${upper(part.name)}_PORT_${upper(ends[0].name)}` : 'wire->port';
    const call = `${part.name}_poll(m, wire->part, ${port}, kind, p)`;
    return whereBuilt(part, [`    case ${part.id}: return ${call};`]);
  });
  return [
    `${head} {`,
    '  const struct by_wire *wire = by_wire(m, self, port);',
    '  switch (wire->type - 1u) {',
    ...cases,
    '  }',
    '  by_unanswered(m, self, port, kind);',
    '}',
  ];
}

const OFTEN = ['cache', 'runway', 'runway_memory'];
const cAsks = (parts, body) =>
  OFTEN.flatMap((protocol) =>
    ['client', 'server'].flatMap((role) => cAsk(parts, protocol, role, body)),
  );

function registryHeader(parts, protocols) {
  const names = protocols.map((protocol) => protocol.name);
  const row = (part) => {
    const ports = part.ports.reduce((sum, port) => sum + port.count, 0);
    const numbers = [part.params, part.counters, part.tables, part.views].map(
      (list) => list.length,
    );
    const code = ['load', 'changed'].map((name) => `${part.name}_${name}`);
    return `  {${[...code, ...numbers, ports].join(', ')}},`;
  };
  return [
    '/* Made from the manifests by scripts/generate.mjs: every part type, its code and its numbers. */',
    '#ifndef BY_GEN_REGISTRY_H',
    '#define BY_GEN_REGISTRY_H',
    '',
    '#include "core/engine.h"',
    '#include "core/keep.h"',
    '#include "gen/protocols.h"',
    '',
    '/* What is called at load and between events is made small, not fast. */',
    ...parts.flatMap((part) =>
      whereBuilt(part, [
        `static int ${part.name}_load(by *m, uint32_t self) BY_COLD;`,
        `static int ${part.name}_changed(by *m, uint32_t self, uint32_t param) BY_COLD;`,
        ...prototypes(protocols, part),
      ]),
    ),
    '',
    ...parts.flatMap((part) =>
      whereBuilt(part, [`#include "${part.layer}/${part.name}/${part.name}.c"`]),
    ),
    '',
    ...parts.flatMap((part) => whereBuilt(part, switches(protocols, part))),
    '/* A type without code is not in this build. */',
    'static const by_type by_types[BY_TYPE_COUNT] = {',
    ...parts.flatMap((part) => whereBuilt(part, [row(part)], ['  {0},'])),
    '};',
    '',
    ...cDispatch(
      'uint32_t',
      'poll',
      'uint32_t port, uint32_t kind, by_poll *p',
      'port, kind, p',
      parts,
    ),
    ...cAsks(parts, true),
    '',
    ...cDispatch('void', 'on', 'const by_msg *msg', 'msg', parts),
    ...cDispatch(
      'uint32_t',
      'when',
      'const by_msg *msg',
      'msg',
      parts.filter((part) => part.keeps && hears(protocols, part)),
      '__builtin_trap()',
    ),
    ...cDispatch(
      'void',
      'keep',
      'struct by_keeper *k',
      'k',
      parts.filter((part) => part.keeps),
      '__builtin_trap()',
    ),
    ...cLookup('by_table_fields', 'Fields of each table.', parts, (part) =>
      part.tables.map((table, i) => [i, table.fields.length]),
    ),
    ...cLookup(
      'by_protocol',
      'Two times the protocol of each port, and 1 for a server.',
      parts,
      (part) =>
        part.ports.flatMap((port) =>
          Array.from({ length: port.count }, (_, i) => [
            port.first + i,
            names.indexOf(port.protocol) * 2 + (port.role === 'server' ? 1 : 0),
          ]),
        ),
    ),
    ...cLookup('by_required', 'Ports that must be wired.', parts, (part) =>
      part.ports.filter((port) => port.required).map((port) => [port.first, 1]),
    ),
    '#endif',
    '',
  ].join('\n');
}

function layoutTs(parts, hash) {
  return [
    '/* Made from the manifests by scripts/generate.mjs. */',
    "import type { PartType } from '../manifest';",
    '',
    `export const LAYOUT_HASH = 0x${hash};`,
    `export const PART_TYPES: readonly PartType[] = ${JSON.stringify(
      parts.map(({ keeps, ...part }) => part),
      null,
      1,
    )};`,
    '',
  ].join('\n');
}

function write(path, text) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(file, text);
  console.error(`wrote ${path}`);
}

function main() {
  let kind = 0;
  const found = manifests();
  const protocols = readProtocols(root);
  const parts = found.map((entry, id) => normalise(entry, id, () => ++kind));
  parts.forEach((part, i) => {
    checkReferences(part, relative(root, found[i].file));
  });
  const shape = parts.map(
    ({ name, constants, params, counters, tables, views, ports, events, enums }) => ({
      name,
      constants,
      params: params.map((p) => p.name),
      counters: counters.map((c) => c.name),
      tables,
      views,
      ports,
      events: events.map((e) => [e.name, e.fields]),
      enums,
    }),
  );
  const hash = createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 8);
  write('wasm/gen/layout.h', layoutHeader(parts, hash, kind));
  write('wasm/gen/protocols.h', protocolsHeader(protocols, cAsks(parts, false)));
  write('wasm/gen/registry.h', registryHeader(parts, protocols));
  write('src/engine/gen/layout.ts', layoutTs(parts, hash));
}

main();
