import type { ReactNode } from 'react';
import { tables } from '../../controllers/useRunTable';
import { useCoversExperiment } from '../../controllers/useVeil';
import type { RunTable } from '../../model/run/run-table';
import { EmptyState, ProgressLine } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { TextTwin } from '../../widgets/TextTwin';

interface CurvePanelProps {
  readonly title: string;
  readonly table: RunTable;
  /** The sentence that stands there if the scenario has no such chart. */
  readonly empty: string;
  readonly twin: ReactNode;
  /** The chart; null if there is none. */
  readonly children: ReactNode;
}

/** What curves over the runs of an experiment have in common: how far their runs are, and that they may be stopped. */
export function CurvePanel({ title, table, empty, twin, children }: CurvePanelProps) {
  const covered = useCoversExperiment();
  const { rows, done, halted } = table;
  return (
    <Panel
      title={title}
      sub={done === rows.length && 'rings are the paper’s'}
      covered={covered}
      tools={
        done < rows.length &&
        !halted && (
          <ProgressLine
            label="Running"
            done={done}
            total={rows.length}
            onStop={() => tables.halt()}
          />
        )
      }
      twin={children ? twin : <TextTwin summary={empty} />}
    >
      {children ?? <EmptyState title={empty} />}
    </Panel>
  );
}
