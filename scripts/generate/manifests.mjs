/** Manifests: every part is declared in <part>.json beside its code. This module reads, completes and checks them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseQuantity } from '../../src/base/quantity.mjs';
import { UserError } from '../lib.mjs';
import { checkStyles, shownMember } from './protocols.mjs';

const MAX_U64 = (1n << 64n) - 1n;

function fail(where, sentence) {
  throw new UserError(`${where}: ${sentence}`);
}

/** Folders at any depth with a manifest and code of the folder's name; the parent folder has no meaning. */
function manifestFiles(root) {
  const wasm = join(root, 'wasm');
  return ['parts', 'os', 'verify'].flatMap((layer) =>
    readdirSync(join(wasm, layer), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name, parentPath }) => ({ name, folder: join(parentPath, name) }))
      .filter(({ name, folder }) =>
        [`${name}.json`, `${name}.c`].every((file) => existsSync(join(folder, file))),
      )
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, folder }) => {
        const file = join(folder, `${name}.json`);
        const code = relative(wasm, join(folder, `${name}.c`));
        return { layer, name, code, file, raw: JSON.parse(readFileSync(file, 'utf8')) };
      }),
  );
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

/** The rule for a parameter besides its range; null if there is none. */
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

/** Rules relate parameters of one part that cannot change during a run. */
function checkRules(params, where) {
  for (const { name, rule } of params)
    for (const term of rule ? [...rule.of, ...rule.atMost] : [])
      if (!/^\d/.test(term) && params.find((one) => one.name === term)?.change !== 'restart')
        fail(where, `${name}: its rule names "${term}", which is no parameter, or a live one.`);
}

/** A rule with required fields is one rule for each of them. */
const eachGiven = ({ given, ...rule }) =>
  given ? given.map((field) => ({ ...rule, field, isGiven: true })) : [rule];

/** The constraints of a field in the rows of some operations: its range and rule. */
function rowRule(row, table, enums, where) {
  const ops = row.do ?? [];
  const known = enums[table.fields.find((field) => field.name === 'do')?.type] ?? [];
  for (const op of ops)
    if (!known.some((member) => member.name === op)) fail(where, `"${op}" is no operation.`);
  const field = table.fields.find((one) => one.name === row.field);
  if (!field) fail(where, `a rule names "${row.field}", which is no field.`);
  for (const op of ops)
    if (known.find((one) => one.name === op).fields?.includes(field.name) === false)
      fail(where, `"${op}" has no "${field.name}", which a rule names.`);
  const rule = ruleOf({ ...row, type: field.type }, enums, where);
  for (const term of rule ? [...rule.of, ...rule.atMost] : [])
    if (!/^\d/.test(term) && !table.fields.some((one) => one.name === term))
      fail(where, `the rule of ${field.name} names "${term}", which is no field.`);
  return {
    ops,
    field: field.name,
    min: value(row.min ?? 0, field.type, enums, where),
    max: row.max === undefined ? String(MAX_U64) : value(row.max, field.type, enums, where),
    ...(row.isGiven ? { given: true } : {}),
    ...(rule ? { rule } : {}),
    doc: row.doc ?? '',
  };
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
    ...(row.constraint ? { constraint: row.constraint } : {}),
    change: row.change ?? 'restart',
    doc: row.doc,
    basis: row.basis,
    source: row.source ?? '',
    ...(row.figures ? { figures: row.figures } : {}),
  };
}

/** Constants used by the part and by readers of its views. */
const constants = (rows, where) =>
  Object.fromEntries(
    rows.map((row) => {
      checkName(row.name, where);
      if (!row.doc) fail(`${where}.${row.name}`, 'a constant needs a one-line doc.');
      return [row.name, Number(value(row.value, row.type, {}, `${where}.${row.name}`))];
    }),
  );

