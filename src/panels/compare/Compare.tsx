import { useEffect } from 'react';
import { route, setParams } from '../../base/route';
import { nextTask } from '../../base/tasks';
import { useCommands } from '../../controllers/useCommands';
import { useStore } from '../../controllers/useStore';
import {
  commandsOf,
  formatRunName,
  machineOf,
  nameOf,
  parseRunName,
  type RunName,
  runNamesIn,
  type Side,
  titleOf,
} from '../../model/report/comparison';
import type { Scenario } from '../../model/scenario/scenario-types';
import { openedScenario } from '../../model/session/editing';
import { forkMachine, forkNamed } from '../../model/session/forks';
import { session } from '../../model/session/session';
import { Button, IconButton } from '../../widgets/Button';
import { EmptyState, ErrorNotice } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { PlayButtons } from '../../widgets/PlayButtons';
import { Segmented } from '../../widgets/Segmented';
import { Select } from '../../widgets/Select';
import { WaitsForAnswers } from '../../widgets/WaitsForAnswers';
import styles from './Compare.module.css';
import { CounterTable } from './CounterTable';
import {
  align,
  alignHere,
  comparing,
  endPs,
  movePlayhead,
  pause,
  stepBoth,
  toDivergence,
  togglePlay,
  toNextDivergence,
  transport,
  zoom,
} from './comparing';
import { Differences } from './Differences';
import { Lockstep } from './Lockstep';
import { MeasureTable } from './MeasureTable';
import { Pane } from './Pane';
import { Readouts } from './Readouts';
import { Together } from './Together';

/** Two runs on one time axis: equal events joined, their divergence, and the results. */
export default function Compare() {
  const data = useStore(session, (state) => state.data);
  const names = useNames(data);
  useRuns(data, names);
  const failure = useStore(comparing.state, (state) => state.failure);
  useCommands([
    {
      id: 'both.toggle',
      title: 'Play or pause both',
      section: 'Compare',
      keys: ['Space'],
      run: togglePlay,
    },
    {
      id: 'both.next',
      title: 'Step both forward',
      section: 'Compare',
      keys: ['ArrowRight'],
      run: () => stepBoth(1),
    },
    {
      id: 'both.back',
      title: 'Step both back',
      section: 'Compare',
      keys: ['ArrowLeft'],
      run: () => stepBoth(-1),
    },
    {
      id: 'both.first',
      title: 'Both to the start',
      section: 'Compare',
      keys: ['Home'],
      run: () => movePlayhead(0),
    },
    {
      id: 'both.last',
      title: 'Both to the end',
      section: 'Compare',
      keys: ['End'],
      run: () => movePlayhead(endPs()),
    },
    {
      id: 'both.zoom_in',
      title: 'Show less of the time',
      section: 'Compare',
      keys: ['+', '='],
      run: () => zoom(1 / ZOOM),
    },
    {
      id: 'both.zoom_out',
      title: 'Show more of the time',
      section: 'Compare',
      keys: ['-'],
      run: () => zoom(ZOOM),
    },
    {
      id: 'both.divergence',
      title: 'First divergence',
      section: 'Compare',
      keys: ['D'],
      run: toDivergence,
    },
    {
      id: 'both.next_divergence',
      title: 'Next divergence',
      section: 'Compare',
      keys: ['Shift+D'],
      run: () => void toNextDivergence(),
    },
    {
      id: 'both.align_here',
      title: 'Align by the event at the playhead',
      section: 'Compare',
      keys: ['E'],
      run: () => alignHere(),
    },
    {
      id: 'both.align_cause',
      title: 'Align by the cause of the event at the playhead',
      section: 'Compare',
      run: () => alignHere('cause'),
    },
    {
      id: 'both.align_start',
      title: 'Align by the start',
      section: 'Compare',
      run: () => align({ by: 'start' }),
    },
    {
      id: 'both.align_parting',
      title: 'Align by the divergence',
      section: 'Compare',
      run: () => align({ by: 'parting' }),
    },
  ]);
  if (!data || !names)
    return (
      <Panel title="Compare" bare>
        <EmptyState title="Nothing to compare">Open a scenario first.</EmptyState>
      </Panel>
    );
  return (
    <Panel title="Compare" bare>
      <div className={styles.compare}>
        <header className={styles.runs}>
          <RunSide letter="A" scenario={data} name={names.a} param="a" />
          <div className={styles.middle}>
            <Button look="primary" onClick={toDivergence}>
              First divergence <kbd>D</kbd>
            </Button>
            <Button onClick={() => void toNextDivergence()}>
              Next <kbd>⇧D</kbd>
            </Button>
          </div>
          <RunSide letter="B" scenario={data} name={names.b} param="b" />
        </header>
        {failure !== null && <ErrorNotice title="These runs cannot be compared" detail={failure} />}
        <WaitsForAnswers what="a comparison">
          <Lockstep />
          <div className={styles.below}>
            <Differences scenario={data} />
            <Outcome scenario={data} />
          </div>
          <Bar swap={() => setParams({ a: formatRunName(names.b), b: formatRunName(names.a) })} />
        </WaitsForAnswers>
      </div>
    </Panel>
  );
}

