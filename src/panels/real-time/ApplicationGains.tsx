import { useRef } from 'react';
import { tables, useRunTable } from '../../controllers/useRunTable';
import { useScale } from '../../controllers/useScale';
import { useSize } from '../../controllers/useSize';
import { useCoversExperiment } from '../../controllers/useVeil';
import {
  applicationGains,
  gainRange,
  gainSentences,
  gainShapes,
  type ApplicationGains as Sheet,
} from '../../draw/real-time/application-gains';
import { EmptyState, ProgressLine } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextTwin } from '../../widgets/TextTwin';
import styles from './RealTime.module.css';

/** Narrower than this, one chart stands below the other. */
const NARROW = 560;

/** Gains of all applications, alone and beside a task; every point is two runs, made again after each edit. */
export default function ApplicationGains() {
  const table = useRunTable();
  const covered = useCoversExperiment();
  const sheets = applicationGains(table);
  const { rows, done, halted } = table;
  const empty = 'This scenario does not compare applications.';
  return (
    <Panel
      title="Gain of the second processor"
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
      twin={sheets ? <TextTwin sentences={gainSentences(sheets)} /> : <TextTwin summary={empty} />}
    >
      {sheets ? <Sheets sheets={sheets} /> : <EmptyState title={empty} />}
    </Panel>
  );
}

function Sheets({ sheets }: { readonly sheets: readonly Sheet[] }) {
  const box = useRef<HTMLDivElement>(null);
  const { width, height } = useSize(box);
  const scale = useScale();
  const isNarrow = width / scale < NARROW;
  const [wide, high] = isNarrow ? [width, height / sheets.length] : [width / sheets.length, height];
  const sheet = { width: wide / scale, height: high / scale };
  const range = gainRange(sheets);
  return (
    <div className={styles.box} ref={box}>
      <div className={isNarrow ? styles.stacked : styles.beside}>
        {width > 0 &&
          sheets.map((one) => (
            <SvgView
              key={one.title}
              {...sheet}
              scale={scale}
              label={gainSentences([one]).join(' ')}
            >
              <ShapeView shapes={gainShapes(one, range, sheet.width, sheet.height)} />
            </SvgView>
          ))}
      </div>
    </div>
  );
}
