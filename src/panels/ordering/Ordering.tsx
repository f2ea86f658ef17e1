import { useEffect, useMemo } from 'react';
import { address, bytes, count, integer, text } from '../../base/format';
import { useFrameValue, useRun } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import { momentOf } from '../../draw/machine/moment';
import { orderedPart } from '../../model/coherence/coherence-roles';
import { type Pass, PCI_ORDERING, queueOf, type Waiting } from '../../model/coherence/pci-ordering';
import { relaxedReadKinds } from '../../model/coherence/read-hints';
import type { CompiledMachine } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import styles from './Ordering.module.css';

/** The queue towards a PCI bus, and its ordering rules. */
export default function Ordering() {
  useRun();
  const machine = useStore(session, (state) => state.machine);
  const part = machine ? orderedPart(machine) : null;
  if (!machine || part === null)
    return (
      <Panel title="Ordering">
        <EmptyState title="No bridge">
          This machine has no rope and no PCI bus behind it.
        </EmptyState>
      </Panel>
    );
  return (
    <Panel title="Ordering" sub={`${machine.parts[part]?.title ?? ''}, rules of PCI`} scroll>
      <Queue machine={machine} part={part} />
    </Panel>
  );
}

interface QueueProps {
  readonly machine: CompiledMachine;
  readonly part: number;
}

/** The queue at the playhead; the same object while it is unchanged. */
function useQueue({ machine, part }: QueueProps): readonly Waiting[] {
  const view = machine.parts[part]?.type.views.findIndex(({ name }) => name === 'queue') ?? -1;
  useEffect(() => player.want([{ part, view }]), [part, view]);
  const text = useFrameValue(() => {
    const [frame, trace] = [player.frame(), player.trace()];
    if (!frame || !trace) return '[]';
    const moment = momentOf({ parts: machine.parts, frame, trace, now: player.now() });
    const line = Number(
      machine.parts[part]?.params.find(({ spec }) => spec.name === 'line')?.value ?? 0n,
    );
    return JSON.stringify(queueOf(machine, part, moment.view(part, 'queue'), line));
  });
  return useMemo(() => JSON.parse(text) as readonly Waiting[], [text]);
}

/** Widths of a transaction in the queue, and of the count of those left out, in px. */
const [ITEM, BEHIND] = [106, 62];

/** What waits, from its head on as far as there is room, and the rule that holds it. */
function Queue(props: QueueProps) {
  const queue = useQueue(props);
  const blocked = queue.find(({ behind }) => behind !== null);
  const blocker = blocked?.behind === undefined ? undefined : queue[blocked.behind ?? -1];
  const pair = blocked && blocker ? ([blocked.kind, blocker.kind] as const) : null;
  const [box, { width }] = useSize();
  const most = Math.max(1, Math.floor((width - BEHIND) / ITEM));
  return (
    <div className={styles.sheet} ref={box}>
      <ol className={styles.queue} aria-label="Queue towards the bus, its head first">
        {queue.slice(0, most).map((item, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index in the queue identifies an item
          <Item key={i} item={item} isHead={i === 0} holds={blocked?.behind === i} />
        ))}
        {queue.length > most && (
          <li className={styles.none}>{`+${integer(queue.length - most)} behind`}</li>
        )}
        {queue.length === 0 && <li className={styles.none}>nothing waits for the bus</li>}
      </ol>
      <p className={styles.sentence}>{sentenceOf(queue, blocked, blocker)}</p>
      <div className={styles.table}>
        <Rules pair={pair} />
        <p>{relaxedText(props)}</p>
      </div>
    </div>
  );
}

const titleOf = ({ kind }: Waiting): string => PCI_ORDERING.kinds[kind]?.title ?? '';

function Item(props: {
  readonly item: Waiting;
  readonly isHead: boolean;
  readonly holds: boolean;
}) {
  const { item, isHead, holds } = props;
  const { here, behind } = item;
  const where = here ? (behind === null ? (isHead ? 'next' : 'ready') : 'waits') : 'on the rope';
  return (
    <li data-holds={holds || undefined} data-away={!here || undefined}>
      <b>{titleOf(item)}</b>
      <span>
        {address(item.address)}, {text(bytes(item.bytes))}
      </span>
      <span>{where}</span>
    </li>
  );
}

function sentenceOf(
  queue: readonly Waiting[],
  blocked: Waiting | undefined,
  blocker: Waiting | undefined,
): string {
  if (!blocked || !blocker)
    return queue.length === 0
      ? 'What comes down the rope goes straight to the bus.'
      : 'No transaction here has to wait for an earlier one.';
  const lines = queue.filter(({ behind }) => behind !== null).length;
  return `${count(lines, `${titleOf(blocked)} waits`, `${titleOf(blocked)}s wait`)}: ${lines > 1 ? 'they' : 'it'} must not pass the ${titleOf(blocker)} to ${address(blocker.address)}.`;
}

/** The reads for which hints change the one adjustable rule of the table. */
function relaxedText({ machine, part }: QueueProps): string {
  const reads = machine.parts[part] ? relaxedReadKinds(machine.parts[part]) : [];
  return reads.length === 0
    ? 'Relaxed ordering would let a read completion pass a posted write; no hint asks for it.'
    : `Relaxed: a read completion may pass a posted write if it is of ${reads.join('; ')}.`;
}

const WORDS: Readonly<Record<Pass, string>> = { no: 'No', may: 'may', must: 'yes' };

function Rules({ pair }: { readonly pair: readonly [number, number] | null }) {
  const { kinds, passes } = PCI_ORDERING;
  return (
    <table className={styles.rules}>
      <caption className="visually-hidden">
        Whether a later transaction may pass one that is before it
      </caption>
      <thead>
        <tr>
          <th scope="col">may a later … pass</th>
          {kinds.map(({ name, title, short }) => (
            <th key={name} scope="col" title={title}>
              <abbr title={title}>{short}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map(({ name, title, short }, later) => (
          <tr key={name} data-lit={pair?.[0] === later || undefined}>
            <th scope="row">
              {title} <span>{short}</span>
            </th>
            {kinds.map((earlier, column) => {
              const pass = passes[later]?.[column] ?? 'may';
              const lit = pair?.[0] === later && pair[1] === column;
              return (
                <td key={earlier.name} data-pass={pass} data-lit={lit || undefined}>
                  {WORDS[pass]}
                  {lit && <span className="visually-hidden">, which holds it now</span>}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
