/** Hatches and arrow heads that drawings refer to by id, once per page. */
export function DrawingDefs() {
  return (
    <svg width="0" height="0" style={{ position: 'absolute' }} aria-hidden="true">
      <defs>
        <Hatch id="hx" size={4} thick={1.3} color="--st-stale-line" />
        <Hatch id="hwait" size={4} thick={1} color="--line-3" />
        <Hatch id="hgrey" size={5} thick={1} color="--line-2" />
        <Hatch id="hbad" size={4} thick={1} color="--bad" />
        <Arrow id="ah" color="--ink-2" />
        <Arrow id="ah-accent" color="--accent" />
      </defs>
    </svg>
  );
}

interface HatchProps {
  readonly id: string;
  readonly size: number;
  readonly thick: number;
  readonly color: string;
}

function Hatch({ id, size, thick, color }: HatchProps) {
  return (
    <pattern
      id={id}
      width={size}
      height={size}
      patternUnits="userSpaceOnUse"
      patternTransform="rotate(45)"
    >
      <rect width={thick} height={size} fill={`var(${color})`} />
    </pattern>
  );
}

function Arrow({ id, color }: { readonly id: string; readonly color: string }) {
  return (
    <marker
      id={id}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      orient="auto-start-reverse"
    >
      <path d="M0 1L7 4L0 7z" fill={`var(${color})`} />
    </marker>
  );
}
