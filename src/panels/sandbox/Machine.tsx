import type { ReactNode } from 'react';
import { useStore } from '../../controllers/useStore';
import type { LineState } from '../../draw/state-cell';
import { SANDBOX_LINES, type SandboxAgent, type SandboxLine } from '../../model/sandbox/sandbox';
import type { LineNow } from '../../model/sandbox/sandbox-run';
import { copyText } from '../../model/sandbox/sandbox-text';
import type { FilmPlace } from '../../model/sandbox/step-film';
import { ActorSign } from '../../widgets/ActorSign';
import { Kbd } from '../../widgets/Kbd';
import { Segmented } from '../../widgets/Segmented';
import { Bus } from './Bus';
import { BUTTONS } from './buttons';
import { Cell, copyState, memoryState } from './Cell';
import common from './common.module.css';
import { filming, useFilmVariables } from './film-state';
import styles from './Machine.module.css';
import { chooseLine, play, press, reasonFor, setRules } from './sandbox-state';

export function Machine() {
  const { line, setNote } = useStore(play);
  const shares = useFilmVariables<HTMLElement>();
  return (
    <section className={`${common.column} ${styles.machine}`} aria-label="Machine" ref={shares}>
      <div className={styles.head}>
        <Segmented
          label="Line that buttons act on"
          options={SANDBOX_LINES.map((value) => ({ value, title: `Line ${value}` }))}
          value={line}
          onChange={chooseLine}
        />
        <span className={`${common.quiet} ${styles.keys}`}>press a button or its key</span>
      </div>
      <p className={styles.choiceNote} data-shown={setNote !== null || undefined}>
        {setNote ?? 'Greyed buttons would have no effect now.'}
      </p>
      <div className={styles.parts}>
        <Cpu who="cpu0" index={0} />
        <Cpu who="cpu1" index={1} />
        <Bus />
        <div className={styles.memory}>
          <Memory />
        </div>
        <div className={styles.io}>
          <Driver />
          <Disk />
        </div>
      </div>
    </section>
  );
}

function Box({
  title,
  actor,
  note,
  wired,
  at,
  children,
}: {
  readonly title: string;
  /** The edge from which a wire goes to the bus or to the next part. */
  readonly wired: 'above' | 'below';
  /** The end of its edge at which the wire is; default: the left one. */
  readonly at?: 'right';
  readonly actor: string;
  readonly note?: string | undefined;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles.box} data-wired={wired} data-at={at} aria-label={title}>
      <h3>
        <ActorSign actor={actor} size={13} /> {title}
        {note && <span className={styles.note}>{note}</span>}
      </h3>
      {children}
    </section>
  );
}

type Lines = Readonly<Record<SandboxLine, LineNow>>;

/** Both lines as held by each part: while a step is under way as before it, then as after it. */
function useLines(): Lines | null {
  const { run, shown } = useStore(play);
  const isBefore = useStore(filming, ({ phase }) => phase !== 'change' && phase !== 'over');
  return run?.steps[isBefore ? shown - 1 : shown]?.lines ?? null;
}

/** The cell of a line before and after the shown step, and whether its data is on the way. */
function Held({
  stateOf,
  place,
  line,
}: {
  readonly stateOf: (lines: Lines) => LineState | null;
  readonly place: FilmPlace;
  readonly line: SandboxLine;
}) {
  const { run, shown, userSteps } = useStore(play);
  const isAwaited = useStore(
    filming,
    ({ film, phase }) =>
      film?.awaits === place &&
      userSteps[shown - 1]?.line === line &&
      (phase === 'answers' || phase === 'data'),
  );
  const [before, after] = [run?.steps[shown - 1]?.lines, run?.steps[shown]?.lines];
  const now = after ? stateOf(after) : null;
  const was = before ? stateOf(before) : now;
  if (was === now && !isAwaited) return <Cell size={46} state={now} />;
  return (
    <span className={styles.held}>
      <span className={styles.was}>
        <Cell size={46} state={isAwaited ? 'flight' : was} />
      </span>
      <span className={styles.now}>
        <Cell size={46} state={now} />
      </span>
    </span>
  );
}

function Row({
  line,
  cell,
  value,
  label,
}: {
  readonly line: SandboxLine;
  readonly cell: ReactNode;
  readonly value: ReactNode;
  readonly label: string;
}) {
  const chosen = useStore(play, (state) => state.line === line);
  return (
    <div className={styles.row} data-chosen={chosen || undefined}>
      <b className={styles.name}>{line}</b>
      {cell}
      <span>
        <span className={styles.value}>{value}</span>
        <span className={styles.label}>{label}</span>
      </span>
    </div>
  );
}

