/**
 * Protocols -> C. The messages of a wire are declared once, in wasm/protocols/<protocol>.json: sender, kind
 * (call, answered at once, or message through the event queue) and fields. Generated for each message: a
 * struct, a function that sends it and the prototype of its handler; and for each part the switches that
 * dispatch messages to its handlers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../lib.mjs';

const ASKED = {
  addr: 'uint64_t',
  when: 'uint64_t',
  x: 'uint32_t',
  y: 'uint32_t',
  words: 'uint32_t *',
};
const SENT = { addr: 'uint64_t', x: 'uint32_t', y: 'uint32_t' };
/** Not the kind of any message: messages of a part to itself use numbers of its own, up to this one. */
const NO_MESSAGE = 0xff;

const upper = (text) => text.toUpperCase();
const other = (role) => (role === 'client' ? 'server' : 'client');

function fail(where, sentence) {
  throw new UserError(`${where}: ${sentence}`);
}

function checkFields(message, where) {
  const slots = message.timed ? SENT : ASKED;
  for (const list of ['in', 'out'])
    for (const field of message[list] ?? []) {
      if (!(field.at in slots))
        fail(where, `${field.name} needs one of ${Object.keys(slots).join(', ')}.`);
      if (message[list].some((one) => one !== field && one.at === field.at))
        fail(where, `two fields ${list} at ${field.at}.`);
    }
  if (message.timed && (message.out || message.answer))
    fail(where, 'what is sent is not answered.');
}

const PASSES = ['no', 'may', 'must'];

/** The ordering table for two transactions in the same direction: a row for the later, a column for the earlier. */
function orderingOf(raw, where) {
  const { kinds, passes } = raw;
  const isRow = (row) => row.length === kinds.length && row.every((cell) => PASSES.includes(cell));
  if (passes.length !== kinds.length || !passes.every(isRow))
    fail(where, `the ordering wants a row and a column for each kind, of ${PASSES.join(', ')}.`);
  return raw;
}

/** A member as people and parts see it, without the bus's properties. */
export const shownMember = ({ name, title, short, style, doc }) => ({
  name,
  ...(title && { title }),
  ...(short && { short }),
  ...(style && { style }),
  ...(doc && { doc }),
});

/** How lanes draw a state (`src/draw/run/lanes.ts`); `none` leaves a gap. */
const STYLES = ['none', 'solid', 'light', 'outline', 'hatch', 'blocked', 'dashed', 'line'];

export function checkStyles(where, key, members) {
  for (const { name, style = 'solid' } of members)
    if (!STYLES.includes(style))
      fail(where, `${key}.${name}: style "${style}" is not one of ${STYLES.join(', ')}.`);
}

/** Values of message fields. A member can have properties: numbers, flags, and the counter that counts it. */
function enumsOf(raw, where) {
  const entries = Object.entries(raw ?? {}).map(([key, listed]) => {
    const members = listed.map((one) => (typeof one === 'string' ? { name: one } : one));
    for (const property of ['name', 'title']) {
      const values = members.map((one) => one[property]).filter(Boolean);
      const twice = values.find((one, i) => values.indexOf(one) !== i);
      if (twice) fail(where, `two members of ${key} have the ${property} "${twice}".`);
    }
    for (const { name } of members)
      if (!/^[a-z][a-z0-9_]*$/.test(name ?? ''))
        fail(where, `${key}: "${name}" is not a lower-case name.`);
    checkStyles(where, key, members);
    return [key, members];
  });
  return Object.fromEntries(entries);
}

/** Checks that every enum named by a protocol, as "enum:type" of a field or "enum type" in prose, is declared. */
export function checkEnumNames(protocols, parts, abi) {
  const known = new Set([
    ...abi.enums.map(({ name }) => name),
    ...[...protocols, ...parts].flatMap(({ name, enums }) =>
      Object.keys(enums).map((key) => `${name}.${key}`),
    ),
  ]);
  for (const { name, messages } of protocols)
    for (const message of messages) {
      const fields = [...message.in, ...message.out];
      const texts = [message.answer, ...fields.flatMap((field) => [field.as, field.doc])];
      for (const text of texts)
        for (const [, found] of (text ?? '').matchAll(/\benum[: ]([a-z][a-z0-9_.]*[a-z0-9_])/g))
          if (!known.has(found) && !known.has(`${name}.${found}`))
            fail(`wasm/protocols/${name}.json, ${message.name}`, `there is no enum "${found}".`);
    }
}

