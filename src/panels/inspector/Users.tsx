import { useMemo } from 'react';
import { count, percent, text, time } from '../../base/format';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import type { CompiledPart } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { select } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { BusUse, type BusUser } from '../../model/trace/bus-use';
import type { Trace } from '../../model/trace/trace';
import { Button } from '../../widgets/Button';
import { Section } from '../../widgets/Section';
import { type Column, Table } from '../../widgets/Table';

/** The sums of the bus in the open run. */
let kept: { readonly trace: Trace; readonly part: number; readonly use: BusUse } | null = null;

function busUse(trace: Trace, { index, type }: CompiledPart): BusUse | null {
  if (kept?.trace === trace && kept.part === index) return kept.use;
  const lane = trace.lane(index, type.tracks[0]?.name ?? '');
  const machine = session.getState().machine;
  if (!lane || !machine) return null;
  kept = { trace, part: index, use: new BusUse(trace, machine, lane) };
  return kept.use;
}

/** The users up to the playhead, as text; empty while the trace is being read. */
function usersNow(part: CompiledPart): string {
  const trace = player.trace();
  const use = trace && busUse(trace, part);
  const { timePs } = player.now();
  if (!use) return '';
  if (!use.readTo(timePs)) {
    setTimeout(() => player.refresh());
    return '';
  }
  return JSON.stringify(use.usersAt(timePs));
}

/** Who has used a bus, with the time and a way to the newest transaction. */
export function Users({ part }: { readonly part: CompiledPart }) {
  const isOpen = useAnswerMask() !== null;
  const isBus = part.type.actor === 'bus' && part.type.tracks.length > 0;
  return isBus && !isOpen ? <UsersOfBus part={part} /> : null;
}

function UsersOfBus({ part }: { readonly part: CompiledPart }) {
  const parts = useStore(session, (state) => state.machine?.parts);
  const now = useFrameValue(() => usersNow(part));
  const timePs = useFrameValue(() => player.now().timePs);
  const users = useMemo(() => (now ? (JSON.parse(now) as BusUser[]) : null), [now]);
  if (!users || users.length === 0) return null;
  const columns: readonly Column<BusUser>[] = [
    {
      id: 'user',
      title: 'for',
      cell: ({ part: user, newest }) => (
        <Button
          look="link"
          title="Select its newest transaction"
          onClick={() => select({ part: part.index, event: newest })}
        >
          {parts?.[user ?? -1]?.title ?? 'no part named'}
        </Button>
      ),
    },
    { id: 'time', title: 'time', cell: (user) => text(time(user.timePs, 3)) },
    {
      id: 'share',
      title: 'of the run',
      cell: (user) => percent(timePs > 0 ? (100 * user.timePs) / timePs : 0, 1),
    },
  ];
  return (
    <Section title="Who used it" aside={`${count(users.length, 'user')}, to the playhead`}>
      <Table
        caption={`Time of ${part.title} by user`}
        columns={columns}
        rows={users}
        rowKey={({ part: user }) => String(user)}
      />
    </Section>
  );
}