function Buttons({ who }: { readonly who: SandboxAgent }) {
  const now = useStore(play);
  return (
    <div className={styles.buttons} data-who={who}>
      {BUTTONS[who].map(({ does, title, key, label }) => {
        const idle = reasonFor({ who, does, line: now.line }, now);
        return (
          <button
            key={does}
            type="button"
            data-idle={idle !== null || undefined}
            title={idle ?? label}
            aria-label={`${label}, line ${now.line}`}
            aria-keyshortcuts={key}
            onClick={() => press(who, does)}
          >
            {title}
            <Kbd keys={key} />
          </button>
        );
      })}
    </div>
  );
}

/** The state of a processor's copy of a line. */
function copyAt(lines: Lines, line: SandboxLine, cpu: number): LineState {
  const copy = lines[line].copies[cpu];
  return copy ? copyState(copy, lines[line]) : 'invalid';
}

function Cpu({ who, index }: { readonly who: 'cpu0' | 'cpu1'; readonly index: number }) {
  const lines = useLines();
  return (
    <Box
      title={`CPU ${index}`}
      actor="cpu"
      note="and its cache"
      wired="below"
      {...(index === 1 ? { at: 'right' } : {})}
    >
      {SANDBOX_LINES.map((line) => {
        const copy = lines?.[line].copies[index];
        return (
          <Row
            key={line}
            line={line}
            cell={<Held place={who} line={line} stateOf={(at) => copyAt(at, line, index)} />}
            value={
              copy?.value == null ? (
                'no copy'
              ) : (
                <>
                  value <b>{copy.value}</b>
                </>
              )
            }
            label={
              copy?.value == null
                ? 'invalid'
                : copyText({ ...copy, value: null }) +
                  (copy.value === lines?.[line].newest ? '' : ', but stale')
            }
          />
        );
      })}
      <Buttons who={who} />
    </Box>
  );
}

function Memory() {
  const lines = useLines();
  return (
    <Box title="Memory" actor="mem" wired="above" at="right">
      {SANDBOX_LINES.map((line) => {
        const now = lines?.[line];
        return (
          <Row
            key={line}
            line={line}
            cell={<Held place="memory" line={line} stateOf={(at) => memoryState(at[line])} />}
            value={
              <>
                value <b>{now?.memory ?? 0}</b>
              </>
            }
            label={
              now && now.memory !== now.newest ? `stale: the newest is ${now.newest}` : 'current'
            }
          />
        );
      })}
      <ul className={styles.legend} aria-label="States of a copy">
        {LEGEND.map(([state, title, what]) => (
          <li key={state}>
            <Cell size={20} state={state} />
            <span>
              <b>{title}</b> {what}
            </span>
          </li>
        ))}
      </ul>
    </Box>
  );
}

const LEGEND = [
  ['shared', 'shared', 'others may have it too'],
  ['clean', 'private clean', 'only here, as in memory'],
  ['dirty', 'private dirty', 'only here, newer than memory'],
  ['stale', 'stale', 'older than the newest write'],
] as const;

const KINDS = [
  {
    value: 'none',
    title: 'neither',
    hint: 'The adapter takes physical addresses and snoops no cache.',
  },
  {
    value: 'snooped',
    title: 'snoops',
    hint: 'The adapter snoops the caches and takes physical addresses.',
  },
  {
    value: 'coherent',
    title: 'snoops and translates',
    hint: 'The adapter snoops the caches and translates I/O addresses: the disk needs a mapping.',
  },
] as const;

function Driver() {
  const { rules, line } = useStore(play);
  const now = useLines()?.[line];
  const mapped = now?.mapped ? 'mapped' : 'not mapped';
  const translated = now?.translated ? ', in the I/O TLB' : '';
  return (
    <Box
      title="Driver and I/O adapter"
      actor="adapter"
      wired="above"
      note={`line ${line}: ${mapped}${translated}`}
    >
      <div className={styles.switches}>
        <Segmented
          label="The adapter"
          options={KINDS}
          value={rules.adapter}
          onChange={(adapter) => setRules({ adapter })}
        />
        <label>
          <input
            type="checkbox"
            checked={!rules.forgets}
            onChange={({ target }) => setRules({ forgets: !target.checked })}
          />
          unmap purges the I/O TLB
        </label>
      </div>
      <Buttons who="driver" />
    </Box>
  );
}

function Disk() {
  const { run, shown, userSteps } = useStore(play);
  const isBefore = useStore(filming, ({ phase }) => phase !== 'change' && phase !== 'over');
  const userStep = userSteps[shown - 1];
  const read = run?.steps[shown]?.events.find(
    ({ name, part }) => name === 'read' && run.machine.parts[part]?.name === 'disk',
  );
  const newest = userStep && run?.steps[shown]?.lines[userStep.line].newest;
  const got = isBefore ? undefined : read?.writes[0];
  const isOld = got !== undefined && got !== newest;
  return (
    <Box
      title="Disk"
      actor="disk"
      wired="above"
      note={
        got === undefined
          ? undefined
          : `it got ${userStep?.line} = ${got}${isOld ? `; newest is ${newest}` : ''}`
      }
    >
      <Buttons who="disk" />
    </Box>
  );
}
