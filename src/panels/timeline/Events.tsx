import { useState } from 'react';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { mentionsIn } from '../../model/lesson/glossary';
import { player } from '../../model/session/opened';
import { selection } from '../../model/session/selection';
import { Glossed, useTerms } from '../../widgets/Glossed';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import { WordLayer } from '../../widgets/WordLayer';
import { EventList, type Listed } from './EventList';
import styles from './Events.module.css';

const CHOICES: readonly {
  readonly value: Listed;
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'story', title: 'told', hint: 'What is worth telling' },
  { value: 'transactions', title: 'transactions', hint: 'And every transfer' },
  { value: 'all', title: 'all', hint: 'Every record' },
];

/** The chosen event, if it speaks of words of the glossary: in a list that is chosen from they cannot be gone to. */
function Chosen() {
  const event = useStore(selection, (state) => state.event);
  const terms = useTerms();
  const sentence = event === null ? '' : (player.trace()?.sentence(event) ?? '');
  if (mentionsIn(sentence, terms).length === 0) return null;
  return (
    <p className={styles.chosen}>
      <Glossed text={sentence} />
    </p>
  );
}

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
      <div className={styles.events}>
        <WordLayer className={styles.list}>
          <EventList listed={listed} />
        </WordLayer>
        <Chosen />
      </div>
    </Panel>
  );
}