type When = 'end' | 'now';

const WHEN = [
  { value: 'end', title: 'at the end' },
  { value: 'now', title: 'at the playhead' },
] as const;

/** What the runs came to or, at the playhead, one machine drawn over the other. */
function Outcome({ scenario }: { readonly scenario: Scenario }) {
  const when: When = useStore(route, (state) => (state.params.when === 'now' ? 'now' : 'end'));
  return (
    <Pane label={when === 'now' ? 'At the playhead' : 'At the end'}>
      <div className={styles.order}>
        <Segmented
          label="Compare the machines"
          options={WHEN}
          value={when}
          onChange={(next) => setParams({ when: next === 'now' ? next : null })}
        />
      </div>
      {when === 'now' ? (
        <Together />
      ) : (
        <>
          <MeasureTable scenario={scenario} />
          <CounterTable />
        </>
      )}
    </Pane>
  );
}

const ZOOM = 2;

interface Names {
  readonly a: RunName;
  readonly b: RunName;
}

/** The runs named in the address. */
function useNames(data: Scenario | null): Names | null {
  const a = useStore(route, (state) => state.params.a);
  const b = useStore(route, (state) => state.params.b);
  return data && runNamesIn({ ...(a !== undefined && { a }), ...(b !== undefined && { b }) }, data);
}

