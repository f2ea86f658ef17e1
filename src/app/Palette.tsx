import { Command } from 'cmdk';
import { useEffect } from 'react';
import { type Command as Action, commands, isAvailable } from '../base/commands';
import { navigate } from '../base/route';
import { listScenarios, systemTitle } from '../model/scenarios';
import { Dialog } from '../widgets/Dialog';
import { Kbd } from '../widgets/Kbd';
import { useStore } from '../widgets/useStore';
import styles from './Palette.module.css';
import { scoreOf } from './paletteFilter';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly hint?: string | undefined;
  readonly keys?: string | undefined;
  readonly keywords: readonly string[];
  run(): void;
}

/** Finds scenarios and does commands, by a few letters of any of their words. */
export default function Palette({ onClose }: { onClose(): void }) {
  const all = useStore(commands);
  // Availability may depend on what had the focus before the palette took it.
  const sections = groups(all.filter((command) => !command.keyOnly && isAvailable(command)));
  useEffect(() => {
    document.querySelector<HTMLElement>('[cmdk-input]')?.focus();
  }, []);
  return (
    <Dialog title="Find or do anything" hideTitle onClose={onClose}>
      <Command className={styles.palette} label="Find or do anything" loop filter={filter}>
        <Command.Input className={styles.input} placeholder="Find or do anything" />
        <Command.List className={styles.list} label="Results">
          <Command.Empty className={styles.empty}>Nothing here has that name.</Command.Empty>
          {[...sections].map(([section, rows]) => (
            <Command.Group key={section} heading={section} className={styles.group}>
              {rows.map((row) => (
                <Command.Item
                  key={row.id}
                  value={row.id}
                  keywords={[row.title, section, ...row.keywords]}
                  className={styles.item}
                  onSelect={() => {
                    onClose();
                    row.run();
                  }}
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

/** Entries carry their title as the first keyword; the value is an id, which nobody types. */
const filter = (_id: string, query: string, [title = '', ...others]: string[] = []): number =>
  scoreOf(title, query, others);

function groups(available: readonly Action[]): Map<string, Row[]> {
  const sections = new Map<string, Row[]>([['Scenarios', scenarioRows()]]);
  for (const command of available) {
    const { id, title, hint, keys, keywords = [], section, run } = command;
    const rows = sections.get(section) ?? [];
    rows.push({ id, title, hint, keys: keys?.[0], keywords, run });
    sections.set(section, rows);
  }
  if (sections.get('Scenarios')?.length === 0) sections.delete('Scenarios');
  return sections;
}

const scenarioRows = (): Row[] =>
  listScenarios().map(({ id, title, system, kind, summary }) => ({
    id,
    title,
    hint: systemTitle(system),
    keywords: [systemTitle(system), summary],
    run: () => navigate({ view: kind, scenario: id }),
  }));
