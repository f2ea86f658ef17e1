/** The reference of all parts as Markdown, from the manifests: nothing in it is written twice. */
import type { ParamSpec, PartType } from '../engine/manifest';
import { type Catalogue, ENGINE_PARTS } from './catalogue';
import { ruleText } from './rules';
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
    type.doc,
    '',
    ...paramsOf(type),
    ...tablesOf(type),
    ...table(
      ['port', 'places', 'what it joins'],
      type.ports.map((port) => [
        code(port.name) + (port.required ? ', required' : ''),
        String(port.count),
        port.doc,
      ]),
    ),
    ...table(
      ['counter', 'unit', 'what it counts'],
      type.counters.map((counter) => [code(counter.name), counter.unit, counter.doc]),
    ),
    ...table(
      ['event', 'sentence'],
      type.events.map((event) => [code(event.name), event.sentence]),
    ),
  ];
}

export function referenceMarkdown(catalogue: Catalogue = ENGINE_PARTS): string {
  const types = [...catalogue.types.values()];
  return [
    '# Parts',
    '',
    'Made from the manifests beside the code of each part; `npm run -s busyard -- reference` prints it anew.',
    '',
    ...types.map((type) => `* [${type.title}](#${anchor(type)}): ${type.doc}`),
    '',
    ...types.flatMap(partOf),
  ]
    .join('\n')
    .replace(/\n+$/, '\n');
}

/** The anchor that Markdown viewers make of a part's heading. */
const anchor = ({ title, name }: PartType) =>
  `${title} ${name}`
    .toLowerCase()
    .replace(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-');