/** The maximum number of messages in flight: a number, times each named parameter, and the wires of each port. */
function queueCapacityOf(rows, params, ports, where) {
  return rows.map(({ messages, each = [], doc }) => {
    if (!Number.isInteger(messages) || !doc)
      fail(where, '"queueCapacity" is a number of "messages", with a doc.');
    const factors = each.map((name) => {
      const param = params.findIndex((row) => row.name === name);
      const port = ports.find((row) => row.name === name);
      if (param >= 0 && params[param].change !== 'live') return { param };
      if (port) return { first: port.first, count: port.count };
      return fail(
        where,
        `queueCapacity: "${name}" is no port, nor a parameter that stays as it is.`,
      );
    });
    return { messages, factors };
  });
}

/** A value that a part and its peer at a port must share: a parameter's, a constant of the protocol, or a fixed one. */
function mustMatchOf(rows, { params, ports, protocols }, where) {
  return rows.map(({ port, on, type, is }) => {
    const at = ports.find((one) => one.name === port);
    if (!at) fail(where, `mustMatch: "${port}" is no port.`);
    if (!/^[a-z]/.test(is)) return { port, on, type, is: value(is, type, {}, where) };
    const param = params.find((one) => one.name === is);
    const { constants = [] } = protocols.find(({ name }) => name === at.protocol) ?? {};
    const constant = constants.find((one) => one.name === is);
    if (!param && constant) return { port, on, type, is: String(constant.value) };
    if (param?.type !== type || param.change === 'live')
      fail(where, `mustMatch: "${is}" is no parameter of type ${type}, or a live one.`);
    return { port, on, type, is };
  });
}

/**
 * A number in an address claim: a parameter that cannot change during a run, the size of a register map, or
 * a fixed number.
 */
function termOf(input, type, { params, maps }, where) {
  if (typeof input === 'object') {
    const bytes = maps.get(input.registers)?.numbers.find(({ name }) => name === 'register_bytes');
    if (!bytes) fail(where, `"${input.registers}" is no register map that says its bytes.`);
    return BigInt(bytes.is).toString();
  }
  if (!/^[a-z]/.test(input)) return value(input, type, {}, where);
  if (params.find((one) => one.name === input)?.change !== 'restart')
    fail(where, `"${input}" is no parameter, or a live one.`);
  return input;
}

/** A port by its name, or one of its instances: "bus1". */
function placeOf(text, ports, where) {
  const whole = ports.find(({ name }) => name === text);
  if (whole) return { port: text };
  const [, name, index] = /^(.*?)(\d+)$/.exec(text) ?? [];
  if (!ports.some((one) => one.name === name && Number(index) < one.count))
    fail(where, `"${text}" is no port.`);
  return { port: name, index: Number(index) };
}

/** Addresses that a part answers at a port, or forwards from there. */
function addressesOf(rows, known, where) {
  const { params, ports } = known;
  return rows.map(
    ({ at, to, region, from, bytes, times, as, none, numbered, first, requiresWired }) => {
      if (requiresWired && !ports.some(({ name }) => name === requiresWired))
        fail(where, `addresses: "${requiresWired}" is no port.`);
      return {
        at: placeOf(at, ports, where),
        ...(to && { to: placeOf(to, ports, where) }),
        ...(numbered && { numbered }),
        ...(first && { first }),
        ...(requiresWired && { requiresWired }),
        ...(from !== undefined && {
          region: region ?? params.find(({ name }) => name === from)?.title,
          from: termOf(from, 'address', known, where),
          bytes: termOf(bytes, 'bytes', known, where),
          ...(times && { times }),
          ...(as !== undefined && { as: termOf(as, 'address', known, where) }),
          ...(none !== undefined && { none: value(none, 'address', {}, where) }),
        }),
      };
    },
  );
}

/** Parameters with the addresses of other parts' registers, and row fields that are addresses there. */
function drivesOf(rows, { params, types }, where) {
  return rows.map(({ param: name, type, when, same = [], rows: fields = {} }) => {
    const own = params.find((one) => one.name === name);
    if (own?.type !== 'address' || !types.includes(type))
      fail(where, `drives: "${name}" is no address, or "${type}" no part.`);
    return { param: name, type, ...(when && { when }), same, rows: fields };
  });
}

