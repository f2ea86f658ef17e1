/** Manifests -> wasm/gen/registry.h: every part type with its code, and the switches that dispatch to it. */
import { countsOf } from './layout.mjs';
import { cAsk, contextOf, prototypes, receivesEvents, switches } from './protocols.mjs';

/* A C function of (type, index) from rows [index, value]; zero where there is none. */
function cLookup(name, comment, parts, rows) {
  return [
    `/* ${comment} */`,
    `static SIM_COLD uint32_t ${name}(uint32_t type, uint32_t index) {`,
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

/* Checker parts are excluded from the engine that runs machines. */
const whereBuilt = (part, lines, otherwise = []) =>
  part.layer === 'verify' && lines.length > 0
    ? [
        '#ifdef SIM_CHECKS',
        ...lines,
        ...(otherwise.length ? ['#else', ...otherwise] : []),
        '#endif',
      ]
    : lines;

/* A switch over part types: direct calls, which the compiler can inline, unlike a table of pointers. */
function cDispatch(linkage, result, name, parameters, args, parts, otherwise) {
  const give = result === 'void' ? (call) => `${call}; return;` : (call) => `return ${call};`;
  return [
    `${linkage} ${result} sim_dispatch_${name}(uint32_t type, sim *m, uint32_t self, ${parameters}) {`,
    '  switch (type) {',
    ...parts.flatMap((part) =>
      whereBuilt(part, [
        `    case ${part.id}: ${give(`${part.name}_${name}(m, ${contextOf(part)}, ${args})`)}`,
      ]),
    ),
    '  }',
    `  ${otherwise};`,
    '}',
    '',
  ];
}

const asked = (protocols, inline) =>
  protocols.flatMap(({ messages }) =>
    messages.filter((message) => !message.timed && message.inline === inline),
  );

const written = (protocols, parts, messages) =>
  messages.flatMap((message) => cAsk(protocols, parts, message, whereBuilt));

/** How the core reaches a part: frequent calls, messages, and exploration. */
function dispatches(parts, protocols) {
  return [
    ...written(protocols, parts, asked(protocols, true)),
    '',
    ...cDispatch(
      'SIM_INLINE',
      'void',
      'on',
      'const sim_msg *msg',
      'msg',
      parts,
      '__builtin_unreachable()',
    ),
    ...cDispatch(
      'static inline',
      'uint32_t',
      'enabled',
      'const sim_msg *msg',
      'msg',
      parts.filter((part) => part.serializable && receivesEvents(protocols, part)),
      '__builtin_trap()',
    ),
    ...cDispatch(
      'static inline',
      'void',
      'serialize',
      'struct sim_codec *k',
      'k',
      parts.filter((part) => part.serializable),
      '__builtin_trap()',
    ),
  ];
}

/** Type data for the loader, optimised for size rather than speed. */
function lookups(parts, protocols) {
  const names = protocols.map((protocol) => protocol.name);
  return [
    ...cLookup('sim_table_fields', 'Fields of each table.', parts, (part) =>
      part.tables.map((table, i) => [i, table.fields.length]),
    ),
    ...cLookup(
      'sim_protocol',
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
    ...cLookup('sim_required', 'Ports that must be wired.', parts, (part) =>
      part.ports.filter((port) => port.required).map((port) => [port.first, 1]),
    ),
  ];
}

/** The range of every parameter, checked wherever a value enters, and whether it can change during a run. */
function ranges(parts) {
  const rows = parts.flatMap(({ params }) =>
    params.map(({ min, max, change }) => `  {${min}ull, ${max}ull, ${Number(change === 'live')}},`),
  );
  const firsts = [0];
  for (const { params } of parts) firsts.push((firsts.at(-1) ?? 0) + params.length);
  return [
    '/* Minimum and maximum of every parameter, type by type, and whether it can change during a run. */',
    'struct sim_range {',
    '  uint64_t least, most, live;',
    '};',
    'static const struct sim_range sim_ranges[] = {',
    ...rows,
    '};',
    'static const uint16_t sim_first_range[SIM_TYPE_COUNT] = {',
    `  ${firsts.slice(0, -1).join(', ')},`,
    '};',
    '',
  ];
}

/** Rules that relate parameters of a part to numbers and to each other; independent violations are reported first. */
function rules(parts) {
  const related = ({ rule }) =>
    Number(![...rule.of, ...rule.atMost].every((one) => /^\d/.test(one)));
  const broken = ({ params }) =>
    params
      .filter(({ rule }) => rule)
      .sort((a, b) => related(a) - related(b))
      .map((param) => {
        const { rule } = param;
        const i = params.indexOf(param);
        const term = (one) =>
          /^\d/.test(one) ? `${one}ull` : `q[${params.findIndex(({ name }) => name === one)}]`;
        const unit = rule.of.map(term).join(' * ') || '1';
        const shape = `!sim_param_is_legal(q[${i}], ${unit}, ${Number(rule.powerOfTwo)}, ${Number(rule.mask)})`;
        const most = rule.atMost.map(term).join(' + ');
        return `      if (${shape}${most && ` || q[${i}] > ${most}`}) return ${i};`;
      });
  return [
    '/* Whether a value is a multiple of the unit, by a power of two if required; a mask is one less than that. */',
    'static int sim_param_is_legal(uint64_t value, uint64_t unit, int power, int mask) {',
    '  uint64_t sum = value + (uint64_t)mask, times = sum / unit;',
    '  if (sum < value) return 1; /* less one than 2^64 */',
    '  return sum % unit == 0 && (!power || (times && !(times & (times - 1))));',
    '}',
    '',
    '/* The first parameter that violates a rule of its manifest, given values within their ranges; SIM_NONE if none does. */',
    'static SIM_COLD uint32_t sim_rule_violation(uint32_t type, const uint64_t *q) {',
    '  switch (type) {',
    ...parts.flatMap((part) => {
      const lines = broken(part);
      return lines.length > 0 ? [`    case ${part.id}:`, ...lines, '      break;'] : [];
    }),
    '  }',
    '  return SIM_NONE;',
    '}',
    '',
  ];
}

/** The maximum number of messages in flight of a part, from its parameters and wires. */
function queueCapacity(parts) {
  const factor = ({ param, first, count }) =>
    param === undefined ? ` * sim_wires_of(m, id, ${first}, ${count})` : ` * q[${param}]`;
  const sum = (rows) =>
    rows.map(({ messages, factors }) => `${messages}${factors.map(factor).join('')}`).join(' + ');
  return [
    '/* Maximum messages in flight of a part: to itself, and in both directions on the wires of which it is the client. */',
    'static SIM_COLD uint64_t sim_queue_capacity(sim *m, uint32_t id) {',
    '  const uint64_t *q = sim_at(m, sim_part(m, id)->params_at);',
    '  (void)q;',
    '  switch (sim_part(m, id)->type) {',
    ...parts
      .filter((part) => part.queueCapacity.length > 0)
      .map((part) => `    case ${part.id}: return ${sum(part.queueCapacity)};`),
    '  }',
    '  return 0;',
    '}',
    '',
  ];
}

/** The slots of a trace record that each kind of event fills, for tests: the others are zero. */
export function eventsHeader(parts) {
  const bits = ({ fields }) =>
    fields.reduce((sum, { slot }) => sum | (1 << 'abc'.indexOf(slot)), 0);
  return [
    '/* Made from the manifests by scripts/generate.mjs: bits of the slots that an event of each kind fills. */',
    'static const uint8_t sim_event_slots[] = {',
    ...parts.flatMap(({ events }) => events.map((event) => `  [${event.kind}] = ${bits(event)},`)),
    '};',
    '',
  ].join('\n');
}

/** What the handlers of each part get: its state, parameters and counters by their types. */
export function contextsHeader(parts) {
  return [
    '/* Made from the manifests by scripts/generate.mjs: a part as its handlers get it. */',
    '#ifndef SIM_GEN_CONTEXTS_H',
    '#define SIM_GEN_CONTEXTS_H',
    '',
    ...parts.flatMap(({ name, title }) => [
      `/* ${title} */`,
      `struct ${name} {`,
      `  struct ${name}_state *state;`,
      `  const struct ${name}_params *params;`,
      `  struct ${name}_counters *counters;`,
      '  uint32_t self;',
      '};',
      `_Static_assert(sizeof(struct ${name}) == sizeof(struct sim_context), "layout");`,
      '',
    ]),
    '#endif',
    '',
  ].join('\n');
}

/** Infrequent calls, as shared functions; tests, which see the parts' code, are linked to them. */
export function callsHeader(parts, protocols) {
  return [
    '/* Made from wasm/protocols by scripts/generate.mjs: who answers what. */',
    '#include "gen/registry.h"',
    '',
    ...written(protocols, parts, asked(protocols, false)),
    '',
  ].join('\n');
}

export function registryHeader(parts, protocols) {
  const row = (part) => {
    const ports = part.ports.reduce((sum, port) => sum + port.count, 0);
    const numbers = [part.params, part.counters, part.tables, part.views].map(
      (list) => list.length,
    );
    const code = [
      `${part.name}_load`,
      part.onParamChange ? `${part.name}_on_param_change` : 'NULL',
    ];
    return `  {${[...code, ...numbers, ports].join(', ')}},`;
  };
  return [
    '/* Made from the manifests by scripts/generate.mjs: every part type, its code and its numbers. */',
    '#ifndef SIM_GEN_REGISTRY_H',
    '#define SIM_GEN_REGISTRY_H',
    '',
    '#include "core/engine.h"',
    '#include "core/reentrancy.h"',
    '#include "core/state_codec.h"',
    '#include "gen/protocols.h"',
    '',
    '/* Counters of enum values of protocols. */',
    ...countsOf(parts),
    '/* Functions called at load and between events are compiled for size, not speed. */',
    ...parts.flatMap((part) =>
      whereBuilt(part, [
        `static int ${part.name}_load(sim *m, uint32_t self) SIM_COLD;`,
        ...(part.onParamChange
          ? [`static void ${part.name}_on_param_change(sim *m, uint32_t self) SIM_COLD;`]
          : []),
        ...prototypes(protocols, part),
      ]),
    ),
    '',
    ...parts.flatMap((part) => whereBuilt(part, [`#include "${part.code}"`])),
    '',
    ...parts.flatMap((part) => whereBuilt(part, switches(protocols, part))),
    '/* A type without code is excluded from this build. */',
    'static const sim_type sim_types[SIM_TYPE_COUNT] = {',
    ...parts.flatMap((part) => whereBuilt(part, [row(part)], ['  {0},'])),
    '};',
    '',
    ...dispatches(parts, protocols),
    ...ranges(parts),
    ...rules(parts),
    ...queueCapacity(parts),
    ...lookups(parts, protocols),
    '#endif',
    '',
  ].join('\n');
}
