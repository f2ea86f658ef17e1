import { useState } from 'react';
import { integer, significant, text, time } from '../../base/format';
import { drivers } from '../../controllers/machine-features';
import { useRun } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import {
  type CallTotal,
  callArguments,
  callName,
  callSentence,
  KINDS,
  summaryOf,
  totalsOf,
} from '../../draw/run/driver-calls';
import type { DriverRoles } from '../../model/drivers/driver-roles';
import type { DriverCall } from '../../model/drivers/mapping-calls';
import { EmptyState } from '../../widgets/Feedback';
import { GlossaryText } from '../../widgets/GlossaryText';
import { Legend } from '../../widgets/Legend';
import { SealedPart } from '../../widgets/Masked';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { CallList } from './CallList';
import { type CallsNow, useCalls, useChosenCall, useHidesCalls } from './calls-now';
import styles from './DriverScript.module.css';
import { Spread } from './Spread';

/** Value for all processors: none has this name. */
const EVERY = '';

const SEALED = 'cost of calls';

/** The calls of drivers in order, each with its cost and results. */
export default function DriverScript() {
  useRun();
  const roles = useStore(drivers);
  const masked = useHidesCalls(roles);
  const [title, setTitle] = useState(EVERY);
  const now = useCalls(title === EVERY ? null : title);
  if (!roles || !now)
    return (
      <Panel title="Driver calls">
        <EmptyState title="No driver">
          No program of this machine calls a mapping service.
        </EmptyState>
      </Panel>
    );
  return (
    <Panel
      title="Driver calls"
      tools={<Processors roles={roles} now={now} onChoose={setTitle} />}
      textAlternative={<CallsTextAlternative roles={roles} now={now} sealed={masked} />}
    >
      <div className={styles.sheet}>
        <Head />
        <CallList now={now} roles={roles} sealed={masked} />
        {masked ? (
          <SealedPart what={SEALED} />
        ) : (
          <>
            <ChosenCall roles={roles} now={now} />
            <div className={styles.totals}>
              <Totals now={now} />
            </div>
          </>
        )}
        <Legend kinds={KINDS} className={styles.legend} />
      </div>
    </Panel>
  );
}

interface ProcessorsProps extends ScriptProps {
  onChoose(title: string): void;
}

/** Chooses a processor if several may call. */
function Processors({ roles, now, onChoose }: ProcessorsProps) {
  if (roles.cpus.length < 2) return null;
  const options = roles.cpus.map(({ title }) => ({ value: title, title }));
  return (
    <Select
      label="Calls of"
      options={[{ value: EVERY, title: 'all processors' }, ...options]}
      value={now.of ?? EVERY}
      onChange={onChoose}
    />
  );
}

/** Column heads; for screen readers each row names its own columns. */
function Head() {
  return (
    <div className={styles.head} aria-hidden="true">
      <span>at</span>
      <span>call</span>
      <span>on the processor</span>
      <span>took</span>
      <span title="Transactions that its cache or bridge started for it">bus</span>
      <span title="Entries of the page directory written or cleared">dir.</span>
      <span title="TLB invalidations on its behalf">TLB</span>
    </div>
  );
}

interface ScriptProps {
  readonly roles: DriverRoles;
  readonly now: CallsNow;
}

/** The selected call, or else the one at the playhead, in full. */
function ChosenCall({ roles, now }: ScriptProps) {
  const chosen = useChosenCall(now.log);
  const call = chosen ?? now.calls[now.present];
  if (!call || call.index >= now.shownCount || !now.knows(call)) return null;
  return (
    <p className={styles.sentence}>
      <GlossaryText text={callSentence(call, roles.clock)} />
    </p>
  );
}

const span = (ps: number | null): string => (ps === null ? 'under way' : text(time(ps)));
const each = (total: number, { calls }: CallTotal): string => significant(total / calls, 3);

const COLUMNS: readonly Column<CallTotal>[] = [
  { id: 'name', title: 'call', cell: ({ name }) => name },
  { id: 'calls', title: 'calls', numeric: true, cell: ({ calls }) => integer(calls) },
  { id: 'took', title: 'took, mean', numeric: true, cell: ({ took }) => span(took) },
  ...KINDS.map(
    ({ kind, title }, index): Column<CallTotal> => ({
      id: kind,
      title,
      numeric: true,
      cell: ({ kinds, took }) => (took === null ? '' : span(kinds[index] ?? 0)),
    }),
  ),
  {
    id: 'bus',
    title: 'bus transactions each',
    numeric: true,
    cell: (total) => each(total.transactions, total),
  },
  {
    id: 'entries',
    title: 'entries each',
    numeric: true,
    cell: (total) => each(total.stores, total),
  },
  {
    id: 'purges',
    title: 'purges each',
    numeric: true,
    cell: (total) => each(total.purges, total),
  },
];

/** Calls that have returned at the playhead; later ones have no result yet. */
const returnedNow = ({ calls, present, seq }: CallsNow): DriverCall[] =>
  calls.slice(0, present + 1).filter(({ lastSeq }) => lastSeq !== null && lastSeq <= seq);

function Totals({ now }: { readonly now: CallsNow }) {
  const returned = returnedNow(now);
  return returned.length === 0 ? null : (
    <>
      <Table
        caption="Calls that have returned, by operation"
        showCaption
        columns={COLUMNS}
        rows={totalsOf(returned)}
        rowKey={({ name }) => name}
      />
      <Spread calls={returned} />
    </>
  );
}

/** Most calls listed one by one. */
const MOST = 24;

interface TextProps extends ScriptProps {
  readonly sealed: boolean;
}

function CallsTextAlternative({ roles, now, sealed }: TextProps) {
  const calls = now.calls
    .slice(0, now.present + 1)
    .filter(now.knows)
    .slice(-MOST);
  if (sealed)
    return (
      <TextAlternative
        summary={<SealedPart what={SEALED} />}
        sentences={calls.map((call) => `${callName(call)} ${callArguments(call)}`)}
      />
    );
  return (
    <TextAlternative
      summary={summaryOf(totalsOf(returnedNow(now)))}
      sentences={calls.map((call) => callSentence(call, roles.clock))}
    >
      <Totals now={now} />
    </TextAlternative>
  );
}
