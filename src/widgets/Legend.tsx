import type { Shape } from '../draw/shape';
import styles from './Legend.module.css';
import { ShapeView } from './ShapeView';
import { SvgView } from './SvgView';

interface Kind {
  readonly kind: string;
  readonly title: string;
  /** Its mark on a 14 by 14 sheet, if it is more than a colour. */
  readonly sign?: readonly Shape[];
}

interface LegendProps {
  readonly kinds: readonly Kind[];
  /** Class that styles the kinds without a sign: `li[data-kind]::before`. */
  readonly className?: string | undefined;
}

/** The meaning of the marks of a drawing, in a line below it. */
export function Legend({ kinds, className }: LegendProps) {
  return (
    <ul className={`${styles.legend} ${className ?? ''}`}>
      {kinds.map(({ kind, title, sign }) => (
        <li key={kind} data-kind={kind} data-sign={sign !== undefined || undefined}>
          {sign && (
            <SvgView width={14} height={14}>
              <ShapeView shapes={sign} />
            </SvgView>
          )}
          {title}
        </li>
      ))}
    </ul>
  );
}