/** A part's declarations about addresses: its own, those of others, and the location of its tables. */
function reachOf(raw, known, where) {
  const { addresses, drives, table, values, unit } = raw;
  return {
    ...(addresses && { addresses: addressesOf(addresses, known, where) }),
    ...(drives && { drives: drivesOf(drives, known, where) }),
    ...(table && { table }),
    ...(values && { values }),
    ...(unit && { unit }),
  };
}

/** The bit fields of a word, from the lowest on. */
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

/** Messages that the part wired to a port must be able to send: always, or depending on another port's wire. */
const needsOf = (needs) =>
  (Array.isArray(needs) ? [[null, needs]] : Object.entries(needs))
    .filter(([, sends]) => sends.length > 0)
    .map(([when, sends]) => ({ ...(when && { when }), sends }));

/** Ports, numbered instance by instance. */
function portsOf(raw, where) {
  let port = 0;
  return (raw.ports ?? []).map((row) => {
    checkName(row.name, where);
    const spec = {
      name: row.name,
      first: port,
      count: row.count ?? 1,
      protocol: row.protocol,
      role: row.role,
      required: row.required ?? false,
      handles: row.handles ?? [],
      unsupported: row.unsupported ?? [],
      ignores: row.ignores ?? [],
      forwards: row.forwards ?? {},
      sends: row.sends ?? null,
      needs: needsOf(row.needs ?? []),
      calls: row.calls ?? [],
      requiresWired: row.requiresWired ?? null,
      forbidsWired: row.forbidsWired ?? null,
      requiresSender: row.requiresSender ?? null,
      doc: row.doc ?? '',
    };
    checkName(row.protocol, `${where}, port ${row.name}, protocol`);
    if (row.role !== 'client' && row.role !== 'server')
      fail(where, `port ${row.name} is neither client nor server of its protocol.`);
    port += spec.count;
    return spec;
  });
}

/**
 * Program operations that services of the operating system implement: their own, and those of interfaces
 * with several implementations.
 */
function readInterfaces(root) {
  const folder = join(root, 'wasm', 'os', 'interfaces');
  return new Map(
    readdirSync(folder)
      .sort()
      .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
      .map((one) => [one.interface, one]),
  );
}

/** The names of the operations that a service implements. */
const operationsOf = (raw, interfaces, where) => [
  ...(raw.implements ?? []).flatMap((name) => {
    if (!interfaces.has(name)) fail(where, `"${name}" is no interface.`);
    return interfaces.get(name).operations.map((row) => row.name);
  }),
  ...(raw.operations ?? []).map((row) => row.name),
];

/**
 * A part with "services" runs programs: operations, times and rules of services and their interfaces are
 * appended to its own lists.
 */
function joinServices(raw, services, interfaces, where) {
  const { port, operations, times, table } = raw.services;
  const own = raw.enums[operations];
  const joined = [...own];
  const sources = [...interfaces.values(), ...services.map((one) => one.raw)];
  for (const { operations: rows = [] } of sources)
    for (const row of rows) {
      if (joined.some((one) => one.name === row.name))
        fail(where, `the operation "${row.name}" is declared twice.`);
      const executedBy = services
        .filter((one) => operationsOf(one.raw, interfaces, one.file).includes(row.name))
        .map((one) => one.name);
      joined.push({ ...row, sends: [`${port}.call`, ...(row.sends ?? [])], executedBy });
    }
  const states = [...raw.enums[times]];
  const counters = [];
  for (const { raw: service, file } of services)
    for (const { doc, ...state } of service.times ?? []) {
      const known = states.find((one) => one.name === state.name);
      if (known && JSON.stringify(known) !== JSON.stringify(state))
        fail(file, `the time "${state.name}" is declared in another way elsewhere.`);
      if (known) continue;
      states.push(state);
      counters.push({ name: `in_${state.name}`, unit: 'ps', doc });
    }
  const last = raw.counters.findLastIndex((row) => row.name.startsWith('in_')) + 1;
  return {
    ...raw,
    own: own.length,
    enums: { ...raw.enums, [operations]: joined, [times]: states },
    counters: [...raw.counters.slice(0, last), ...counters, ...raw.counters.slice(last)],
    tables: raw.tables.map((row) =>
      row.name === table
        ? { ...row, rules: [...row.rules, ...sources.flatMap((one) => one.rules ?? [])] }
        : row,
    ),
  };
}