/** Fixed numbers of the wire, such as the bytes of a line. */
function constantsOf(rows, where) {
  for (const { name, value, doc } of rows)
    if (!/^[a-z][a-z0-9_]*$/.test(name) || !Number.isInteger(value) || !doc)
      fail(where, `constant "${name}" is a "name", a whole "value" and a "doc".`);
  return rows;
}

const constantName = ({ name }, constant) => upper(`${name}_${constant.name}`);

function normalise(raw, file) {
  const where = `wasm/protocols/${file}`;
  if (`${raw.protocol}.json` !== file) fail(where, `the protocol calls itself "${raw.protocol}".`);
  for (const message of raw.messages) {
    checkFields(message, `${where}, ${message.name}`);
    if (!['client', 'server'].includes(message.from)) fail(where, `who says ${message.name}?`);
    if (![undefined, 'notification', 'bookkeeping'].includes(message.reentrant))
      fail(where, `${message.name}: "reentrant" is "notification" or "bookkeeping".`);
  }
  return {
    name: raw.protocol,
    sortedAs: raw.formerly ?? raw.protocol,
    title: raw.title,
    doc: raw.doc,
    roles: raw.roles,
    includes: raw.includes ?? [],
    enums: enumsOf(raw.enums, where),
    constants: constantsOf(raw.constants ?? [], where),
    ...(raw.ordering ? { ordering: orderingOf(raw.ordering, where) } : {}),
    messages: raw.messages.map((message) => ({
      name: message.name,
      from: message.from,
      timed: message.timed ?? false,
      inline: message.inline ?? false,
      reentrant: message.reentrant ?? null,
      after: message.after ?? null,
      doc: message.doc,
      in: message.in ?? [],
      out: message.out ?? [],
      answer: message.answer ?? null,
    })),
  };
}

/**
 * All protocols. Messages are numbered across all of them, so that a forwarded message keeps its number.
 * Saved states contain these numbers: a renamed protocol is sorted by its former name.
 */
export function readProtocols(root) {
  const folder = join(root, 'wasm/protocols');
  const found = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => normalise(JSON.parse(readFileSync(join(folder, file), 'utf8')), file))
    .sort((a, b) => (a.sortedAs < b.sortedAs ? -1 : 1))
    .map(({ sortedAs, ...protocol }) => protocol);
  let kind = 0;
  for (const protocol of found) {
    for (const message of protocol.messages)
      Object.assign(message, { kind: ++kind, protocol: protocol.name });
    for (const { protocol: name } of protocol.includes)
      if (!found.some((one) => one.name === name))
        fail(protocol.name, `there is no protocol "${name}" to carry.`);
  }
  if (kind >= NO_MESSAGE) fail('wasm/protocols', 'there are more messages than numbers for them.');
  return found;
}

/** The messages of a port, by this role or by the other, including carried protocols. */
function messagesFrom(protocols, name, role) {
  const protocol = protocols.find((one) => one.name === name);
  if (!protocol) return [];
  const carried = protocol.includes
    .filter((one) => one.from === role)
    .flatMap((one) =>
      protocols
        .find(({ name: of }) => of === one.protocol)
        .messages.filter((message) => message.from === 'client'),
    );
  return [...protocol.messages.filter((message) => message.from === role), ...carried];
}

const typeOf = (message) => `struct ${message.protocol}_${message.name}`;
const hasFields = (message) => message.in.length + message.out.length > 0;

function cStruct(message) {
  const slots = message.timed ? SENT : ASKED;
  const lines = Object.entries(slots).map(([slot, type]) => {
    const gap = type.endsWith('*') ? '' : ' ';
    const names = [
      ...new Set(
        [...message.in, ...message.out]
          .filter((field) => field.at === slot)
          .map((field) => field.name),
      ),
    ];
    if (names.length === 0) return `  ${type}${gap}no_${slot};`;
    if (names.length === 1) return `  ${type}${gap}${names[0]};`;
    return `  union { ${names.map((name) => `${type}${gap}${name};`).join(' ')} };`;
  });
  const size = message.timed ? 16 : 'sizeof(sim_poll)';
  return [
    `${typeOf(message)} {`,
    ...lines,
    '} __attribute__((may_alias));',
    `_Static_assert(sizeof(${typeOf(message)}) == ${size}, "layout");`,
  ];
}

