import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { ChartModel, Marker } from '../../draw/lab/chart-types';
import { Words } from './Drawing';
import styles from './Drawing.module.css';

interface HandlesProps {
  readonly chart: ChartModel;
  /** Share of its size by which an arrow key moves a crossing. */
  readonly step?: number;
  /** Parameter that each handle solves for, by handle. */
  readonly solves: Readonly<Record<string, string | null>>;
  /** Position of a pointer on the sheet. */
  placeOf(event: PointerEvent): { x: number; y: number };
  onDrag(id: string, size: number): void;
  onDrop(id: string): void;
}

/** The crossings: a line from a grip down to the ring where the curves meet. */
export function Handles(props: HandlesProps) {
  return props.chart.markers.map((marker) => (
    <g key={marker.id}>
      {marker.before && (
        <>
          <line
            className={styles.ghostLine}
            x1={marker.before.x}
            x2={marker.before.x}
            y1={marker.before.y + 4}
            y2={marker.before.y + 28}
          />
          <circle
            className={styles.ghostCrossing}
            cx={marker.before.x}
            cy={marker.before.y}
            r={4}
          />
          <Words label={marker.before.label} className="t11 i3 halo" />
        </>
      )}
      <Handle {...props} marker={marker} />
      {marker.lines.map((line, row) => (
        <Words key={line.text} label={line} className={row === 0 ? 't12 b6 halo' : 't11 i2 halo'} />
      ))}
    </g>
  ));
}

function Handle(props: HandlesProps & { readonly marker: Marker }) {
  const { chart, marker, solves, step = 0.02 } = props;
  const { grip, x, ring, draggable } = marker;
  const dragging = useRef(false);
  const bottom = ring ?? chart.plot.y + 12;
  const name = solves[marker.id];

  function onPointerDown(event: PointerEvent<SVGGElement>): void {
    if (!draggable || event.button !== 0) return;
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.focus();
    dragging.current = true;
  }

  function onPointerMove(event: PointerEvent<SVGGElement>): void {
    if (!dragging.current) return;
    event.stopPropagation();
    props.onDrag(marker.id, chart.exactSizeAt(props.placeOf(event).x));
  }

  function release(event: PointerEvent<SVGGElement>): void {
    if (!dragging.current) return;
    event.stopPropagation();
    dragging.current = false;
    props.onDrop(marker.id);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const direction = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (!direction || !draggable) return;
    event.preventDefault();
    const share = (1 + step * (event.shiftKey ? 5 : 1)) ** direction;
    props.onDrag(marker.id, chart.exactSizeAt(x) * share);
    props.onDrop(marker.id);
  }

  return (
    <g
      className={styles.handle}
      data-drag={draggable || undefined}
      data-handle={marker.id}
      role="slider"
      tabIndex={draggable ? 0 : -1}
      aria-label={`Crossing ${marker.title}${name ? `, solves for ${name}` : ''}`}
      aria-disabled={!draggable}
      aria-valuemin={Math.round(chart.exactSizeAt(chart.plot.x))}
      aria-valuemax={Math.round(chart.exactSizeAt(chart.plot.x + chart.plot.width))}
      aria-valuenow={Math.round(chart.exactSizeAt(x))}
      aria-valuetext={marker.text}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={release}
      onPointerCancel={release}
      onKeyDown={onKeyDown}
    >
      <title>{name ? `Drag to solve for: ${name}` : marker.text}</title>
      <line className={styles.line} x1={x} x2={x} y1={grip.y + grip.height - 8} y2={bottom} />
      {ring !== null && <circle className={styles.crossing} cx={x} cy={ring} r={5} />}
      <rect className={styles.grip} {...grip} rx={2} />
      <path
        className={styles.gripLines}
        d={[-4, 0, 4].map((dx) => `M${x + dx} ${grip.y + 4}v8`).join('')}
      />
      <rect
        className={styles.focus}
        x={grip.x - 4}
        y={grip.y - 4}
        width={grip.width + 8}
        height={grip.height + 8}
        rx={3}
      />
      <rect className={styles.reach} x={x - 22} y={grip.y - 14} width={44} height={44} />
    </g>
  );
}