/** Runs both, again whenever one of them or the session changes. */
function useRuns(data: Scenario | null, names: Names | null): void {
  const edits = useStore(session, (state) => state.edits);
  const commands = useStore(session, (state) => state.commands);
  const seed = useStore(session, (state) => state.seed);
  const variables = useStore(session, (state) => state.machine?.variables);
  const forks = useStore(session, (state) => state.forks);
  const key = names && `${formatRunName(names.a)} ${formatRunName(names.b)}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the names
  useEffect(() => {
    if (!data || !names) return;
    const changes = { edits, commands, seed, variables: variables ?? {} };
    let isLatest = true;
    const forked = async (name: RunName, fork: string): Promise<Side | string> => {
      const found = await forkMachine(fork);
      if (!found.ok) return found.problems[0]?.message ?? NOT_COMPILED;
      const machine = found.value;
      return {
        name: { ...name, at: nameOf(data, machine.variables).at },
        title: titleOf(data, name, true),
        machine,
        commands: forkNamed(fork)?.changes.commands ?? [],
        recording: null,
      };
    };
    const side = (name: RunName): Side | string | Promise<Side | string> => {
      if (name.fork !== undefined) return forked(name, name.fork);
      const scenario = name.edited ? data : (openedScenario() ?? data);
      const machine = machineOf(scenario, name, changes);
      if (!('config' in machine)) return machine[0]?.message ?? NOT_COMPILED;
      return {
        name,
        title: titleOf(data, name, session.getState().changes > 0),
        machine,
        commands: commandsOf(data, name, changes),
        recording: null,
      };
    };
    const start = async () => {
      const [a, b] = await Promise.all([side(names.a), side(names.b)]);
      if (!isLatest) return;
      if (typeof a === 'string' || typeof b === 'string')
        comparing.state.setState({
          status: 'failed',
          failure: typeof a === 'string' ? a : typeof b === 'string' ? b : null,
        });
      else await comparing.run(a, b, nextTask);
    };
    void start();
    return () => {
      isLatest = false;
      pause();
    };
  }, [data, key, edits, commands, seed, variables, forks]);
}

const NOT_COMPILED = 'The run cannot be compiled.';

interface SideProps {
  readonly letter: 'A' | 'B';
  readonly scenario: Scenario;
  readonly name: RunName;
  readonly param: 'a' | 'b';
}

/** One of the two runs, and the choice of another. */
function RunSide({ letter, scenario, name, param }: SideProps) {
  const hasChanges = useStore(session, (state) => state.changes > 0);
  const forks = useStore(session, (state) => state.forks);
  const axes = name.fork === undefined ? (scenario.experiment?.axes ?? []) : [];
  const set = (next: RunName) => setParams({ [param]: formatRunName(next) });
  return (
    <div className={styles.side} data-side={letter}>
      <b className={styles.letter}>{letter}</b>
      <div>
        {/* If the run has choices, they are the title. */}
        <h2 className={axes.length > 0 || forks.length > 0 ? 'visually-hidden' : undefined}>
          {titleOf(scenario, name, hasChanges)}
        </h2>
        <div className={styles.choices}>
          {axes.map((axis, place) => (
            <Select
              key={axis.name}
              label={`${letter}: ${axis.title}`}
              options={axis.values.map((value, index) => ({
                value: String(index),
                title: axis.titles[index] ?? String(value),
              }))}
              value={String(name.at[place] ?? 0)}
              onChange={(index) =>
                set({ ...name, at: name.at.map((old, at) => (at === place ? Number(index) : old)) })
              }
            />
          ))}
          {(hasChanges || !name.edited || forks.length > 0) && (
            <Select
              label={`${letter}: machine`}
              options={[
                { value: 'edited', title: 'with the changes' },
                { value: 'published', title: 'as published' },
                ...forks.map((fork) => ({
                  value: forkChoice(fork.name),
                  title: `fork ${fork.name}`,
                })),
              ]}
              value={
                name.fork !== undefined
                  ? forkChoice(name.fork)
                  : name.edited
                    ? 'edited'
                    : 'published'
              }
              onChange={(value) => set(chosenRun(scenario, value))}
            />
          )}
        </div>
      </div>
    </div>
  );
}

const forkChoice = (name: string): string => formatRunName({ at: [], edited: true, fork: name });

/** The run of a choice of machine: a fork, or the open run with or without the changes. */
function chosenRun(scenario: Scenario, choice: string): RunName {
  if (choice !== 'edited' && choice !== 'published') return parseRunName(choice, scenario);
  const { machine } = session.getState();
  return { ...nameOf(scenario, machine?.variables ?? {}), edited: choice === 'edited' };
}

function Bar({ swap }: { readonly swap: () => void }) {
  const playing = useStore(transport, (state) => state.playing);
  return (
    <div className={styles.bar}>
      <IconButton icon="start" label="First" keys="Home" onClick={() => movePlayhead(0)} />
      <PlayButtons
        playClass={styles.play}
        playing={playing}
        onBack={() => stepBoth(-1)}
        onToggle={togglePlay}
        onForward={() => stepBoth(1)}
      />
      <IconButton icon="end" label="Last" keys="End" onClick={() => movePlayhead(endPs())} />
      <Readouts />
      <span className={styles.right}>
        <Button size="small" aria-label="Show less of the time" onClick={() => zoom(1 / ZOOM)}>
          Zoom in <kbd>+</kbd>
        </Button>
        <Button size="small" aria-label="Show more of the time" onClick={() => zoom(ZOOM)}>
          Zoom out <kbd>−</kbd>
        </Button>
        <Button size="small" onClick={swap}>
          Swap A and B
        </Button>
      </span>
    </div>
  );
}