/** The fields that a row of an operation can have: those that its description names. */
function fieldsOf(raw, operation) {
  const { table } = raw.services;
  const named = [...(operation.doc ?? '').matchAll(/`(\w+)`/g)].map(([, word]) => word);
  const known = raw.tables.find((row) => row.name === table).fields.map((field) => field.name);
  return known.filter((name) => name !== 'do' && named.includes(name));
}

/** Members of a part's enums, completed. */
function membersOf(where, raw) {
  const enums = {};
  for (const [key, members] of Object.entries(raw.enums ?? {})) {
    checkStyles(where, key, members);
    enums[key] = members
      .map((member) => (typeof member === 'string' ? { name: member } : member))
      .map((member) => ({
        name: member.name,
        title: member.title ?? member.name.replaceAll('_', ' '),
        ...(member.short ? { short: member.short } : {}),
        ...(member.says ? { says: member.says } : {}),
        style: member.style ?? 'solid',
        doc: member.doc ?? '',
        ...(member.sends ? { sends: member.sends } : {}),
        ...(member.executedBy ? { executedBy: member.executedBy } : {}),
        ...(raw.services?.operations === key ? { fields: fieldsOf(raw, member) } : {}),
      }));
  }
  return enums;
}

function normalise({ layer, name, code, raw, where, executes }, known, id, nextKind) {
  const { maps, types, protocols } = known;
  if (raw.part !== name) fail(where, `the manifest calls itself "${raw.part}".`);
  const enums = membersOf(where, raw);
  const ports = portsOf(raw, where);
  const params = (raw.params ?? []).map((row) => param(row, enums, where));
  return {
    id,
    layer,
    code,
    name,
    title: raw.title,
    actor: raw.actor ?? 'other',
    doc: raw.doc,
    serializable: raw.serializable ?? false,
    onParamChange: raw.onParamChange ?? false,
    mustMatch: mustMatchOf(raw.mustMatch ?? [], { params, ports, protocols }, where),
    ...reachOf(raw, { params, ports, maps, types }, where),
    queueCapacity: queueCapacityOf(raw.queueCapacity ?? [], params, ports, where),
    constants: constants(raw.constants ?? [], where),
    selfEvents: raw.selfEvents ?? false,
    ...(raw.services ? { services: { ...raw.services, own: raw.own } } : {}),
    ...(executes.length > 0 ? { executes } : {}),
    ...(raw.forwardsTo ? { forwardsTo: raw.forwardsTo } : {}),
    ...(raw.movedTo ? { movedTo: raw.movedTo } : {}),
    enums,
    ofProtocol: raw.ofProtocol,
    params,
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
      rules: (row.rules ?? [])
        .flatMap(eachGiven)
        .map((rule) => rowRule(rule, row, enums, `${where}.${row.name}`)),
      ...(row.loops ? { loops: row.loops, threads: row.threads } : {}),
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
      ...(row.requiresWired && { requiresWired: row.requiresWired }),
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
      text: row.text,
      lane: row.lane ?? null,
      level: row.level ?? 'detail',
    })),
  };
}

/** Checks that a manifest's translation tables name ports and parameters of the part. */
function checkTables({ ports, params, table = {}, values = {}, unit }, where) {
  const port = [table.at, table.entries?.at, unit];
  const param = [table.from, table.bits, table.levels, values.from, values.bytes];
  for (const [known, named] of [
    [ports, port],
    [params, param],
  ])
    for (const name of named)
      if (name !== undefined && !known.some((one) => one.name === name))
        fail(where, `its tables: "${name}" is neither port nor parameter.`);
}

