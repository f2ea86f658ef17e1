import { useStore } from '../../controllers/useStore';
import type { PartType } from '../../engine/manifest';
import {
  fieldsOf,
  fieldValue,
  loopText,
  newRow,
  runsPrograms,
  threadsOf,
  withThread,
} from '../../model/builder/build-file';
import type { BuildFile } from '../../model/builder/build-types';
import type { DraftPart } from '../../model/builder/draft';
import {
  type ItemFile,
  isLoop,
  type LoopFile,
  type RowFile,
} from '../../model/scenario/program-loops';
import { offeredOperations } from '../../model/scenario/wiring';
import { Button, IconButton } from '../../widgets/Button';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import { Field } from './Field';
import styles from './Program.module.css';
import { type BuildState, build, change, showProgram } from './state';
import { useBuild } from './useBuild';

/** Longer programs are edited as text. */
const MAX_EDITABLE_ROWS = 60;

/** The programs of the processors, row by row. */
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
      {part &&
        file &&
        threadsOf(file, part.name).map((rows, thread) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a thread is identified by its index
          <Thread key={thread} part={part} thread={thread} rows={rows} />
        ))}
    </Panel>
  );
}

interface ThreadProps {
  readonly part: DraftPart;
  readonly thread: number;
  readonly rows: readonly ItemFile[];
}

function Thread({ part, thread, rows }: ThreadProps) {
  const draft = useStore(build, (state) => state.draft);
  const put = (next: readonly ItemFile[], words: string) =>
    change((file) => withThread(file, part.name, thread, next), words);
  const offered = offeredOperations(draft.parts, draft.wires, draft.parts.indexOf(part));
  const can = offered.filter(({ why }) => why === null).map(({ member }) => member.name);
  const shown = rows.slice(0, MAX_EDITABLE_ROWS);
  const last = rows.at(-1);
  const end = last && !isLoop(last) && last.do === 'end' ? rows.length - 1 : rows.length;
  return (
    <section className={styles.thread} aria-label={`Thread ${thread}`}>
      {thread > 0 && <h3>Thread {thread}</h3>}
      <ol>
        {shown.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its index
          <li key={at}>
            <span className={styles.number}>{at + 1}</span>
            {isLoop(row) ? (
              <Loop loop={row} />
            ) : (
              <Row
                {...{ part, row, at, can }}
                withRow={(file, next) => withThread(file, part.name, thread, rows.with(at, next))}
              />
            )}
            <IconButton
              icon="up"
              label={`Move row ${at + 1} up`}
              disabled={at === 0}
              onClick={() => put(swapped(rows, at), `Row ${at + 1} moved up.`)}
            />
            <IconButton
              icon="close"
              label={`Remove row ${at + 1}`}
              onClick={() => put(rows.toSpliced(at, 1), `Row ${at + 1} was removed.`)}
            />
          </li>
        ))}
      </ol>
      {rows.length > MAX_EDITABLE_ROWS && (
        <p>And {rows.length - MAX_EDITABLE_ROWS} more rows, in the scenario text.</p>
      )}
      <Button
        look="link"
        onClick={() =>
          put(rows.toSpliced(end, 0, newRow(part.type, 'spend')), `Row ${end + 1} was added.`)
        }
      >
        Add a row
      </Button>
    </section>
  );
}

function swapped(rows: readonly ItemFile[], at: number): ItemFile[] {
  const [upper, lower] = [rows[at - 1], rows[at]];
  return upper && lower ? rows.with(at - 1, lower).with(at, upper) : [...rows];
}

interface RowProps {
  readonly part: DraftPart;
  readonly row: RowFile;
  readonly at: number;
  /** Operations that some part of this machine executes. */
  readonly can: readonly string[];
  /** Returns the file with another row here. */
  withRow(file: BuildFile, row: RowFile): BuildFile;
}

/** A loop as text. Its rows stand for many, so they have no fields of their own. */
function Loop({ loop }: { readonly loop: LoopFile }) {
  return (
    <span className={styles.loop}>
      <code>{loopText(loop)}</code>
      <small>This loop makes many rows. Change it in the scenario text.</small>
    </span>
  );
}

function Row({ part, row, at, can, withRow }: RowProps) {
  const operation = String(row.do ?? '');
  const offered = [...new Set([operation, ...can])].map((name) => ({
    value: name,
    title: can.includes(name) ? name : `${name}: no part here supports it`,
  }));
  const fields = [...new Set([...fieldsOf(part.type, operation), ...givenIn(row)])];
  return (
    <>
      <Select
        label={`Operation of row ${at + 1}`}
        options={offered}
        value={operation}
        onChange={(next) =>
          change(
            (file) => withRow(file, turned(part.type, row, next)),
            `Row ${at + 1} was changed.`,
          )
        }
      />
      <span className={styles.fields}>
        {fields.map((field) => (
          <span key={field}>
            <i>{field}</i>
            <Field
              label={`Row ${at + 1}, ${field}`}
              value={String(row[field] ?? '')}
              make={(file, text) =>
                withRow(file, { ...row, [field]: fieldValue(part.type, field, text) })
              }
              words={() => `Row ${at + 1} was changed.`}
            />
          </span>
        ))}
      </span>
    </>
  );
}

const givenIn = (row: RowFile): string[] => Object.keys(row).filter((field) => field !== 'do');

/** Changes the operation of a row and keeps the fields that both have. */
function turned(type: PartType, row: RowFile, operation: string): RowFile {
  const fields = fieldsOf(type, operation);
  const kept = Object.entries(row).filter(([field]) => fields.includes(field));
  return { ...newRow(type, operation), ...Object.fromEntries(kept) };
}
