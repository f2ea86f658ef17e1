/**
 * Names of manifests -> src/engine/gen/names.ts: types only. Code names parts, events and parameters by
 * these types, so a renamed manifest entry fails the type check wherever the old name is used.
 */

const union = (name, doc, members) => {
  const sorted = [...new Set(members)].sort();
  return [
    `/** ${doc} */`,
    `export type ${name} =`,
    ...sorted.map((member) => `  | '${member}'`),
    ';',
    '',
  ];
};

const names = (rows) => rows.map(({ name }) => name);

/** "part.row" for each row of a list of each part. */
const paths = (parts, list) =>
  parts.flatMap((part) => part[list].map(({ name }) => `${part.name}.${name}`));

const members = (parts) => parts.flatMap(({ enums }) => Object.values(enums).flatMap(names));

export function namesTs(parts, protocols) {
  const all = (list) => parts.flatMap((part) => names(part[list]));
  const fields = (list) => parts.flatMap((part) => part[list].flatMap((row) => names(row.fields)));
  return [
    '/* Made from the manifests by scripts/generate.mjs. */',
    '',
    ...union('PartName', 'A type of part.', names(parts)),
    ...union('ProtocolName', 'A protocol.', names(protocols)),
    ...union('EventName', 'An event of a part: "part.event".', paths(parts, 'events')),
    ...union('EventWord', 'The name of an event in its part.', all('events')),
    ...union('EventField', 'A field of an event.', fields('events')),
    ...union('ParamPath', 'A parameter of a part: "part.param".', paths(parts, 'params')),
    ...union('ParamName', 'The name of a parameter in its part.', all('params')),
    ...union('CounterName', 'The name of a counter in its part.', all('counters')),
    ...union('ViewName', 'The name of a view in its part.', all('views')),
    ...union('ViewField', 'A field of a view.', fields('views')),
    ...union('TrackName', 'The name of a track in its part.', all('tracks')),
    ...union('MemberName', 'A member of an enum: a state, a kind, a choice.', members(parts)),
  ].join('\n');
}
