import { createStore } from '../../base/store';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useCoherent } from '../../controllers/useCoherence';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { hidesTlb } from '../../draw/coherence/tlb-map';
import { clearSelection, select, selection } from '../../model/session/selection';
import { EmptyState } from '../../widgets/Feedback';
import { FollowChip } from '../../widgets/FollowChip';
import { Panel } from '../../widgets/Panel';
import { Segmented } from '../../widgets/Segmented';
import '../../widgets/states.css';
import { ChainsText, ChainsView } from './ChainsView';
import { EntryText, EntryView } from './EntryView';
import { EvictionsText, EvictionsView } from './EvictionsView';
import { type ChainProps, chosenRow, useShownChain } from './useShownChain';

type Shown = 'rows' | 'evictions' | 'entry';

const CHOICES: readonly {
  readonly value: Shown;
  readonly title: string;
  readonly hint: string;
}[] = [
  { value: 'rows', title: 'rows', hint: 'Every row by its look-ups, darker for more' },
  {
    value: 'evictions',
    title: 'evictions',
    hint: 'Evictions by TLB row, their cost and suggested fixes',
  },
  { value: 'entry', title: 'entry', hint: 'The entry of the I/O page directory, bit by bit' },
];

const VIEWS = {
  rows: { Picture: ChainsView, Text: ChainsText },
  evictions: { Picture: EvictionsView, Text: EvictionsText },
  entry: { Picture: EntryView, Text: EntryText },
} as const;

/** The selected view, kept when the panel is maximised or closed. */
const choice = createStore<{ shown: Shown }>({ shown: 'rows' });

/** The adapter's translations: use of rows, row conflicts, and the entry behind a row. */
export default function IoTlb() {
  useRun();
  const coherent = useCoherent();
  const { shown } = useStore(choice);
  const chain = useShownChain(coherent);
  const answerMask = useAnswerMask();
  const { tlb, memory } = coherent ?? {};
  if (!coherent || !tlb)
    return (
      <Panel title="I/O TLB by chain">
        <EmptyState title="No I/O TLB">This machine translates no I/O addresses.</EmptyState>
      </Panel>
    );
  const hasEntries = memory?.directory !== null && memory?.directory !== undefined;
  const choices = CHOICES.filter(({ value }) => hasEntries || value !== 'entry');
  const view = VIEWS[choices.some(({ value }) => value === shown) ? shown : 'rows'];
  const tools = (
    <>
      {view === VIEWS.rows && <Follow tlb={tlb} chain={chain} />}
      <Segmented
        label="Shown"
        options={choices}
        value={shown}
        onChange={(next) => choice.setState({ shown: next })}
      />
    </>
  );
  const props = { coherent, tlb, chain };
  const masked = view !== VIEWS.entry && answerMask !== null && hidesTlb(tlb, answerMask);
  return (
    <Panel
      title="I/O TLB by chain"
      masked={masked}
      tools={tools}
      textAlternative={<view.Text {...props} />}
    >
      <view.Picture {...props} />
    </Panel>
  );
}

/** Following ends when a row is chosen; a press on the chip chooses the one in play, or goes back to following. */
function Follow({ tlb, chain }: Pick<ChainProps, 'tlb' | 'chain'>) {
  const chosen = useStore(selection, (what) => chosenRow(tlb, what));
  return (
    <FollowChip
      on={chosen === null}
      what="the look-ups"
      onToggle={(on) =>
        on || chain === null
          ? clearSelection()
          : select({ part: tlb.part, view: 'tlb', index: chain })
      }
    />
  );
}