function cSay(message) {
  const name = `${message.protocol}_${message.name}`;
  const kind = upper(name);
  if (message.timed) {
    const [parameter, values] = hasFields(message)
      ? [
          `, ${typeOf(message)} q`,
          ['addr', 'x', 'y'].map((slot) => `q.${fieldAt(message, slot)}`).join(', '),
        ]
      : ['', '0, 0, 0'];
    return [
      `SIM_INLINE void send_${name}(sim *m, uint32_t self, uint32_t port, uint64_t delay, uint32_t phase${parameter}) { sim_post(m, self, port, delay, phase, ${kind}, ${values}); }`,
    ];
  }
  return [`${asks(message)};`];
}

/** The function that makes a call: inlined if it is called often, else one shared function. */
const asks = (message) =>
  `${message.inline ? 'SIM_INLINE' : 'SIM_WITHIN'} ${message.answer ? 'uint32_t' : 'void'} call_${message.protocol}_${message.name}(sim *m, uint32_t self, uint32_t port${hasFields(message) ? `, ${typeOf(message)} *q` : ''})`;

const fieldAt = (message, slot) =>
  [...message.in, ...message.out].find((field) => field.at === slot)?.name ?? `no_${slot}`;

/** The ordering rules, as a function of the later and the earlier transaction. */
function cOrdering({ name, ordering }) {
  if (!ordering) return [];
  const size = ordering.kinds.length;
  const rows = ordering.passes.map(
    (row) => `{${row.map((cell) => PASSES.indexOf(cell)).join(', ')}}`,
  );
  return [
    `enum ${name}_ordering { ${ordering.kinds.map((kind) => upper(`${name}_order_${kind.name}`)).join(', ')} };`,
    `enum ${name}_pass { ${PASSES.map((pass) => upper(`${name}_pass_${pass}`)).join(', ')} };`,
    `SIM_INLINE enum ${name}_pass ${name}_pass(enum ${name}_ordering later, enum ${name}_ordering earlier) {`,
    `  static const uint8_t table[${size}][${size}] = {${rows.join(', ')}};`,
    `  return (enum ${name}_pass)table[later][earlier];`,
    '}',
  ];
}

const NOT_PROPERTIES = new Set(['name', 'title', 'short', 'style', 'doc', 'is', 'counter']);

/**
 * A property of the members of an enum, as a function of the value; 0 for a member without it. The members that have a
 * flag are also listed, so that a table by them does not compile while one is missing.
 */
function cProperty(name, members, property) {
  const width = members.some((one) => one[property] > 255) ? 'uint32_t' : 'uint8_t';
  const values = members.map((one) => Number(one[property] ?? 0));
  return [
    `SIM_INLINE uint32_t ${name}_${property}(uint32_t value) {`,
    `  static const ${width} table[${values.length}] = {${values.join(', ')}};`,
    '  return table[value];',
    '}',
    ...flagged(name, members, property),
  ];
}

function flagged(name, members, property) {
  const some = members.filter((one) => one[property] === true);
  const listed = some.map((one) => `X(${upper(one.name)})`).join(' ');
  return some.length > 0 ? [`#define ${upper(`${name}s_${property}`)}(X) ${listed}`] : [];
}

/** An enum with the properties of its members. */
function cEnum(protocol, [key, members]) {
  const name = `${protocol.name}_${key}`;
  const properties = [...new Set(members.flatMap(Object.keys))].filter(
    (one) => !NOT_PROPERTIES.has(one),
  );
  return [
    `enum ${name} {`,
    ...members.map((one, i) => `  ${upper(`${name}_${one.name}`)} = ${one.is ?? i},`),
    '};',
    ...properties.flatMap((property) => cProperty(name, members, property)),
  ];
}

/**
 * Messages permitted to a part that is in the middle of a call, for builds that assert the rule of
 * re-entrancy (core/reentrancy.h).
 */
