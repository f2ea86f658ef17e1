import { useEffect, useState } from 'react';
import { signedPercent, text, time } from '../../base/format';
import { showToast } from '../../base/notices';
import { processors } from '../../controllers/processors';
import { createWorkerEngine } from '../../engine/workers';
import { withoutFollowing } from '../../model/scenario/experiment';
import { setEdits } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { type Refit, type RefitConstant, type RefitRow, refit } from '../../model/sweep/refit';
import { refitErrorText, refitText, usedSizes } from '../../model/sweep/refit-text';
import { Button } from '../../widgets/Button';
import { Dialog, DialogActions, DialogBody } from '../../widgets/Dialog';
import { download } from '../../widgets/download';
import { ErrorNotice, ProgressLine } from '../../widgets/Feedback';
import { type Column, Table } from '../../widgets/Table';

/** Runs of a fit so far; its result, or why there is none. */
interface Fitting {
  readonly runs: number;
  readonly found: Refit | null;
  readonly problem: string | null;
}

/** Fits the open machine to the user's table, on all processors, until the dialog is closed. */
function useFit(): Fitting {
  const [state, setState] = useState<Fitting>({ runs: 0, found: null, problem: null });
  useEffect(() => {
    const { data: scenario, machine, edits, seed, measured } = session.getState();
    if (!scenario || !machine || !measured) return;
    const variables = withoutFollowing(scenario, machine.variables);
    const input = { scenario, machine, variables, edits, seed: seed ?? undefined };
    const engines = Array.from({ length: processors() }, () => createWorkerEngine());
    const stop = new AbortController();
    const set = (some: Partial<Fitting>) => {
      if (!stop.signal.aborted) setState((now) => ({ ...now, ...some }));
    };
    const end = () => {
      for (const engine of engines) engine.dispose();
    };
    refit(engines, { ...input, table: measured.table }, (runs) => set({ runs }), stop.signal)
      .then(
        (found) => set({ found }),
        (error: Error) => set({ problem: error.message }),
      )
      .finally(end);
    return () => {
      stop.abort();
      end();
    };
  }, []);
  return state;
}

const shown = (ps: number): string => text(time(ps));

const CONSTANTS: readonly Column<RefitConstant>[] = [
  { id: 'title', title: 'Constant', cell: ({ title }) => title },
  { id: 'before', title: 'before', numeric: true, cell: ({ beforePs }) => shown(beforePs) },
  { id: 'after', title: 'fitted', numeric: true, cell: ({ afterPs }) => shown(afterPs) },
  {
    id: 'change',
    title: 'change',
    numeric: true,
    cell: ({ change }) => (change === 0 ? 'unmoved' : signedPercent(change * 100)),
  },
];

function use({ constants }: Refit): void {
  const moved = constants.filter(({ change }) => change !== 0);
  const fitted = Object.fromEntries(moved.map(({ path, after }) => [path, after]));
  const refused = setEdits({ ...session.getState().edits, ...fitted });
  showToast(refused?.message ?? 'The fitted constants are set. Undo brings the others back.');
}

interface FitProps {
  /** Questions are open that the fitted rows would answer. */
  readonly isSealed: boolean;
  onClose(): void;
}

export default function Fit({ isSealed, onClose }: FitProps) {
  return (
    <Dialog title="Fit the constants to your table" onClose={onClose}>
      <DialogBody>
        {isSealed ? (
          <p>Answer the open questions first: the fit would show what they cover.</p>
        ) : (
          <Fitted onClose={onClose} />
        )}
      </DialogBody>
    </Dialog>
  );
}

function Fitted({ onClose }: Pick<FitProps, 'onClose'>) {
  const { runs, found, problem } = useFit();
  if (problem) return <ErrorNotice title="The constants could not be fitted" detail={problem} />;
  if (!found)
    return (
      <>
        <p role="status">Runs so far: {runs}. A fit takes some hundreds.</p>
        <ProgressLine label="Fitting" done={runs} total={0} onStop={onClose} />
      </>
    );
  const { rows, constants, kept } = found;
  return (
    <>
      <p role="status">
        Mean error of the rows fitted: {refitErrorText(rows, 'fitted')}. Of the rows held out:{' '}
        {refitErrorText(rows, 'held out')}.
      </p>
      <Table
        caption="Constants before and after the fit"
        columns={CONSTANTS}
        rows={constants}
        rowKey={({ path }) => path}
      />
      {kept.length > 0 && (
        <p>Kept, because they act in steps: {kept.map(({ title }) => title).join(', ')}.</p>
      )}
      <Used title="Rows fitted" rows={rows} use="fitted" />
      <Used title="Rows held out" rows={rows} use="held out" />
      <Used title="Rows left out" rows={rows} use="left out" />
      <DialogActions>
        <Button
          look="primary"
          onClick={() => {
            use(found);
            onClose();
          }}
        >
          Use these constants
        </Button>
        <Button onClick={() => download('fit.txt', refitText(found), 'text/plain')}>
          Save every row as text
        </Button>
      </DialogActions>
    </>
  );
}

interface UsedProps {
  readonly title: string;
  readonly rows: readonly RefitRow[];
  readonly use: RefitRow['use'];
}

function Used({ title, rows, use }: UsedProps) {
  const sizes = usedSizes(rows, use);
  const reasons = [...new Set(rows.filter((row) => row.use === use).map((row) => row.because))];
  if (sizes.length === 0) return null;
  return (
    <details>
      <summary>{title}</summary>
      <ul>
        {sizes.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {reasons.map((reason) => reason && <p key={reason}>{reason}</p>)}
    </details>
  );
}
