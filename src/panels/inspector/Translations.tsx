import { useEffect, useMemo } from 'react';
import { address, integer } from '../../base/format';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { coherentMachine, viewsOf } from '../../model/coherence/coherence-roles';
import { type TableWalk, tableEntryAt, tableWalkOf } from '../../model/coherence/table-walk';
import type { CompiledMachine, CompiledPart } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Section } from '../../widgets/Section';
import { type Column, Table } from '../../widgets/Table';

interface Row {
  readonly entry: number;
  readonly cached: string;
  readonly newest: string;
  readonly memory: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { id: 'entry', title: 'entry', cell: ({ entry }) => integer(entry) },
  { id: 'held', title: 'held', cell: ({ cached }) => cached },
  { id: 'newest', title: 'table', cell: ({ newest }) => newest },
  { id: 'memory', title: 'in memory', cell: ({ memory }) => memory },
];

/** A column of a view of the frame at the playhead. */
function columnOf({ parts }: CompiledMachine, part: number, view: string, field: string) {
  const views = parts[part]?.type.views ?? [];
  const place = views.findIndex(({ name }) => name === view);
  const found = player.frame()?.views.find((one) => one.part === part && one.view === place);
  return found?.columns[views[place]?.fields.findIndex(({ name }) => name === field) ?? -1];
}

/** Cached translations, and the table's entries: by the newest store, and as present in memory. */
function rowsNow(machine: CompiledMachine, table: TableWalk): Row[] {
  const [entries, pages] = ['entry', 'page'].map((field) =>
    columnOf(machine, table.unit, 'cache', field),
  );
  const entryText = (view: string, entry: number): string => {
    const at = (field: string) => columnOf(machine, table.memory, view, field);
    const [high, low] = [at('high')?.[table.rowOf(entry)], at('low')?.[table.rowOf(entry)]];
    if (high === undefined || low === undefined) return 'not tracked';
    const { valid, page } = tableEntryAt(high, low);
    return valid ? address(page) : 'not valid';
  };
  return Array.from(entries ?? []).flatMap((one, place) => {
    if (one === 0) return [];
    const [entry, page] = [one - 1, (pages?.[place] ?? 0) - 1];
    const [newest, memory] = [entryText('directory', entry), entryText('held', entry)];
    return { entry, cached: address(page * table.pageBytes), newest, memory };
  });
}

/** The translations of a unit, each with its entry as it is in memory and as it should be. */
export function Translations({ part }: { readonly part: CompiledPart }) {
  const machine = useStore(session, (state) => state.machine);
  const table = useMemo(() => machine && tableWalkOf(machine, part.index), [machine, part.index]);
  return machine && table && <CachedTranslations machine={machine} table={table} />;
}

function CachedTranslations({
  machine,
  table,
}: {
  readonly machine: CompiledMachine;
  readonly table: TableWalk;
}) {
  const answerMask = useAnswerMask();
  useEffect(() => {
    const views = [
      [table.unit, 'cache'] as const,
      ...['directory', 'held'].map((view) => [table.memory, view] as const),
    ];
    return player.want(viewsOf(coherentMachine(machine), views));
  }, [machine, table]);
  const text = useFrameValue(() => JSON.stringify(rowsNow(machine, table)));
  const rows = useMemo(() => JSON.parse(text) as Row[], [text]);
  if (answerMask?.masks(table.unit, 'old_entries')) return null;
  return (
    <Section title="Translations held" aside="beside their entries now">
      {rows.length === 0 && <p>None now.</p>}
      {rows.length > 0 && (
        <Table
          caption="Translations held, and their entries in the table"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ entry }) => String(entry)}
        />
      )}
    </Section>
  );
}
