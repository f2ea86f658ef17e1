import { useState } from 'react';
import { useRun } from '../../controllers/useRun';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import { EventList, type Listed } from './EventList';

const CHOICES: readonly {
  readonly value: Listed;
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'story', title: 'told', hint: 'What is worth telling' },
  { value: 'transactions', title: 'transactions', hint: 'And every transfer' },
  { value: 'all', title: 'all', hint: 'Every record' },
];

/** The events of the run as sentences. */
export default function Events() {
  useRun();
  const [listed, setListed] = useState<Listed>('transactions');
  const tools = (
    <Segmented
      label="Events listed"
      options={CHOICES}
      value={listed}
      onChange={(next) => setListed(next)}
    />
  );
  return (
    <Panel title="Events" tools={tools}>
      <EventList listed={listed} />
    </Panel>
  );
}
