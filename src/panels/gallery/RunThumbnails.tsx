/** Small pictures of moments of runs. Their data are in runs.json, which a test compares with the runs. */
import { signedPercent } from '../../base/format';
import { MAP_TOKENS } from '../../draw/coherence/map';
import { glyph } from '../../draw/glyph';
import { figure } from '../../model/published/published';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { CoherentDiagram } from './CoherentPlan';
import runs from './runs.json';
import styles from './Thumbnails.module.css';

interface Square {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Many squares of one colour as one outline. */
const outline = (squares: readonly Square[]): string =>
  squares.map(({ x, y, width, height }) => `M${x} ${y}h${width}v${height}h${-width}z`).join('');

const CELLS_ACROSS = 12;
const CELL = 3.8;

/** The cells of one cache, 12 in a row. */
const cellsOf = (states: string, left: number): (Square & { state: number })[] =>
  [...states].map((state, i) => ({
    x: left + (i % CELLS_ACROSS) * CELL,
    y: 19.5 + Math.floor(i / CELLS_ACROSS) * CELL,
    width: CELL - 0.8,
    height: CELL - 0.8,
    state: Number(state),
  }));

/** Moments of the run that the caches are shown at, the last one at rest. */
export const COHERENT_FRAMES = runs.coherent.frames.length;

/** The contents of four caches at a moment of a run. */
export function CoherentThumbnail({ frame }: { readonly frame: number }) {
  const caches = runs.coherent.frames[frame] ?? [];
  const cells = caches.flatMap((states, i) => cellsOf(states, 15 + i * 60));
  return (
    <SvgView width={256} height={156} fit="width">
      <CoherentDiagram />
      {MAP_TOKENS.map((token, state) => (
        <path
          key={token}
          d={outline(cells.filter((cell) => cell.state === state))}
          style={{ fill: `var(${token})` }}
        />
      ))}
      <ShapeView
        shapes={[
          glyph('adapter', 116, 98, 5),
          glyph('disk', 132, 144, 3.6),
          glyph('lan', 218, 144, 3.6),
        ]}
      />
    </SvgView>
  );
}

const SHADES = 16;
const STRIPS = { left: 12, width: 232, top: 12, step: 9, height: 6.5 };
const KINDS = ['held', 'own', 'foreign'] as const;

type Run = (readonly [state: string, from: number, to: number])[];

/** Used entries of the first pools, their cursors, and the processors' time with one lock and with many. */
export function PoolsThumbnail() {
  return (
    <SvgView width={256} height={156} fit="width">
      {runs.pools.strips.map(({ pool, tones, cursor }) => (
        <Strip key={pool} tones={tones} cursor={cursor} row={pool} />
      ))}
      <Lanes title="1 lock" left={12} lanes={runs.pools.one as unknown as Run[]} />
      <Lanes title="16 locks" left={132} lanes={runs.pools.sixteen as unknown as Run[]} />
    </SvgView>
  );
}

const HINTS = { left: 36, width: 158, top: 30, step: 27, height: 11 };

interface SpansProps {
  readonly spans: Run;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The states of one lane, from the left to the right while the thumbnail plays. */
function Spans({ spans, left, top, width, height }: SpansProps) {
  return (
    <g className={styles.sweep}>
      {spans.map(([state, from, to]) => (
        <rect
          key={from}
          className={styles.lane}
          data-state={state}
          x={left + (from / 100) * width}
          y={top}
          width={Math.max(0.8, ((to - from) / 100) * width)}
          height={height}
        />
      ))}
    </g>
  );
}

/** Reads on PCI with zero to three lines prefetched, and the throughput of each. */
export function HintsThumbnail() {
  const rows = runs.hints as unknown as { depth: number; bursts: Run; rate: number }[];
  return (
    <SvgView width={256} height={156} fit="width">
      <text className="t10 i2" x={12} y={16}>
        lines ahead
      </text>
      <text className="t10 i2 end" x={244} y={16}>
        MB/s
      </text>
      {rows.map(({ depth, bursts, rate }, row) => {
        const y = HINTS.top + row * HINTS.step;
        const { left, width, height } = HINTS;
        return (
          <g key={depth}>
            <text className="t12 b6 mid" x={18} y={y + 9.5}>
              {depth}
            </text>
            <path className={styles.idle} d={`M${left} ${y + height / 2}h${width}`} />
            <Spans spans={bursts} left={left} top={y} width={width} height={height} />
            <text className="t12 b6 end" x={244} y={y + 9.5}>
              {rate}
            </text>
          </g>
        );
      })}
      <text className="t10 i3" x={HINTS.left} y={148}>
        bursts on PCI, 6.4 µs
      </text>
    </SvgView>
  );
}

const GAINS = ['soc.crc.double', 'soc.crc.extra', 'soc.md5.double', 'soc.md5.extra'];

/** The same load on one and on two processors for some milliseconds, and below the four published gains. */
export function RealTimeThumbnail() {
  const { uni, shared } = runs.realTime as unknown as { uni: Run[]; shared: Run[] };
  const zero = 110;
  return (
    <SvgView width={256} height={156} fit="width">
      <Lanes title="one processor" left={12} top={24} width={232} lanes={uni} />
      <Lanes title="two" left={12} top={52} width={232} lanes={shared} />
      <line className="thin" x1={zero} x2={zero} y1={80} y2={148} />
      {GAINS.map((id, row) => {
        const { title, value } = figure(id) ?? { title: '', value: 1 };
        const y = 88 + row * 16;
        const x = zero + (value - 1) * 285;
        return (
          <g key={id}>
            <text className="t10 end" x={zero - 8} y={y + 3.5}>
              {title.replace('every packet ', '')}
            </text>
            <line className="flow" x1={zero} x2={x} y1={y} y2={y} />
            <circle className="heavy" cx={x} cy={y} r={4.2} />
            <text className="t10 i2" x={x + 9} y={y + 3.5}>
              {signedPercent((value - 1) * 100)}
            </text>
          </g>
        );
      })}
    </SvgView>
  );
}

function Strip({ tones, cursor, row }: { tones: string; cursor: number; row: number }) {
  const columns = tones.length / 2;
  const y = STRIPS.top + row * STRIPS.step;
  const wide = STRIPS.width / columns;
  const byTone = new Map<number, Square[]>();
  for (let i = 0; i < columns; i++) {
    const tone = Number.parseInt(tones.slice(2 * i, 2 * i + 2), 36);
    if (tone === 0) continue;
    const square = { x: STRIPS.left + i * wide, y, width: wide, height: STRIPS.height };
    byTone.set(tone, [...(byTone.get(tone) ?? []), square]);
  }
  const at = STRIPS.left + (cursor / 100) * STRIPS.width;
  return (
    <>
      <rect
        className={styles.strip}
        x={STRIPS.left}
        y={y}
        width={STRIPS.width}
        height={STRIPS.height}
      />
      <g className={styles.sweep}>
        {[...byTone].map(([tone, squares]) => (
          <path
            key={tone}
            className={styles.entries}
            data-kind={KINDS[Math.floor(tone / SHADES)]}
            fillOpacity={0.15 + (0.85 * (tone % SHADES)) / (SHADES - 1)}
            d={outline(squares)}
          />
        ))}
      </g>
      {cursor > 0 && <path className="inkf" d={`M${at} ${y - 0.5}l4 3.75l-4 3.75z`} />}
    </>
  );
}

const LANE = { width: 112, top: 106, step: 9, height: 6 };

interface LanesProps {
  readonly title: string;
  readonly left: number;
  readonly top?: number;
  readonly width?: number;
  readonly lanes: readonly Run[];
}

function Lanes({ title, left, top = LANE.top, width = LANE.width, lanes }: LanesProps) {
  return (
    <>
      <text className="t10 b6" x={left} y={top - 5}>
        {title}
      </text>
      {lanes.map((spans, row) => {
        const y = top + row * LANE.step;
        return (
          <g key={y}>
            <line className="hair" x1={left} x2={left + width} y1={y + 3} y2={y + 3} />
            <Spans spans={spans} left={left} top={y} width={width} height={LANE.height} />
          </g>
        );
      })}
    </>
  );
}
