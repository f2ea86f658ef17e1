import { integer, text } from '../../base/format';
import { runTime } from '../../controllers/useRun';
import {
  byKind,
  callArguments,
  callName,
  callSentence,
  KINDS,
  onProcessor,
  storesOf,
  tookText,
  transactionsOf,
} from '../../draw/run/driver-calls';
import type { DriverRoles } from '../../model/drivers/driver-roles';
import type { DriverCall } from '../../model/drivers/mapping-calls';
import { point } from '../../model/session/selection';
import { EmptyState } from '../../widgets/Feedback';
import { ROW, RowList } from '../../widgets/RowList';
import { type CallsNow, choose, goTo, useChosenCall } from './calls-now';
import styles from './DriverScript.module.css';

/** Height of a row; on a narrow sheet a call has two lines. */
const [LOW, HIGH] = [22, 40];
const NARROW = 520;
const heightIn = (width: number): number => (width > 0 && width < NARROW ? HIGH : LOW);

interface CallListProps {
  /** The open question asks what calls cost or give. */
  readonly sealed: boolean;
  readonly now: CallsNow;
  readonly roles: DriverRoles;
}

function emptyWords({ of, shownCount, log }: CallsNow): string {
  if (of !== null && shownCount > 0) return `No driver has called a service on ${of} yet.`;
  if (shownCount < log.calls.length) return 'What comes next is hidden while the question is open.';
  return 'No driver has called a service yet.';
}

/** Every call of the trace; those at the playhead are highlighted. A click goes to the start of a call. */
export function CallList({ now, roles, sealed }: CallListProps) {
  const { log, seq, knows, calls, present } = now;
  const chosen = useChosenCall(log);
  if (calls.length === 0) return <EmptyState title="No call yet">{emptyWords(now)}</EmptyState>;
  const several = new Set(calls.map(({ cpu }) => cpu)).size > 1;
  const longest = Math.max(1, ...calls.filter(knows).map(onProcessor));
  const place = chosen ? calls.indexOf(chosen) : -1;
  const active = place < 0 ? null : place;
  return (
    <RowList
      label={`${integer(calls.length)} calls of drivers: arrows choose, Enter goes there`}
      length={calls.length}
      heightIn={heightIn}
      present={present}
      at={active ?? present}
      active={active}
      idOf={(index) => `call-${index}`}
      onChoose={(index) => calls[index] && choose(calls[index])}
      onEnter={() => chosen && goTo(chosen)}
      row={(index, top, height) => {
        const call = calls[index];
        return (
          call && (
            <Row
              key={index}
              index={index}
              call={call}
              place={{ top, height }}
              length={calls.length}
              several={several}
              longest={longest}
              sentence={knows(call) && !sealed ? callSentence(call, roles.clock) : null}
              sealed={sealed && knows(call)}
              seq={seq}
              isPresent={index === present}
              isChosen={index === active}
            />
          )
        );
      }}
    />
  );
}

interface RowProps {
  /** Its index in the list. */
  readonly index: number;
  readonly call: DriverCall;
  readonly place: { readonly top: number; readonly height: number };
  readonly length: number;
  /** The list has calls of several processors. */
  readonly several: boolean;
  readonly longest: number;
  /** The full description; null while the result is masked. */
  readonly sentence: string | null;
  /** What it cost is asked by the open question. */
  readonly sealed: boolean;
  readonly seq: number;
  /** It is the last call that has begun. */
  readonly isPresent: boolean;
  readonly isChosen: boolean;
}

function Row(props: RowProps) {
  const { index, call, place, length, several, longest, sentence, sealed, seq } = props;
  const { isPresent, isChosen } = props;
  const [name, argumentText] = [callName(call), callArguments(call)];
  const isFuture = call.seq > seq;
  const isNow = !isFuture && (call.lastSeq === null || call.lastSeq > seq);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list keeps the focus
    <div
      id={`call-${index}`}
      className={`${ROW} ${styles.row}`}
      role="option"
      aria-label={sentence ?? `${name} ${argumentText}, ${sealed ? 'cost sealed' : 'under way'}`}
      aria-selected={isChosen}
      aria-setsize={length}
      aria-posinset={index + 1}
      aria-current={isNow || undefined}
      data-present={isPresent || undefined}
      data-future={isFuture || undefined}
      data-high={place.height > LOW || undefined}
      style={place}
      title={sentence ?? undefined}
      onPointerEnter={() => point({ part: call.cpu.part, event: call.seq })}
      onPointerLeave={() => point({})}
      onClick={() => {
        choose(call);
        goTo(call);
      }}
    >
      <time>{text(runTime(call.from))}</time>
      <span className={styles.call} title={`${name} ${argumentText}`}>
        {several && <i>{call.cpu.title} </i>}
        <b>{name}</b> <code>{argumentText}</code>
      </span>
      {sentence === null ? (
        <span className={styles.under}>{sealed ? 'sealed' : 'under way'}</span>
      ) : (
        <Costs call={call} longest={longest} />
      )}
    </div>
  );
}

/** The cost of a call: a bar on the scale of the longest, and numbers. */
function Costs({ call, longest }: { readonly call: DriverCall; readonly longest: number }) {
  const times = byKind(call);
  const counts = [
    [transactionsOf(call), 'bus'],
    [storesOf(call), 'dir.'],
    [call.purges, 'TLB'],
  ] as const;
  return (
    <>
      <span className={styles.bar}>
        {KINDS.map(({ kind }, i) => (
          <span
            key={kind}
            data-kind={kind}
            style={{ inlineSize: `${((times[i] ?? 0) / longest) * 100}%` }}
          />
        ))}
      </span>
      <span className={styles.took}>{call.refused ? 'refused' : tookText(call)}</span>
      {counts.map(([amount, unit]) => (
        <span key={unit} className={styles.count} data-none={amount === 0 || undefined}>
          {integer(amount)}
          <i> {unit}</i>
        </span>
      ))}
    </>
  );
}
