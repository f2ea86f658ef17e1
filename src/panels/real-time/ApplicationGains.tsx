import { useRunTable } from '../../controllers/useRunTable';
import { useSize } from '../../controllers/useSize';
import { useScale } from '../../controllers/useStore';
import {
  applicationGains,
  gainRange,
  gainSentences,
  gainShapes,
  type ApplicationGains as Sheet,
} from '../../draw/realtime/application-gains';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import { CurvePanel } from './CurvePanel';
import styles from './RealTime.module.css';

/** On a narrower sheet the charts are stacked. */
const NARROW = 560;

/** Gains of all applications, alone and beside a task; every point is two runs, repeated after each edit. */
export default function ApplicationGains() {
  const table = useRunTable();
  const sheets = applicationGains(table);
  return (
    <CurvePanel
      title="Gain of the second processor"
      table={table}
      empty="This scenario does not compare applications."
      textAlternative={sheets && <TextAlternative sentences={gainSentences(sheets)} />}
    >
      {sheets && <Sheets sheets={sheets} />}
    </CurvePanel>
  );
}

function Sheets({ sheets }: { readonly sheets: readonly Sheet[] }) {
  const [box, { width, height }] = useSize();
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