function backwards(protocols) {
  const reentrant = protocols.flatMap(({ messages }) =>
    messages.filter(({ reentrant }) => reentrant),
  );
  return [
    '#ifdef SIM_ASSERTS',
    'static inline int sim_is_reply(uint32_t kind) {',
    '  switch (kind) {',
    ...reentrant.map(({ protocol, name }) => `    case ${upper(`${protocol}_${name}`)}:`),
    ...(reentrant.length > 0 ? ['      return 1;'] : []),
    '  }',
    '  return 0;',
    '}',
    '#endif',
    '',
  ];
}

/** The header that parts include: kinds, structs, and the functions that send messages. */
export function protocolsHeader(protocols) {
  return [
    '/* Made from wasm/protocols by scripts/generate.mjs: the messages on the wires. */',
    '#ifndef SIM_GEN_PROTOCOLS_H',
    '#define SIM_GEN_PROTOCOLS_H',
    '',
    '#include "core/engine.h"',
    '',
    ...protocols.flatMap((protocol) => [
      `/* ${protocol.title}. */`,
      'enum {',
      ...protocol.messages.map(
        (message) => `  ${upper(`${protocol.name}_${message.name}`)} = ${message.kind},`,
      ),
      '};',
      ...protocol.messages.filter(hasFields).flatMap(cStruct),
      ...protocol.messages.flatMap(cSay),
      ...Object.entries(protocol.enums).flatMap((one) => cEnum(protocol, one)),
      ...protocol.constants.map(
        (one) => `#define ${constantName(protocol, one)} ${one.value}u /* ${one.doc}. */`,
      ),
      ...cOrdering(protocol),
      '',
    ]),
    ...backwards(protocols),
    '#endif',
    '',
  ].join('\n');
}

/** The context of a part, as handlers get it. */
export const contextOf = (part, self = 'self') => `SIM_CONTEXT(m, ${self}, ${part.name})`;

const portConst = (part, port) => `${upper(part.name)}_PORT_${upper(port.name)}`;
const handlerOf = (part, port, message) => `${part.name}_${port.name}_${message.name}`;

/** Disposition of a message at a port: handle, forward, ignore or reject. */
function dutyOf(port, message) {
  const named = [message.name, message.protocol === port.protocol ? null : message.protocol].filter(
    Boolean,
  );
  const lists = (names) => named.some((name) => names.includes(name));
  if (lists(port.handles)) return { kind: 'handles' };
  if (lists(port.unsupported)) return { kind: 'unsupported' };
  if (lists(port.ignores)) return { kind: 'ignores' };
  const target = named.map((name) => port.forwards[name]).find(Boolean);
  if (target) return { kind: 'forwards', to: target };
  return { kind: 'handles' };
}

/** The messages that a port receives from the other side, with their dispositions. */
function heard(protocols, port) {
  return messagesFrom(protocols, port.protocol, other(port.role)).map((message) => ({
    message,
    duty: dutyOf(port, message),
  }));
}

function prototype(part, port, message) {
  const place = port.count > 1 ? ', uint32_t place' : '';
  const fields = hasFields(message)
    ? `, ${message.timed ? 'const ' : ''}${typeOf(message)} *q`
    : '';
  const result = message.timed || !message.answer ? 'void' : 'uint32_t';
  return `static ${result} ${handlerOf(part, port, message)}(sim *m, struct ${part.name} *part${place}${fields});`;
}

export function prototypes(protocols, part) {
  return [
    ...part.ports.flatMap((port) =>
      heard(protocols, port)
        .filter(({ duty }) => duty.kind === 'handles')
        .map(({ message }) => prototype(part, port, message)),
    ),
    ...(part.selfEvents
      ? [`static void ${part.name}_self(sim *m, struct ${part.name} *part, const sim_msg *msg);`]
      : []),
  ];
}

/** The target of a forwarded message: a port, and the message's name there. */
function passedOn(protocols, part, port, message, to) {
  const [name, forwarded = message.name] = to.split('.');
  const target = part.ports.find((one) => one.name === name);
  if (!target) fail(part.name, `port ${port.name} passes on to ${name}, which is no port.`);
  const next = messagesFrom(protocols, target.protocol, target.role).find(
    (one) => one.name === forwarded,
  );
  if (!next) fail(part.name, `${name} cannot send ${forwarded}.`);
  const each = target.count > 1 && target.count === port.count;
  const place = each ? ` + wire->port - ${portConst(part, port)}` : '';
  return { next, at: `${portConst(part, target)}${place}` };
}

