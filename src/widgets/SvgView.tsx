import type { CSSProperties, ReactNode, SVGAttributes } from 'react';

interface SvgViewProps extends Omit<SVGAttributes<SVGSVGElement>, 'width' | 'height' | 'role'> {
  /** Size of the drawing in user units. */
  readonly width: number;
  readonly height: number;
  /** What the drawing shows. Leave it out only for ornaments beside a text that says the same. */
  readonly label?: string;
  /** `none`: natural size. `contain`: as large as the box allows. `width`: as wide as the box. */
  readonly fit?: 'none' | 'contain' | 'width';
  /** Scale factor, with fit `none`. */
  readonly scale?: number;
  /** Contains controls, so its role is a group, not an image. */
  readonly interactive?: boolean;
  readonly children: ReactNode;
}

const FIT = {
  none: {},
  contain: { display: 'block', width: '100%', height: '100%' },
  width: { display: 'block', width: '100%', height: 'auto' },
} as const;

/** An SVG drawing with the classes of drawing.css. */
export function SvgView(props: SvgViewProps) {
  const {
    width,
    height,
    label,
    fit = 'none',
    interactive,
    scale = 1,
    className,
    style,
    children,
    ...rest
  } = props;
  const size = fit === 'none' ? { width: width * scale, height: height * scale } : {};
  const drawn = fit === 'none' && scale !== 1 ? { '--drawn': scale } : {};
  // On paper a drawing made for a column is no wider than it.
  const natural = fit === 'width' ? { '--natural': `${width}px` } : {};
  const voice = label
    ? { role: interactive ? ('group' as const) : ('img' as const), 'aria-label': label }
    : { 'aria-hidden': true };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: the label is among the spread properties
    <svg
      {...rest}
      {...size}
      {...voice}
      viewBox={`0 0 ${width} ${height}`}
      className={`drawing ${className ?? ''}`}
      style={{ ...FIT[fit], ...drawn, ...natural, ...style } as CSSProperties}
    >
      {children}
    </svg>
  );
}
