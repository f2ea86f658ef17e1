import { Command } from 'cmdk';
import { useEffect, useRef, useState } from 'react';
import { type Command as Action, commands, isAvailable } from '../base/commands';
import { matchEntries } from '../base/fuzzy-match';
import { navigate, parseFragment, route } from '../base/route';
import { useStore } from '../controllers/useStore';
import { glossary, loadGlossary } from '../model/lesson/glossary';
import type { CompiledMachine } from '../model/scenario/compiled';
import { wordsOfScenario } from '../model/scenario/scenario-words';
import { listScenarios, systemTitle } from '../model/scenario/scenarios';
import { select } from '../model/session/selection';
import { session } from '../model/session/session';
import { eventWords } from '../model/trace/event-words';
import type { Term } from '../model/trace/terms';
import { Dialog } from '../widgets/Dialog';
import { Kbd } from '../widgets/Kbd';
import { focusPanel } from './focus';
import styles from './Palette.module.css';
import { takeTyped } from './typeAhead';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly hint?: string | undefined;
  readonly keys?: string | undefined;
  readonly keywords: readonly string[];
  readonly weight?: number;
  /** The command is unavailable here; the hint says why. */
  readonly disabled?: boolean;
  run(): void;
}

/** Finds scenarios, terms and commands by the beginnings of words. */
export default function Palette({ onClose }: { onClose(): void }) {
  const all = useStore(commands);
  // Availability may depend on what had the focus before the palette opened.
  const { terms } = useStore(glossary);
  const [query, setQuery] = useState('');
  const [isEntered, setIsEntered] = useState(false);
  const machine = useStore(session, (state) => state.machine);
  const view = useStore(route, (state) => state.view);
  const sections = groups(all.filter((command) => !command.keyOnly && isAvailable(command)));
  if (terms.length > 0) sections.set('Words', terms.map(termRow));
  if (query !== '' && machine && view === 'machine')
    sections.set('Parts and parameters', partRows(machine));
  if (query !== '') sections.set('Not available here', unavailableRows(all));
  const results = [
    ...addressRows(query, machine !== null && view === 'machine'),
    ...matchEntries([...sections], query),
  ];
  const list = useRef<HTMLDivElement>(null);
  // The best match is selected and comes first. The list scrolls to it only after it is rendered.
  const ask = (text: string) => {
    setQuery(text);
    requestAnimationFrame(() => list.current?.scrollTo({ top: 0 }));
  };
  useEffect(() => {
    loadGlossary();
    const typed = takeTyped();
    setQuery(typed.text);
    setIsEntered(typed.isEntered);
    document.querySelector<HTMLElement>('[cmdk-input]')?.focus();
  }, []);
  const choose = (row: Row | undefined) => {
    if (!row) return;
    onClose();
    row.run();
  };
  const best = results.flatMap(([, rows]) => rows).find(({ disabled }) => !disabled);
  // Enter was pressed before the palette was shown: its results are those of the typed letters now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: chooses once, when Enter is known
  useEffect(() => {
    if (isEntered) choose(best);
  }, [isEntered]);
  return (
    <Dialog title="Find or do anything" hideTitle onClose={onClose}>
      <Command className={styles.palette} label="Find or do anything" loop shouldFilter={false}>
        <Command.Input
          className={styles.input}
          placeholder="Find or do anything"
          value={query}
          onValueChange={ask}
        />
        <Command.List ref={list} className={styles.list} label="Results">
          {results.length === 0 && <p className={styles.empty}>Nothing matches.</p>}
          {results.map(([section, rows]) => (
            <Command.Group key={section} heading={section} className={styles.group}>
              {rows.map((row) => (
                <Command.Item
                  key={row.id}
                  value={row.id}
                  disabled={row.disabled ?? false}
                  className={styles.item}
                  onSelect={() => choose(row)}
                >
                  <span>{row.title}</span>
                  {row.hint && <em>{row.hint}</em>}
                  {row.keys && <Kbd keys={row.keys} />}
                </Command.Item>
              ))}
            </Command.Group>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}

function groups(available: readonly Action[]): Map<string, Row[]> {
  const sections = new Map<string, Row[]>([['Scenarios', scenarioRows()]]);
  for (const command of available) {
    const { id, title, hint, keys, keywords = [], menu = '', section, run } = command;
    const rows = sections.get(section) ?? [];
    rows.push({ id, title, hint, keys: keys?.[0], keywords: [...keywords, menu], run });
    sections.set(section, rows);
  }
  if (sections.get('Scenarios')?.length === 0) sections.delete('Scenarios');
  return sections;
}

/** Commands of panels that are not open. */
const ELSEWHERE = [
  { id: 'lab.csv', title: 'Export the runs as CSV', unavailable: 'open a lab with a chart first' },
  { id: 'lab.svg', title: 'Export the chart as SVG', unavailable: 'open a lab with a chart first' },
  { id: 'bus.vcd', title: 'Save VCD', unavailable: 'open a machine with a PCI bus first' },
];

/** Unavailable commands, each with the reason. */
function unavailableRows(all: readonly Action[]): Row[] {
  const elsewhere = ELSEWHERE.filter(({ id }) => !all.some((command) => command.id === id));
  const refused = all.filter((command) => command.unavailable && !isAvailable(command));
  return [...refused, ...elsewhere].map(({ id, title, unavailable, ...command }) => ({
    id,
    title,
    hint: unavailable,
    keywords: 'keywords' in command ? (command.keywords ?? []) : [],
    weight: 0.25,
    disabled: true,
    run() {},
  }));
}

/** Target of an address: a place of the page (`#/machine/gt/gfixit`) or a memory address (`0x1000`). */
function addressRows(query: string, hasRun: boolean): [string, Row[]][] {
  const text = query.trim();
  const [, fragment] = /^(?:https?:\/\/\S*?)?(#\S+)$/.exec(text) ?? [];
  if (fragment !== undefined && parseFragment(fragment).kind !== 'unknown') {
    const run = () => {
      location.hash = fragment;
    };
    return [['Address', [{ id: 'address', title: `Go to ${fragment}`, keywords: [], run }]]];
  }
  if (!hasRun || !/^0x[0-9a-f]+(-0x[0-9a-f]+)?$/i.test(text)) return [];
  const range = text.includes('-') ? text : `${text}-${text}`;
  const run = () => {
    eventWords.setState({ words: range });
    // A closing dialog returns the focus first.
    setTimeout(() => focusPanel('events', 'input[type=search]'));
  };
  const title = `Find events at ${text}`;
  return [['Address', [{ id: 'address', title, hint: 'Events', keywords: [], run }]]];
}

const termRow = ({ term, theme, forms, what }: Term): Row => ({
  id: `term.${term}`,
  title: term,
  hint: 'Glossary',
  keywords: [...forms, theme, what],
  weight: 0.85,
  run: () => navigate({ view: 'glossary', params: { term } }),
});

const scenarioRows = (): Row[] =>
  listScenarios().map(({ id, title, system, kind, summary }) => ({
    id,
    title,
    hint: systemTitle(system),
    keywords: [id, systemTitle(system), summary, wordsOfScenario(id)],
    // A word of its text counts less than a command's own.
    weight: 0.95,
    run: () => navigate({ view: kind, scenario: id }),
  }));

/** Parts of the open machine and their parameters; the inspector shows the chosen one. */
const partRows = (machine: CompiledMachine): Row[] =>
  machine.parts.flatMap(({ index, name, title, type, params }) => {
    const run = () => select({ part: index });
    const own = { id: `part.${name}`, title, hint: type.title, keywords: [name], run };
    const values = params.map(({ spec }) => ({
      id: `part.${name}.${spec.name}`,
      title: `${title}: ${spec.title}`,
      hint: 'Parameter',
      keywords: [name, type.title, spec.name],
      weight: 0.8,
      run,
    }));
    return [own, ...values];
  });