/** Forwards a call to the part wired to another port; without a wire the answer is 0. */
function askOn(message, next, at) {
  const given = hasFields(message) ? `(${typeOf(next)} *)q` : `&(${typeOf(next)}){0}`;
  const q = next === message ? 'q' : given;
  const call = `call_${next.protocol}_${next.name}(m, wire->part, ${at}${hasFields(next) ? `, ${q}` : ''})`;
  const wired = `sim_wired(m, wire->part, ${at})`;
  return message.answer ? `return ${wired} ? ${call} : 0;` : `if (${wired}) { ${call}; } return;`;
}

/** The dispatch of a call at a port, in a function that knows the caller's wire. */
function answerCase(protocols, part, port, message, duty) {
  if (duty.kind === 'ignores') return message.answer ? 'return 0;' : 'return;';
  if (duty.kind === 'forwards') {
    const { next, at } = passedOn(protocols, part, port, message, duty.to);
    return next === message ? `on = ${at}; break;` : askOn(message, next, at);
  }
  const place = port.count > 1 ? `, wire->port - ${portConst(part, port)}` : '';
  const call = `${handlerOf(part, port, message)}(m, ${contextOf(part, 'wire->part')}${place}${hasFields(message) ? ', q' : ''})`;
  return message.answer ? `return ${call};` : `${call}; return;`;
}

/** The same for a part: ports of one protocol are distinguished only if there are several. */
function answerCases(protocols, part, message, otherwise) {
  const ends = part.ports.flatMap((port) =>
    heard(protocols, port)
      .filter((one) => one.message === message)
      .map(({ duty }) => ({ port, duty })),
  );
  const heardAt = ends.filter(({ duty }) => duty.kind !== 'unsupported');
  if (heardAt.length === 0) return [];
  const line = ({ port, duty }) => answerCase(protocols, part, port, message, duty);
  if (ends.length === 1) return [`    case ${part.id}: ${line(ends[0])}`];
  return [
    `    case ${part.id}:`,
    ...heardAt.map(
      (end) => `      if (${inPort('(uint32_t)wire->port', part, end.port)}) { ${line(end)} }`,
    ),
    `      ${otherwise}`,
  ];
}

/** A call: directly to the handler of the wired part. `around` excludes parts from builds. */
export function cAsk(protocols, parts, message, around) {
  const kind = upper(`${message.protocol}_${message.name}`);
  const otherwise = `sim_unconnected(m, self, port, ${kind});`;
  const cases = parts.flatMap((part) =>
    around(part, answerCases(protocols, part, message, otherwise)),
  );
  const passes = cases.some((line) => line.includes('on = '));
  if (passes && message.inline)
    fail(message.protocol, `${message.name} is passed on and cannot be "inline".`);
  return [
    `${asks(message)} {`,
    '  const struct sim_wire *wire = sim_wire(m, self, port);',
    `  SIM_CALL_OF(m, self, port, ${kind});`,
    ...(hasFields(message) ? ['  (void)q;'] : []),
    ...(passes ? ['  uint32_t on;'] : []),
    '  switch (wire->type - 1u) {',
    ...cases,
    `    default: ${otherwise}`,
    '  }',
    ...(passes ? [`  ${askOn(message, message, 'on')}`] : []),
    '}',
  ];
}

const inPort = (at, part, port) =>
  port.count === 1
    ? `${at} == ${portConst(part, port)}`
    : `${at} - ${portConst(part, port)} < ${port.count}u`;

/** The dispatch of messages that arrive at a port. */
function cases(protocols, part, port) {
  return heard(protocols, port)
    .filter(({ message, duty }) => message.timed && duty.kind !== 'unsupported')
    .map(({ message, duty }) => {
      const label = `      case ${upper(`${message.protocol}_${message.name}`)}:`;
      if (duty.kind === 'ignores') return `${label} return;`;
      if (duty.kind === 'forwards')
        fail(part.name, `${message.name} is sent, and only what is asked is passed on.`);
      const place = port.count > 1 ? `, port - ${portConst(part, port)}` : '';
      const from = hasFields(message) ? `, (const ${typeOf(message)} *)msg` : '';
      return `${label} ${handlerOf(part, port, message)}(m, part${place}${from}); return;`;
    });
}

