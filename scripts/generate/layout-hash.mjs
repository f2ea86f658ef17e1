/** One hash for the binary layout shared by engine, page and saved states. */
import { createHash } from 'node:crypto';

const values = (object) => Object.values(object);

/** The kind of a value, without the name of its enum. */
const valueType = (type) => (type.startsWith('enum:') ? 'enum' : type);

const places = (fields = []) => fields.map(({ at }) => at);

const partShape = ({ constants, params, counters, tables, views, ports, events, enums }) => [
  values(constants),
  params.map(({ type, min, max, change }) => [valueType(type), min, max, change]),
  counters.length,
  tables.map(({ fields }) => fields.map(({ type }) => valueType(type))),
  views.map(({ fields }) =>
    fields.map(({ bits, parts = [] }) => [bits, parts.map((part) => [part.at, part.bits])]),
  ),
  ports.map(({ first, count, role }) => [first, count, role]),
  events.map(({ kind, fields }) => [kind, fields.map(({ slot }) => slot)]),
  values(enums).map((members) => members.length),
];

const protocolShape = ({ messages }) =>
  messages.map((message) => [message.kind, message.from, places(message.in), places(message.out)]);

const registersShape = ({ map = [], numbers = [], entry }) => [
  places(map),
  numbers.map(({ is }) => is),
  entry?.fields.map(({ bits }) => bits),
];

const abiShape = ({ constants, enums, structs }) => [
  values(constants),
  enums.map(({ members }) => members.length),
  structs.map(({ fields }) => fields.map(({ at, one }) => [at, one])),
];

/**
 * What two builds must agree on to exchange sessions and states: order, number, width and range. Names and
 * documentation are excluded, so a rename does not invalidate saved sessions.
 */
export function layoutHash({ parts, protocols, registers, abi }) {
  const shape = [
    parts.map(partShape),
    protocols.map(protocolShape),
    registers.map(registersShape),
    abiShape(abi),
  ];
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 8);
}
