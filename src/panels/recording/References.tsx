import { useState } from 'react';
import { count, integer, percent } from '../../base/format';
import type { ReferenceReport } from '../../model/coherence/reference-trace';
import { Select } from '../../widgets/Select';
import { type Column, Table } from '../../widgets/Table';
import { Follow } from './Follow';
import styles from './Recording.module.css';
import { Failure, Notes, optionsOf, Progress } from './Shared';
import { useReplay } from './useReplay';

/** The caches that a recording is played through: a size that many processors have, and its neighbours. */
const SIZES = ['16 KiB', '32 KiB', '64 KiB', '256 KiB', '1 MiB', '4 MiB'] as const;
const WAYS = ['1', '2', '4', '8'];
const LINES = ['16 B', '32 B', '64 B', '128 B'];
const CPUS = ['1', '2', '4', '8'];

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

export function References({ file }: { readonly file: File }) {
  const [ways, setWays] = useState<string>('1');
  const [line, setLine] = useState<string>('32 B');
  const [cpus, setCpus] = useState<string>('1');
  const caches = SIZES.map((size) => ({ size, ways, line }));
  const chosen = { cpus: Number(cpus), sizes: SIZES, ways, line };
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
      <Follow
        file={file}
        job={{ ...{ kind: 'run', of: 'references', name: file.name }, ...chosen }}
        what="loads and stores"
        panels="in the caches, line by line"
      />
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