function branches(protocols, part) {
  return part.ports
    .map((port) => ({ port, lines: cases(protocols, part, port) }))
    .filter(({ lines }) => lines.length > 0)
    .flatMap(({ port, lines }) => [
      `  if (${inPort('port', part, port)})`,
      '    switch (kind) {',
      ...lines,
      '    }',
    ]);
}

/** The switch of one part: messages go to its handlers; one without a handler stops the engine with an error. */
export function switches(protocols, part) {
  return [
    `SIM_INLINE void ${part.name}_on(sim *m, struct ${part.name} *part, const sim_msg *msg) {`,
    '  uint32_t port = msg->port, kind = msg->kind;',
    ...(part.selfEvents
      ? [
          `  if (port == SIM_PORT_SELF) {`,
          `    ${part.name}_self(m, part, msg);`,
          '    return;',
          '  }',
        ]
      : []),
    ...branches(protocols, part),
    '  sim_no_handler(m, part->self, port, kind);',
    '}',
    '',
  ];
}

/** Whether a part gets messages through the queue. */
export const receivesEvents = (protocols, part) =>
  part.selfEvents ||
  part.ports.some((port) =>
    heard(protocols, port).some(
      ({ message, duty }) => message.timed && duty.kind !== 'unsupported',
    ),
  );

/**
 * A port's side of the protocol, by names: messages that it sends (with their prerequisites), messages that
 * it receives ('' if handled, "port.message" if forwarded, null if ignored), and messages that its peer
 * must support.
 */
export function conversation(protocols, port) {
  const own = messagesFrom(protocols, port.protocol, port.role);
  const sends = own.filter(
    ({ name, protocol }) =>
      !port.sends ||
      port.sends.includes(name) ||
      (protocol !== port.protocol && port.sends.includes(protocol)),
  );
  const receives = heard(protocols, port).flatMap(({ message, duty }) => {
    if (duty.kind === 'unsupported') return [];
    if (duty.kind === 'ignores') return [[message.name, null]];
    if (duty.kind === 'handles') return [[message.name, '']];
    return [[message.name, duty.to.includes('.') ? duty.to : `${duty.to}.${message.name}`]];
  });
  const sent = sends.map(({ name, after }) => [name, after]);
  return {
    sends: Object.fromEntries(sent),
    receives: Object.fromEntries(receives),
    needs: port.needs,
  };
}

/** Constants of the protocols, apart from their documentation, which is long. */
export const constantsTs = (protocols) =>
  [
    '/* Made from wasm/protocols by scripts/generate.mjs. */',
    '',
    ...protocols.flatMap((protocol) =>
      protocol.constants.flatMap((one) => [
        `/** ${one.doc}. */`,
        `export const ${constantName(protocol, one)} = ${one.value};`,
      ]),
    ),
    '',
  ].join('\n');

/** Names of messages by their numbers. */
export function messagesTs(protocols) {
  const names = protocols.flatMap(({ name, messages }) =>
    messages.map((one) => `${name} ${one.name}`),
  );
  return [
    '/* Made from wasm/protocols by scripts/generate.mjs. */',
    `export const MESSAGES: readonly string[] = ${JSON.stringify(['', ...names])};`,
    '',
  ].join('\n');
}

/** Documentation of the protocols. */
export function protocolsTs(protocols) {
  const fields = (list) => list.map(({ at, ...field }) => field);
  const described = protocols.map(({ messages, constants, ...protocol }) => ({
    ...protocol,
    enums: Object.fromEntries(
      Object.entries(protocol.enums).map(([key, members]) => [key, members.map(shownMember)]),
    ),
    messages: messages.map(({ kind, inline, reentrant, protocol: of, ...message }) => ({
      ...message,
      in: fields(message.in),
      out: fields(message.out),
    })),
  }));
  return [
    '/* Made from wasm/protocols by scripts/generate.mjs. */',
    "import type { Protocol } from '../manifest';",
    '',
    `export const PROTOCOLS: readonly Protocol[] = ${JSON.stringify(described, null, 1)};`,
    '',
  ].join('\n');
}
