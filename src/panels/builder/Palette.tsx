import { useEffect, useMemo, useState } from 'react';
import { whileBusy } from '../../base/activity';
import { matchEntries } from '../../base/fuzzy-match';
import { runInSlices } from '../../base/tasks';
import type { PartType } from '../../engine/manifest';
import { partnerSteps } from '../../model/builder/offers';
import { ENGINE_PARTS } from '../../model/scenario/catalogue';
import { type Term, termMentions } from '../../model/trace/terms';
import { ActorSign } from '../../widgets/ActorSign';
import { useTerms } from '../../widgets/GlossaryText';
import { Panel } from '../../widgets/Panel';
import { Roving } from '../../widgets/Roving';
import { Section } from '../../widgets/Section';
import styles from './Palette.module.css';
import { add, type BuildState, build } from './state';
import { useBuild } from './useBuild';

/** Monitors and testbenches are not parts of a machine. */
const isPart = ({ layer, ports }: PartType) => layer !== 'check' && ports.length > 0;

const GROUPS: readonly { readonly title: string; readonly has: (type: PartType) => boolean }[] = [
  { title: 'Processor and cache', has: ({ actor }) => actor === 'cpu' },
  { title: 'Bus', has: ({ actor }) => actor === 'bus' },
  { title: 'Memory', has: ({ actor }) => actor === 'mem' },
  { title: 'Bridge, adapter, translation', has: ({ actor }) => actor === 'adapter' },
  { title: 'Device', has: ({ actor }) => ['device', 'card', 'lan'].includes(actor) },
  { title: 'Operating system', has: ({ actor }) => actor === 'os' },
];

/** "Runway" for a cache: the kinds of parts to which a kind must be wired. */
const partners = new Map<string, string>();

/** Fills `partners`, which takes a few hundred milliseconds, over several tasks. */
function usePartners(): ReadonlyMap<string, string> {
  const [, setKnown] = useState(partners.size);
  useEffect(() => {
    const types = [...ENGINE_PARTS.types.values()].filter(isPart);
    function* all() {
      for (const type of types)
        if (!partners.has(type.name))
          partners.set(type.name, (yield* partnerSteps(type)).join('; '));
      setKnown(partners.size);
    }
    if (partners.size < types.length) void whileBusy(runInSlices(all()));
  }, []);
  return partners;
}

const protocolsOf = ({ ports }: PartType) => [...new Set(ports.map(({ protocol }) => protocol))];

/** Search words of a kind besides its title: ports, parameters, and the terms of its description. */
function wordsOf({ name, title, doc, ports, params }: PartType, terms: readonly Term[]): string[] {
  const own = [name, title, ...ports.map(({ protocol }) => protocol)];
  const texts = [doc, ...ports.map((port) => port.doc), ...params.map((param) => param.title)];
  const meant = termMentions([...own, ...texts].join('\n'), terms).flatMap(
    ({ term }) => term.forms,
  );
  return [...own, ...texts, ...meant];
}

/** The kinds of parts by group, with their search words. */
function groupsOf(terms: readonly Term[]) {
  const all = [...ENGINE_PARTS.types.values()].filter(isPart);
  return GROUPS.map(({ title, has }) => {
    const entries = all
      .filter(has)
      .map((type) => ({ title: type.title, keywords: wordsOf(type, terms), type }));
    return [title, entries] as const;
  });
}

/** All kinds of parts, from their manifests. One press adds one. */
export default function Palette() {
  const [words, setWords] = useState('');
  const from = useBuild((state: BuildState) => state.from);
  const terms = useTerms();
  const groups = useMemo(() => groupsOf(terms), [terms]);
  const known = usePartners();
  const shown = matchEntries(groups, words);
  const isSearch = words.trim() !== '';
  const first = shown[0]?.[1][0];
  const protocol = from && protocolOf(from.part, from.port);
  return (
    <Panel
      title="Parts"
      sub={`${groups.flatMap(([, some]) => some).length}, from their manifests`}
      scroll
    >
      <div className={styles.find}>
        <input
          type="search"
          aria-label="Find a part"
          placeholder="Part, port, parameter, word"
          value={words}
          aria-description="Enter adds the first part shown"
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && isSearch && first) add(first.type.name);
          }}
        />
      </div>
      <Roving>
        {shown.map(([title, entries]) => (
          <Group
            key={title}
            title={title}
            types={entries.map(({ type }) => type)}
            protocol={protocol}
            known={known}
            explained={isSearch}
          />
        ))}
      </Roving>
      {shown.length === 0 && <p className={styles.none}>No part has such a name or description.</p>}
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
  /** Protocol of the wire being drawn; parts with that protocol are marked. */
  readonly protocol: string | null;
  /** The kinds that each kind must be wired to. */
  readonly known: ReadonlyMap<string, string>;
  /** Whether descriptions are shown, since the searched words may occur only there. */
  readonly explained: boolean;
}

function Group({ title, types, protocol, known, explained }: GroupProps) {
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
                data-wanted={(protocol && protocols.includes(protocol)) || undefined}
                onClick={() => add(type.name)}
              >
                <ActorSign actor={type.actor === 'device' ? 'disk' : type.actor} />
                <span>{type.title}</span>
                <code data-many={protocols.length > 2 || undefined}>{protocols.join(', ')}</code>
                {known.get(type.name) && <small>with {known.get(type.name)}</small>}
                {explained && <small>{type.doc}</small>}
              </button>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
