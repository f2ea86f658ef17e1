import { useState } from 'react';
import { integer } from '../../base/format';
import { useBreakpoints, usePresentRows, useProgramCosts } from '../../controllers/useProgramRows';
import { useStore } from '../../controllers/useStore';
import { runsPrograms, threadsOf, withThread } from '../../model/builder/build-file';
import type { DraftPart } from '../../model/builder/draft';
import { endOf, suggestedRow } from '../../model/builder/program-items';
import type { ItemFile } from '../../model/scenario/program-loops';
import { offeredOperations } from '../../model/scenario/wiring';
import { Button } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import styles from './Program.module.css';
import { type Editing, Items } from './ProgramItems';
import { Variables } from './ProgramVariables';
import { type BuildState, build, change, showProgram } from './state';
import { useBuild } from './useBuild';

/** Rows shown at first, and by each request for more. */
const ROWS_AT_ONCE = 60;

/** The programs of the processors, row by row, beside what each row did in the run. */
export default function Program() {
  const file = useBuild((state: BuildState) => state.file);
  const draft = useStore(build, (state) => state.draft);
  const worker = useStore(build, (state) => state.worker);
  const workers = draft.parts.filter(({ type }) => runsPrograms(type));
  const part = workers.find(({ name }) => name === worker) ?? workers[0];
  const tools = part && workers.length > 1 && (
    <Select
      label="Program of"
      options={workers.map(({ name, title }) => ({ value: name, title }))}
      value={part.name}
      onChange={showProgram}
    />
  );
  return (
    <Panel title="Program" sub={part?.title} tools={tools} scroll>
      {!part && <EmptyState title="No program">A processor has one, row by row.</EmptyState>}
      {part && !file && (
        <EmptyState title="The text cannot be read">
          The rows return once it is fixed or undone.
        </EmptyState>
      )}
      {part && file && (
        <>
          <Threads part={part} threads={threadsOf(file, part.name)} workers={workers} />
          <Variables />
        </>
      )}
    </Panel>
  );
}

interface ThreadsProps {
  readonly part: DraftPart;
  readonly threads: readonly (readonly ItemFile[])[];
  readonly workers: readonly DraftPart[];
}

function Threads({ part, threads, workers }: ThreadsProps) {
  const draft = useStore(build, (state) => state.draft);
  const present = usePresentRows();
  const costs = useProgramCosts();
  const breakpoints = useBreakpoints();
  const [dragged, setDragged] = useState<Editing['dragged']>(null);
  const [shown, setShown] = useState<Readonly<Record<number, number>>>({});
  const offered = offeredOperations(draft.parts, draft.wires, draft.parts.indexOf(part));
  const can = offered.filter(({ why }) => why === null).map(({ member }) => member.name);
  const all = threads.map((rows, thread) => {
    const put = (next: readonly ItemFile[], words: string) =>
      change((file) => withThread(file, part.name, thread, next), words);
    const editing: Editing = {
      ...{ part, thread, rows, can, draft, put, costs, breakpoints, dragged, setDragged },
      others: workers.filter((one) => one !== part),
      present: present.filter((one) => one.program.name === part.name && one.thread === thread),
    };
    const end = endOf(rows);
    const most = shown[thread] ?? ROWS_AT_ONCE;
    const isLong = rows.length > most;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a thread is identified by its index
      <section key={thread} className={styles.thread} aria-label={`Thread ${thread}`}>
        {thread > 0 && <h3>Thread {thread}</h3>}
        <Items items={isLong ? rows.slice(0, most) : rows} path={[]} {...{ editing }} />
        {isLong && (
          <Button look="link" onClick={() => setShown({ ...shown, [thread]: most + ROWS_AT_ONCE })}>
            Show more of its {integer(rows.length)} rows
          </Button>
        )}
        <Button
          look="link"
          onClick={() =>
            put(
              rows.toSpliced(end, 0, suggestedRow(draft, part, rows.slice(0, end), 'spend')),
              `Row ${end + 1} was added.`,
            )
          }
        >
          Add a row
        </Button>
      </section>
    );
  });
  return (
    <>
      {costs.isSealed && (
        <p className={styles.sealed}>What rows cost is sealed: a question asks about this run.</p>
      )}
      {all}
    </>
  );
}
