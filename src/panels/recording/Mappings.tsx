import { useState } from 'react';
import { count } from '../../base/format';
import { MAP_POLICIES } from '../../model/pools/map-policies';
import type { MapRunReport } from '../../model/pools/map-run';
import {
  breachText,
  contractNotes,
  POLICY_COLUMNS,
  recordingNotes,
} from '../../model/pools/recording-words';
import type { MappingsReplay, Replay } from '../../model/report/recording-replay';
import { Select } from '../../widgets/Select';
import { type Column, Table } from '../../widgets/Table';
import { Follow } from './Follow';
import styles from './Recording.module.css';
import { Failure, Notes, optionsOf, Progress } from './Shared';
import { useReplay } from './useReplay';

const DEFAULT = '';
const POOLS = ['1', '2', '4', '8', '16'];
const ENTRIES = ['1024', '8192', '65536', '262144'];

const chosen = (value: string): number | null => (value === DEFAULT ? null : Number(value));

const titleOf = (name: string): string =>
  MAP_POLICIES.find((policy) => policy.name === name)?.title ?? name;

/** The table of the command line, with words for the names of policies. */
const COLUMNS = POLICY_COLUMNS.map(
  ([title, cell], index): Column<MapRunReport> =>
    index === 0
      ? { id: title, title: 'allocator', cell: ({ policy }) => titleOf(policy) }
      : { id: title, title, cell, numeric: true },
);

interface MappingsProps {
  readonly file: File;
  readonly kind: 'allocator' | 'mappings';
}

export function Mappings({ file, kind }: MappingsProps) {
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
      <Follow
        file={file}
        job={{
          ...{ kind: 'run', of: 'mappings', name: file.name, isTrace: kind === 'allocator' },
          ...{ pools: chosen(pools), entries: chosen(entries) },
        }}
        what="operations"
        panels="on the map of the pools, with every allocator"
      />
      {!result && <Progress done={done} />}
      {result && !result.ok && <Failure problems={result.problems} />}
      {result?.ok && <MappingsFound replay={result.value} />}
    </>
  );
}

function MappingsFound({ replay }: { readonly replay: Replay }) {
  if (replay.kind !== 'mappings') return null;
  const { compared, policies, lacks } = replay;
  return (
    <>
      {compared && <Compared compared={compared} />}
      <Contract replay={replay} />
      <h3>The same pattern with every policy</h3>
      <Table
        caption="The same pattern with every policy of the allocator"
        columns={COLUMNS}
        rows={policies}
        rowKey={({ policy }) => policy}
      />
      <Notes notes={lacks} />
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
