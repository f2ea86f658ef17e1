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
import { Segmented } from '../../widgets/Segmented';
import styles from './Palette.module.css';
import { add, type BuildState, build } from './state';
import { useBuild } from './useBuild';
import { usePartDrag } from './usePartDrag';

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

type Arrangement = 'kind' | 'bus';

const ARRANGEMENTS = [
  { value: 'kind', title: 'by kind', hint: 'Processors, buses, memories and so on' },
  { value: 'bus', title: 'by bus', hint: 'For each bus the parts that can be wired to it' },
] as const;

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

const fits = (one: PartType, other: PartType): boolean =>
  one.ports.some(({ protocol, role }) =>
    other.ports.some((port) => port.protocol === protocol && port.role !== role),
  );

/** A group for each bus with the parts that can be wired to it, and one for the parts that go with none. */
function busGroups(all: readonly PartType[]): readonly (typeof GROUPS)[number][] {
  const buses = all.filter(({ actor }) => actor === 'bus');
  return [
    ...buses.map((bus) => ({
      title: `Goes with ${bus.title}`,
      has: (type: PartType) => type === bus || fits(type, bus),
    })),
    {
      title: 'Goes with no bus',
      has: (type: PartType) => !buses.some((bus) => type === bus || fits(type, bus)),
    },
  ];
}

/** The kinds of parts by group, with their search words. */
function groupsOf(terms: readonly Term[], by: Arrangement) {
  const all = [...ENGINE_PARTS.types.values()].filter(
    (type) => isPart(type) && GROUPS.some(({ has }) => has(type)),
  );
  return (by === 'bus' ? busGroups(all) : GROUPS).map(({ title, has }) => {
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
  const [by, setBy] = useState<Arrangement>('kind');
  const groups = useMemo(() => groupsOf(terms, by), [terms, by]);
  const known = usePartners();
  const shown = matchEntries(groups, words);
  const isSearch = words.trim() !== '';
  const first = shown[0]?.[1][0];
  const protocol = from && protocolOf(from.part, from.port);
  return (
    <Panel
      title="Parts"
      sub={`${new Set(groups.flatMap(([, some]) => some.map(({ type }) => type))).size}, from their manifests`}
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
        <Segmented
          label="Parts arranged"
          options={ARRANGEMENTS}
          value={by}
          onChange={(value) => setBy(value === 'bus' ? 'bus' : 'kind')}
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
        {types.map((type) => (
          <li key={type.name}>
            <Kind
              type={type}
              protocol={protocol}
              with={known.get(type.name)}
              explained={explained}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}

interface KindProps extends Pick<GroupProps, 'protocol' | 'explained'> {
  readonly type: PartType;
  readonly with: string | undefined;
}

/** One press adds a part at the best place; dragged onto the drawing, it stands where it is dropped. */
function Kind({ type, protocol, with: partner, explained }: KindProps) {
  const protocols = protocolsOf(type);
  const drag = usePartDrag(type.name);
  return (
    <button
      type="button"
      title={type.doc}
      aria-label={`Add ${type.title}, ${protocols.join(', ')}`}
      data-wanted={(protocol && protocols.includes(protocol)) || undefined}
      {...drag}
    >
      <ActorSign actor={type.actor === 'device' ? 'disk' : type.actor} />
      <span>{type.title}</span>
      <code data-many={protocols.length > 2 || undefined}>{protocols.join(', ')}</code>
      {partner && <small>with {partner}</small>}
      {explained && <small>{type.doc}</small>}
    </button>
  );
}
