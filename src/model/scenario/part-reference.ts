/** The reference of all parts as Markdown, generated from the manifests. */
import { PROTOCOLS } from '../../engine/gen/protocols';
import type { Message, ParamSpec, PartType, Protocol } from '../../engine/manifest';
import { type Catalogue, ENGINE_PARTS } from './catalogue';
import { CHECKER_TYPES } from './monitors';
import { ruleText } from './param-rules';
import { toText } from './values';

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row), ''];
}

const code = (text: string) => `\`${text}\``;

function paramsOf(part: PartType): string[] {
  const { params, enums } = part;
  const rule = (spec: ParamSpec) => {
    const words = ruleText(spec, part);
    return words ? `; ${words}` : '';
  };
  const text = (value: string, type: string) => toText(BigInt(value), type, enums);
  return table(
    ['parameter', 'default', 'range', 'live', 'what it is', 'basis'],
    params.map((spec) => [
      code(spec.name),
      text(spec.default, spec.type),
      enums[spec.type]
        ? (enums[spec.type]?.map((member) => member.name).join(', ') ?? '')
        : spec.type === 'flag'
          ? ''
          : `${text(spec.min, spec.type)} to ${text(spec.max, spec.type)}${rule(spec)}`,
      spec.change === 'live' ? 'yes' : '',
      spec.doc,
      spec.source ? `${spec.basis}: ${spec.source}` : spec.basis,
    ]),
  );
}

function tablesOf({ tables, enums }: PartType): string[] {
  return tables.flatMap((one) => [
    `Table ${code(one.name)}: ${one.doc}`,
    '',
    ...table(
      ['field', 'type', 'what it is'],
      one.fields.map((field) => [code(field.name), field.type, field.doc]),
    ),
    ...one.fields
      .filter((field) => field.name === 'do')
      .flatMap((field) =>
        table(
          ['operation', 'what it does'],
          (enums[field.type] ?? []).map((member) => [code(member.name), member.doc]),
        ),
      ),
  ]);
}

function partOf(type: PartType): string[] {
  return [
    `## ${type.title} (${code(type.name)})`,
    '',
    type.layer === 'verify' ? `${type.doc} ${CHECKER_TYPES}` : type.doc,
    '',
    ...paramsOf(type),
    ...tablesOf(type),
    ...table(
      ['port', 'places', 'protocol', 'what it joins'],
      type.ports.map((port) => [
        code(port.name) + (port.required ? ', required' : ''),
        String(port.count),
        `${code(port.protocol)}, ${port.role}`,
        port.doc,
      ]),
    ),
    ...table(
      ['counter', 'unit', 'what it counts'],
      type.counters.map((counter) => [code(counter.name), counter.unit, counter.doc]),
    ),
    ...table(
      ['event', 'sentence'],
      type.events.map((event) => [code(event.name), event.text]),
    ),
  ];
}

/** A message with its fields, in the form of a function declaration. */
function messageOf(
  { name, from, timed, doc, in: inputs, out, answer, after }: Message,
  of: Protocol,
) {
  const list = (fields: Message['in']) => fields.map((field) => field.name).join(', ');
  const answers = [list(out), answer ?? ''].filter(Boolean).join('; ');
  return [
    code(name),
    of.roles[from] ?? from,
    timed ? 'timed' : 'call',
    list(inputs),
    answers,
    after ? `${doc} Comes after ${code(after)}.` : doc,
  ];
}

function protocolOf(protocol: Protocol): string[] {
  const carried = protocol.includes.map(({ protocol: name }) => code(name));
  return [
    `## ${protocol.title} (${code(protocol.name)})`,
    '',
    `${protocol.doc} Server: ${protocol.roles.server}; client: ${protocol.roles.client}.${carried.length ? ` It also carries ${carried.join(', ')}.` : ''}`,
    '',
    ...table(
      ['message', 'sender', 'kind', 'fields', 'answer', 'meaning'],
      protocol.messages.map((message) => messageOf(message, protocol)),
    ),
  ];
}

export function referenceMarkdown(catalogue: Catalogue = ENGINE_PARTS): string {
  const types = [...catalogue.types.values()];
  return [
    '# Parts',
    '',
    'Generated from the manifests next to the code of each part by `npm run -s busyard -- reference`.',
    '',
    ...types.map((type) => `* [${type.title}](#${anchor(type)}): ${type.doc}`),
    '',
    ...types.flatMap(partOf),
    '# Protocols',
    '',
    'The messages of the wires. A call is answered at once; a timed message goes through the event queue.',
    '',
    ...PROTOCOLS.flatMap(protocolOf),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

/** The anchor that Markdown viewers generate for a part's heading. */
const anchor = ({ title, name }: PartType) =>
  `${title} ${name}`
    .toLowerCase()
    .replace(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');
