import { useMemo, useState } from 'react';
import { bytes, text } from '../../base/format';
import { hintedPart } from '../../controllers/machine-features';
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useFixRuns } from '../../controllers/useFixRuns';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  COMMANDS,
  HINTS,
  type HintCell,
  hintCell,
  isFixed,
  MEMORIES,
} from '../../model/coherence/read-hints';
import { hintEffects, hintTrials, movers } from '../../model/diagnosis/hint-effects';
import type { CompiledPart } from '../../model/scenario/compiled';
import { setParam } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { EmptyState, ProgressLine } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import { AdvicePanel } from './Advice';
import { Effects, EffectsKey, Sparkline } from './Effects';
import styles from './Hints.module.css';

const TITLES = {
  relaxed: 'ordering',
  current: 'Read Current',
  depth: 'lines ahead',
  block: 'block',
} as const;
/** Values of each hint: as a parameter, and in words. */
const CHOICES = {
  relaxed: [0n, 1n],
  current: [1n, 0n],
  depth: [0n, 1n, 2n, 3n],
  block: [512n, 1024n, 2048n, 4096n],
} as const;

type Hint = (typeof HINTS)[number];

function words(hint: Hint, value: bigint): string {
  if (hint === 'relaxed') return value ? 'relaxed' : 'enforced';
  if (hint === 'current') return value ? 'on' : 'off';
  return hint === 'depth' ? String(value) : text(bytes(Number(value)));
}

/** The actions of a bridge for each read command and kind of memory; they can be changed during the run. */
export default function Hints() {
  const part = useStore(hintedPart, (found) => found);
  const tried = useTried();
  const [sheet, { width }] = useSize();
  return (
    <Panel
      title="DMA hints"
      sub={part?.title ?? ''}
      tools={
        tried.can && (
          <>
            {tried.on && tried.done < tried.total && (
              <ProgressLine label="Trying" done={tried.done} total={tried.total} />
            )}
            <Button size="small" aria-pressed={tried.on} onClick={tried.toggle}>
              What would each change?
            </Button>
          </>
        )
      }
      className={styles.panel ?? ''}
      scroll
    >
      {part ? (
        <div className={styles.sheet} ref={sheet}>
          <Matrix part={part} tried={tried} across={width >= ACROSS} />
          {tried.base && (
            <EffectsKey base={tried.base} devices={tried.devices} scale={tried.scale} />
          )}
          <p>MW and MWI have no hints: writes are posted.</p>
          <p>
            MR reads a few words, MRL a line, MRM two or more. The card chooses; the adapter has no
            other information about what it will need.
          </p>
          <AdvicePanel />
        </div>
      ) : (
        <EmptyState title="This machine has no hints." />
      )}
    </Panel>
  );
}

/** Width from which both kinds of memory stand side by side. */
const ACROSS = 380;

interface MatrixProps {
  readonly part: CompiledPart;
  readonly tried: ReturnType<typeof useTried>;
  /** Both kinds of memory side by side, which halves the height. */
  readonly across: boolean;
}

