import { useState } from 'react';
import type { PartType } from '../../engine/manifest';
import { ENGINE_PARTS } from '../../model/scenario/catalogue';
import { ActorSign } from '../../widgets/ActorSign';
import { Panel } from '../../widgets/Panel';
import { Section } from '../../widgets/Section';
import styles from './Palette.module.css';
import { add, type BuildState, build } from './state';
import { useBuild } from './useBuild';

/** Parts of the engine that check others are no parts of a machine. */
const isPart = ({ layer, ports }: PartType) => layer !== 'check' && ports.length > 0;

const GROUPS: readonly { readonly title: string; readonly has: (type: PartType) => boolean }[] = [
  { title: 'Processor and cache', has: ({ actor }) => actor === 'cpu' },
  { title: 'Bus', has: ({ actor }) => actor === 'bus' },
  { title: 'Memory', has: ({ actor }) => actor === 'mem' },
  { title: 'Bridge, adapter, translation', has: ({ actor }) => actor === 'adapter' },
  { title: 'Device', has: ({ actor }) => ['device', 'card', 'lan'].includes(actor) },
  { title: 'Operating system', has: ({ actor }) => actor === 'os' },
];

const protocolsOf = ({ ports }: PartType) => [...new Set(ports.map(({ protocol }) => protocol))];

const matches = (type: PartType, words: string): boolean =>
  [type.name, type.title, ...protocolsOf(type)].join(' ').toLowerCase().includes(words);

/** The kinds of parts that there are, from their manifests. One press adds one. */
export default function Palette() {
  const [words, setWords] = useState('');
  const from = useBuild((state: BuildState) => state.from);
  const all = [...ENGINE_PARTS.types.values()].filter(isPart);
  const shown = all.filter((type) => matches(type, words.trim().toLowerCase()));
  const wanted = from && protocolOf(from.part, from.port);
  return (
    <Panel title="Parts" sub={`${all.length}, from their manifests`} scroll>
      <div className={styles.find}>
        <input
          type="search"
          aria-label="Find a part"
          placeholder="Part, port or protocol"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </div>
      {GROUPS.map(({ title, has }) => (
        <Group key={title} title={title} types={shown.filter(has)} wanted={wanted} />
      ))}
      {shown.length === 0 && <p className={styles.none}>No part has “{words}” in it.</p>}
    </Panel>
  );
}

function protocolOf(part: string, port: string): string | null {
  const found = build.getState().draft.parts.find(({ name }) => name === part);
  return found?.type.ports.find(({ name }) => name === port)?.protocol ?? null;
}

interface GroupProps {
  readonly title: string;
  readonly types: readonly PartType[];
  /** The protocol of the wire that is being drawn: parts that speak it are marked. */
  readonly wanted: string | null;
}

function Group({ title, types, wanted }: GroupProps) {
  if (types.length === 0) return null;
  return (
    <Section title={title}>
      <ul className={styles.parts}>
        {types.map((type) => {
          const protocols = protocolsOf(type);
          return (
            <li key={type.name}>
              <button
                type="button"
                title={type.doc}
                aria-label={`Add ${type.title}, ${protocols.join(', ')}`}
                data-wanted={(wanted && protocols.includes(wanted)) || undefined}
                onClick={() => add(type.name)}
              >
                <ActorSign actor={type.actor === 'device' ? 'disk' : type.actor} />
                <span>{type.title}</span>
                <code>{protocols.join(', ')}</code>
              </button>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
