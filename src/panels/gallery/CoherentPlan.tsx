import styles from './Thumbnails.module.css';

type Box = readonly [x: number, y: number, w: number, h: number];

interface Plan {
  readonly boxes: readonly Box[];
  readonly rails: readonly Box[];
  /** Stubs from a box to a rail: x, from, to. */
  readonly stubs: readonly (readonly [x: number, y1: number, y2: number])[];
}

/** Outline of the coherent machine's parts and wires. */
const PLAN: Plan = {
  boxes: [
    ...[0, 1, 2, 3].map((i): Box => [12 + i * 60, 14, 52, 30]),
    [12, 84, 74, 28],
    [102, 84, 142, 28],
    [114, 138, 36, 12],
    [200, 138, 36, 12],
  ],
  rails: [
    [12, 58, 232, 14],
    [102, 122, 142, 8],
  ],
  stubs: [
    ...[0, 1, 2, 3].map((i) => [38 + i * 60, 44, 58] as const),
    [48, 72, 84],
    [172, 72, 84],
    [172, 112, 122],
    [132, 130, 138],
    [218, 130, 138],
  ],
};

export function CoherentDiagram() {
  return (
    <g className={styles.plan}>
      {PLAN.rails.map(([x, y, w, h]) => (
        <rect key={`r${x} ${y}`} className={styles.rail} x={x} y={y} width={w} height={h} />
      ))}
      {PLAN.stubs.map(([x, y1, y2]) => (
        <line key={`s${x} ${y1}`} className={styles.stub} x1={x} x2={x} y1={y1} y2={y2} />
      ))}
      {PLAN.boxes.map(([x, y, w, h]) => (
        <rect key={`b${x} ${y}`} x={x} y={y} width={w} height={h} />
      ))}
    </g>
  );
}