function Matrix({ part, tried, across }: MatrixProps) {
  const caption = (
    <caption className="visually-hidden">
      Hints of {part.title}, by read command and kind of memory
    </caption>
  );
  const titles = (memory: string) =>
    HINTS.map((hint) => (
      <th key={`${memory} ${hint}`} scope="col">
        {TITLES[hint]}
      </th>
    ));
  const cells = (command: (typeof COMMANDS)[number], memory: (typeof MEMORIES)[number]) =>
    HINTS.map((hint) => (
      <td key={`${memory} ${hint}`}>
        <Cell hint={hint} cell={hintCell(part, command, memory, hint)} tried={tried} />
      </td>
    ));
  if (across)
    return (
      <table className={styles.across}>
        {caption}
        <colgroup />
        {MEMORIES.map((memory) => (
          <colgroup key={memory} span={HINTS.length} />
        ))}
        <thead>
          <tr>
            <td />
            {MEMORIES.map((memory) => (
              <th key={memory} scope="colgroup" colSpan={HINTS.length}>
                {memory} memory
              </th>
            ))}
          </tr>
          <tr>
            <td />
            {MEMORIES.map(titles)}
          </tr>
        </thead>
        <tbody>
          {COMMANDS.map((command) => (
            <tr key={command}>
              <th scope="row">{command.toUpperCase()}</th>
              {MEMORIES.map((memory) => cells(command, memory))}
            </tr>
          ))}
        </tbody>
      </table>
    );
  return (
    <table>
      {caption}
      <thead>
        <tr>
          <td colSpan={2} />
          {titles('')}
        </tr>
      </thead>
      {MEMORIES.map((memory) => (
        <tbody key={memory}>
          {COMMANDS.map((command, row) => (
            <tr key={command}>
              {row === 0 && (
                <th scope="rowgroup" rowSpan={COMMANDS.length}>
                  <span>{memory}</span>
                </th>
              )}
              <th scope="row">{command.toUpperCase()}</th>
              {cells(command, memory)}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** Whether all hints are tried; kept across machines. */
let wasTried = true;

/** Results of the run with each cell of the matrix changed, on request and while no question is open. */
function useTried() {
  const part = useStore(hintedPart, (found) => found);
  const machine = useStore(session, (state) => state.machine);
  useStore(session, (state) => state.commands);
  const answerMask = useAnswerMask();
  const [isOn, setOn] = useState(wasTried);
  const on = isOn && answerMask === null;
  const trials = useMemo(() => (machine && part ? hintTrials(machine, part) : []), [machine, part]);
  const devices = useMemo(() => (machine ? movers(machine) : []), [machine]);
  const runs = useFixRuns(trials, on);
  const effectsOf = ({ path, param }: HintCell) =>
    on ? hintEffects(path, Number(param.value), trials, runs, devices) : null;
  const changes = trials.flatMap(({ path }) => {
    const param = part?.params.find((one) => one.path === path);
    return param ? (effectsOf({ path, param }) ?? []).flatMap(({ along }) => along) : [];
  });
  const scale = { down: Math.min(-0.05, ...changes), up: Math.max(0.05, ...changes) };
  return {
    can: answerMask === null && devices.length > 0,
    on,
    toggle: () => {
      wasTried = !isOn;
      setOn(!isOn);
    },
    base: on ? (runs[0] ?? null) : null,
    done: runs.filter((run) => run !== null).length,
    total: trials.length + 1,
    devices,
    effectsOf,
    scale,
  };
}

interface CellProps {
  readonly hint: Hint;
  readonly cell: HintCell | null;
  readonly tried: ReturnType<typeof useTried>;
}

function Cell({ hint, cell, tried }: CellProps) {
  const fixed = useStore(
    session,
    ({ machine }) => cell !== null && machine !== null && isFixed(machine, cell),
  );
  if (!cell) return null;
  const { path, param } = cell;
  // Refused values are shown with the reason, and cannot be chosen.
  if (fixed)
    return (
      <span className={styles.fixed} title={param.spec.constraint}>
        {words(hint, param.value)}, locked
      </span>
    );
  const known: readonly bigint[] = CHOICES[hint];
  const values = known.includes(param.value) ? known : [param.value, ...known];
  const changed = param.value !== BigInt(param.spec.default);
  const effects = tried.effectsOf(cell);
  return (
    <span className={styles.cell} data-changed={changed || undefined} title={param.spec.doc}>
      <span className={styles.value}>
        <Select
          label={param.spec.title}
          options={values.map((value) => ({ value: String(value), title: words(hint, value) }))}
          value={String(param.value)}
          onChange={(value) =>
            setParam(path, param.spec.type === 'flag' ? value === '1' : Number(value), {
              commit: true,
            })
          }
        />
        {effects && <Sparkline effects={effects} scale={tried.scale} />}
      </span>
      {effects && <Effects effects={effects} words={(value) => words(hint, BigInt(value))} />}
    </span>
  );
}
