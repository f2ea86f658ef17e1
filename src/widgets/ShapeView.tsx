import type { Shape } from '../draw/shape';

/** Static shapes as SVG. */
export function ShapeView({ shapes }: { readonly shapes: readonly Shape[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: shapes have no identity but their index
  return shapes.map((shape, index) => <One key={index} shape={shape} />);
}

function One({ shape }: { readonly shape: Shape }) {
  switch (shape.kind) {
    case 'rect': {
      const { x, y, width, height, cls, opacity } = shape;
      return <rect {...{ x, y, width, height, opacity }} className={cls} />;
    }
    case 'path':
      return <path d={shape.d} className={shape.cls} opacity={shape.opacity} />;
    case 'circle':
      return <circle cx={shape.x} cy={shape.y} r={shape.r} className={shape.cls} />;
    case 'text':
      return (
        <text x={shape.x} y={shape.y} className={shape.cls}>
          {shape.text}
        </text>
      );
  }
}