function checkReferences(part, where) {
  checkTables(part, where);
  checkRules(part.params, where);
  if (part.forwardsTo && !part.ports.some((port) => port.name === part.forwardsTo))
    fail(where, `forwardsTo: "${part.forwardsTo}" is no port.`);
  for (const event of part.events) {
    for (const field of event.fields)
      if (!['a', 'b', 'c'].includes(field.slot))
        fail(where, `event ${event.name}: field ${field.name} needs slot a, b or c.`);
    for (const [, name] of event.text.matchAll(/\{(\w+)(?=[:}])/g))
      if (name !== 'part' && !event.fields.some((field) => field.name === name))
        fail(where, `event ${event.name}: the text names {${name}}, which is no field.`);
    if (event.lane && !part.tracks.some((track) => track.name === event.lane.track))
      fail(where, `event ${event.name}: no track ${event.lane.track}.`);
  }
  for (const track of part.tracks)
    if (track.requiresWired && !part.ports.some(({ name }) => name === track.requiresWired))
      fail(where, `track ${track.name}: no port ${track.requiresWired}.`);
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

/** All parts, by layer and name: their positions in the list are the type numbers. */
/**
 * An enum shared with hosts ("sim_invariant") or with users of a protocol ("runway.type") is given by name
 * where a part lists its own.
 */
function withShared(raw, abi, protocols, where) {
  const membersOf = (listed) => {
    if (typeof listed !== 'string') return listed;
    if (listed.includes('.')) {
      const [name, key] = listed.split('.');
      const members = protocols.find((one) => one.name === name)?.enums[key];
      if (!members) fail(where, `wasm/protocols has no enum ${listed}.`);
      return members.map(shownMember);
    }
    const found = abi.enums.find(({ name }) => name === listed);
    if (!found) fail(where, `wasm/abi.json has no enum ${listed}.`);
    return found.members.map(({ name, broken }) => ({ name, ...(broken && { title: broken }) }));
  };
  const enums = Object.entries(raw.enums ?? {}).map(([key, listed]) => [key, membersOf(listed)]);
  return {
    ...raw,
    enums: Object.fromEntries(enums),
    ofProtocol: protocolEnums(raw, protocols, where),
  };
}

/** The enums of a part that its protocols declare, with the part's counter for each counted member. */
const protocolEnums = (raw, protocols, where) =>
  Object.fromEntries(
    Object.entries(raw.enums ?? {})
      .filter(([, listed]) => typeof listed === 'string' && listed.includes('.'))
      .map(([key, listed]) => {
        const [name, from] = listed.split('.');
        const members = protocols.find((one) => one.name === name)?.enums[from] ?? [];
        const isOwn = name === raw.part;
        const counted = isOwn ? members.filter(({ counter }) => counter) : [];
        for (const { name: member, counter } of counted)
          if (!raw.counters?.some((one) => one.name === counter))
            fail(
              where,
              `The protocol counts "${member}" by "${counter}"; add this counter to "counters".`,
            );
        return [key, { from: listed, counted }];
      }),
  );

export function readManifests(root, abi, registers, protocols) {
  let kind = 0;
  const files = manifestFiles(root).map((entry) => {
    const file = relative(root, entry.file);
    return { ...entry, file, raw: withShared(entry.raw, abi, protocols, file) };
  });
  const known = {
    maps: new Map(registers.map((map) => [map.registers, map])),
    types: files.map(({ name }) => name),
    protocols,
  };
  const interfaces = readInterfaces(root);
  const services = files.filter(({ layer }) => layer === 'os');
  const operations = new Set(
    services.flatMap(({ raw, file }) => operationsOf(raw, interfaces, file)),
  );
  return files.map(({ file: where, raw, ...entry }, id) => {
    const executes = operationsOf(raw, interfaces, where);
    const whole = raw.services ? joinServices(raw, services, interfaces, where) : raw;
    const part = normalise({ ...entry, raw: whole, where, executes }, known, id, () => ++kind);
    checkReferences(part, where);
    for (const { name, calls } of part.ports)
      for (const operation of calls)
        if (!operations.has(operation))
          fail(where, `port ${name} calls "${operation}", which is no operation of a service.`);
    return part;
  });
}
