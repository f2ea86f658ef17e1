import type { ReactNode } from 'react';
import { useHidesExperiment } from '../../controllers/useAnswerMask';
import { useLiveCommands } from '../../controllers/useRun';
import { tables } from '../../controllers/useRunTable';
import type { RunTable } from '../../model/lab/run-table';
import { EmptyState, ProgressLine } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { TextAlternative } from '../../widgets/TextAlternative';

interface CurvePanelProps {
  readonly title: string;
  readonly table: RunTable;
  /** Shown if the scenario has no such chart. */
  readonly empty: string;
  readonly textAlternative: ReactNode;
  /** A choice of what is drawn. */
  readonly choice?: ReactNode;
  /** The chart; null if there is none. */
  readonly children: ReactNode;
}

/** Common frame of curves over an experiment's runs: their progress, with a stop button. */
export function CurvePanel({
  title,
  table,
  empty,
  textAlternative,
  choice,
  children,
}: CurvePanelProps) {
  const masked = useHidesExperiment();
  const liveCommands = useLiveCommands();
  const { rows, done, paused } = table;
  // A header with choices has no room for a progress bar; the table of all runs has it.
  const choosing = done < rows.length && `${done} of ${rows.length} runs`;
  return (
    <Panel
      title={title}
      sub={liveCommands ?? (choice ? choosing : done === rows.length && 'rings are the paper’s')}
      masked={masked}
      tools={
        <>
          {!choice && done < rows.length && !paused && (
            <ProgressLine
              label="Running"
              done={done}
              total={rows.length}
              onStop={() => tables.stopRecording()}
            />
          )}
          {choice}
        </>
      }
      textAlternative={children ? textAlternative : <TextAlternative summary={empty} />}
    >
      {children ?? <EmptyState title={empty} />}
    </Panel>
  );
}
