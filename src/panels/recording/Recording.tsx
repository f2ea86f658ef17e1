import { useState } from 'react';
import { count, integer, percent } from '../../base/format';
import { showOverlay } from '../../base/shell-state';
import { useStore } from '../../controllers/useStore';
import type { ReferenceReport } from '../../model/coherence/reference-trace';
import type { MapRunReport } from '../../model/pools/map-run';
import {
  breachText,
  contractNotes,
  POLICY_COLUMNS,
  recordingNotes,
} from '../../model/pools/recording-words';
import { recording, type Recording as Shown } from '../../model/report/recording';
import type { MappingsReplay, Replay } from '../../model/report/recording-replay';
import { type Problem, placeOf } from '../../model/scenario/problems';
import { Dialog } from '../../widgets/Dialog';
import { ErrorNotice } from '../../widgets/Feedback';
import { Select } from '../../widgets/Select';
import { type Column, Table } from '../../widgets/Table';
import styles from './Recording.module.css';
import { useReplay } from './useReplay';

const close = () => showOverlay(null);

const KINDS: Readonly<Record<Shown['kind'], string>> = {
  allocator: 'Operations of the page allocator of an IOMMU, with its answers',
  mappings: 'Mappings that Linux recorded (events iommu and dma)',
  references: 'References to memory (din, or lackey)',
};

/** A recording of the reader's own, replayed. */
export default function Recording() {
  const { shown } = useStore(recording);
  if (!shown) return null;
  return (
    <Dialog title={shown.file.name} className={styles.dialog} onClose={close}>
      <div className={styles.body}>
        <p>{KINDS[shown.kind]}. The file stays on this computer and is not kept.</p>
        {shown.kind === 'references' ? (
          <References file={shown.file} />
        ) : (
          <Mappings file={shown.file} kind={shown.kind} />
        )}
      </div>
    </Dialog>
  );
}

function Progress({ done }: { readonly done: number }) {
  return (
    <label className={styles.progress}>
      Replaying, {percent(100 * done)}
      <progress value={done} max={1} />
    </label>
  );
}

function Failure({ problems }: { readonly problems: readonly Problem[] }) {
  const [first] = problems;
  return (
    <ErrorNotice
      title="The recording cannot be replayed"
      place={first && placeOf(first)}
      detail={first?.message}
    />
  );
}

/** The caches that a recording is played through: a size that many processors have, and its neighbours. */
const SIZES = ['16 KiB', '32 KiB', '64 KiB', '256 KiB', '1 MiB', '4 MiB'] as const;
const WAYS = ['1', '2', '4', '8'];
const LINES = ['16 B', '32 B', '64 B', '128 B'];
const CPUS = ['1', '2', '4', '8'];

const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, title: value }));

interface CacheRow {
  readonly size: string;
  readonly report: ReferenceReport;
}

const accesses = ({ hits, misses }: ReferenceReport) => hits + misses;

const CACHE_COLUMNS: readonly Column<CacheRow>[] = [
  { id: 'size', title: 'cache', cell: ({ size }) => size },
  { id: 'hits', title: 'hits', numeric: true, cell: ({ report }) => integer(report.hits) },
  { id: 'misses', title: 'misses', numeric: true, cell: ({ report }) => integer(report.misses) },
  {
    id: 'rate',
    title: 'miss rate',
    numeric: true,
    cell: ({ report }) => percent((100 * report.misses) / Math.max(1, accesses(report)), 2),
  },
  {
    id: 'write_backs',
    title: 'write-backs',
    numeric: true,
    cell: ({ report }) => integer(report.write_backs),
  },
  {
    id: 'copies',
    title: 'copies to other caches',
    numeric: true,
    cell: ({ report }) => integer(report.copies),
  },
  {
    id: 'invalidated',
    title: 'lines lost to others',
    numeric: true,
    cell: ({ report }) => integer(report.invalidated),
  },
];

function References({ file }: { readonly file: File }) {
  const [ways, setWays] = useState<string>('1');
  const [line, setLine] = useState<string>('32 B');
  const [cpus, setCpus] = useState<string>('1');
  const caches = SIZES.map((size) => ({ size, ways, line }));
  const { done, result } = useReplay(file, {
    kind: 'references',
    name: file.name,
    cpus: Number(cpus),
    caches,
  });
  return (
    <>
      <div className={styles.choices}>
        <Select label="ways" showLabel options={optionsOf(WAYS)} value={ways} onChange={setWays} />
        <Select label="line" showLabel options={optionsOf(LINES)} value={line} onChange={setLine} />
        <Select
          label="processors"
          showLabel
          options={optionsOf(CPUS)}
          value={cpus}
          onChange={setCpus}
        />
      </div>
      {!result && <Progress done={done} />}
      {result && !result.ok && <Failure problems={result.problems} />}
      {result?.ok && result.value.kind === 'references' && (
        <Caches reports={result.value.reports} />
      )}
    </>
  );
}

