import { useSize } from '../../controllers/useSize';
import { useScale } from '../../controllers/useStore';
import type { Shape } from '../../draw/shape';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './RealTime.module.css';

interface ChartSheetProps {
  /** What the chart shows. */
  readonly label: string;
  /** The shapes of the chart at this size. */
  readonly shapes: (width: number, height: number) => Shape[];
}

/** A chart that fills its box. */
export function ChartSheet({ label, shapes }: ChartSheetProps) {
  const [box, size] = useSize();
  const scale = useScale();
  const [width, height] = [size.width / scale, size.height / scale];
  return (
    <div className={styles.box} ref={box}>
      {width > 0 && (
        <SvgView width={width} height={height} scale={scale} label={label}>
          <ShapeView shapes={shapes(width, height)} />
        </SvgView>
      )}
    </div>
  );
}