function Caches({ reports }: { readonly reports: readonly ReferenceReport[] }) {
  const rows = reports.map((report, index) => ({ size: SIZES[index] ?? '', report }));
  const [first] = reports;
  if (!first) return null;
  const { loads, stores, instructions, remarks } = first;
  return (
    <>
      <p>
        {count(loads, 'load')}, {count(stores, 'store')}.{' '}
        {instructions > 0 &&
          `${count(instructions, 'instruction fetch', 'instruction fetches')} left out: these are caches of data.`}
      </p>
      <Table
        caption="The same references in caches of several sizes"
        columns={CACHE_COLUMNS}
        rows={rows}
        rowKey={({ size }) => size}
      />
      <Notes notes={remarks} />
    </>
  );
}

const DEFAULT = '';
const POOLS = ['1', '2', '4', '8', '16'];
const ENTRIES = ['1024', '8192', '65536', '262144'];

const chosen = (value: string): number | null => (value === DEFAULT ? null : Number(value));

interface MappingsProps {
  readonly file: File;
  readonly kind: 'allocator' | 'mappings';
}

function Mappings({ file, kind }: MappingsProps) {
  const [pools, setPools] = useState(DEFAULT);
  const [entries, setEntries] = useState(DEFAULT);
  const { done, result } = useReplay(file, {
    ...{ kind, name: file.name },
    pools: chosen(pools),
    entries: chosen(entries),
  });
  // Events of Linux do not say what their table is like.
  const withDefault = (values: readonly string[]) => [
    { value: DEFAULT, title: kind === 'allocator' ? 'as recorded' : 'as in Linux 4.1' },
    ...optionsOf(values),
  ];
  return (
    <>
      <div className={styles.choices}>
        <Select
          label="pools"
          showLabel
          options={withDefault(POOLS)}
          value={pools}
          onChange={setPools}
        />
        <Select
          label="entries of the table"
          showLabel
          options={withDefault(ENTRIES)}
          value={entries}
          onChange={setEntries}
        />
      </div>
      {!result && <Progress done={done} />}
      {result && !result.ok && <Failure problems={result.problems} />}
      {result?.ok && <MappingsFound replay={result.value} />}
    </>
  );
}

function MappingsFound({ replay }: { readonly replay: Replay }) {
  if (replay.kind !== 'mappings') return null;
  const { compared, policies } = replay;
  return (
    <>
      {compared && <Compared compared={compared} />}
      <Contract replay={replay} />
      <h3>The same pattern with every policy</h3>
      <Table
        caption="The same pattern with every policy of the allocator"
        columns={POLICY_COLUMNS.map(
          ([title, cell], index): Column<MapRunReport> => ({
            ...{ id: title, title, cell },
            numeric: index > 0,
          }),
        )}
        rows={policies}
        rowKey={({ policy }) => policy}
      />
    </>
  );
}

function Compared({ compared }: { readonly compared: NonNullable<MappingsReplay['compared']> }) {
  const { operations, failures, compared: values, mismatches, first_mismatch: first } = compared;
  return (
    <p>
      {count(operations, 'operation')}, {count(failures, 'failed allocation')};{' '}
      {count(values, 'recorded value')} compared with the engine’s:{' '}
      {count(mismatches, 'difference')}.
      {first && ` The first is in line ${first.line}, field ${first.field}.`}
    </p>
  );
}

/** Breaches of the contract of the mapping interface, by line. */
function Contract({ replay: { contract } }: { readonly replay: MappingsReplay }) {
  const { calls, most_mappings: most, findings, shown } = contract;
  const notes = [...contractNotes(contract, count), ...recordingNotes(contract.recording, count)];
  return (
    <>
      <h3>The driver and its contract</h3>
      <p>
        {count(calls, 'call')}, at most {count(most, 'mapping')} at a time;{' '}
        {count(findings, 'breach', 'breaches')}, and {count(contract.still_mapped, 'mapping')} left
        at the end.
      </p>
      <Notes notes={shown.map(breachText)} />
      <Notes notes={notes} />
    </>
  );
}

function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {notes.map((note) => (
        <li key={note}>{note}.</li>
      ))}
    </ul>
  );
}
