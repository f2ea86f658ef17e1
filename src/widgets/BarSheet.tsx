import { useRef, useState } from 'react';
import { useFrames, useFrameValue } from '../controllers/useRun';
import type { Axis } from '../draw/axis';
import type { Shape } from '../draw/shape';
import { player } from '../model/session/open-run';
import { select } from '../model/session/selection';
import styles from './BarSheet.module.css';
import { RovingGrid } from './RovingGrid';
import { ShapeView } from './ShapeView';
import { SvgView } from './SvgView';

interface Bar {
  readonly x: number;
  readonly end: number;
  readonly y: number;
}

interface BarSheetProps {
  readonly label: string;
  readonly axis: Axis;
  readonly width: number;
  readonly height: number;
  readonly bars: readonly Bar[];
  /** Height of a bar. */
  readonly bar: number;
  readonly shapes: readonly Shape[];
  readonly describe: (bar: number) => string;
  /** The bar that changed last before a time, which is ringed; null if none has. */
  readonly played?: (timePs: number) => number | null;
  readonly barAt: (x: number, y: number) => number | null;
  /** The record that began a bar, and its time in picoseconds. Enter moves the playhead there. */
  readonly begun: (bar: number) => { readonly seq: number; readonly timePs: number } | null;
}

/** Bars on a time axis, walked with the arrow keys, with the playhead across them. */
export function BarSheet(props: BarSheetProps) {
  const { label, width, height, bars, bar, shapes, describe, barAt, begun, played } = props;
  const [at, setAt] = useState<number | null>(null);
  const marked = at === null ? undefined : bars[at];
  const inPlay = useFrameValue(() => played?.(player.now().timePs) ?? null);
  const ringed = inPlay === null ? undefined : bars[inPlay];
  const goTo = (column: number) => {
    const to = begun(column);
    if (!to) return;
    select({ event: to.seq });
    player.pause();
    void player.toTime(to.timePs);
  };
  return (
    <div className={styles.drawing} style={{ height }}>
      <RovingGrid
        label={label}
        rows={1}
        columns={Math.max(1, bars.length)}
        describe={({ column }) => describe(column)}
        cellAt={(x, y) => {
          const column = barAt(x, y);
          return column === null ? null : { row: 0, column };
        }}
        onPoint={(place) => setAt(place?.column ?? null)}
        onChoose={({ column }) => goTo(column)}
      >
        <SvgView width={width} height={height}>
          <ShapeView shapes={shapes} />
          {ringed && (
            <rect
              className="play-ring"
              x={ringed.x - 1}
              y={ringed.y - 1}
              width={Math.max(3, ringed.end - ringed.x + 4)}
              height={bar + 2}
              data-played
            />
          )}
          {marked && (
            <rect
              className="cursor-box"
              x={marked.x - 2}
              y={marked.y - 2}
              width={marked.end - marked.x + 7}
              height={bar + 4}
            />
          )}
          <Playhead {...props} />
        </SvgView>
      </RovingGrid>
    </div>
  );
}

/** The playhead, and a mask over the time after it. Updated without React. */
function Playhead({ axis, width, height }: Pick<BarSheetProps, 'axis' | 'width' | 'height'>) {
  const playhead = useRef<SVGPathElement>(null);
  const answerMask = useRef<SVGRectElement>(null);
  useFrames('dom', () => {
    const x = Math.min(Math.max(axis.at(player.now().timePs), axis.at(axis.low)), width);
    playhead.current?.setAttribute('d', `M${x.toFixed(1)} 12V${height - 6}`);
    answerMask.current?.setAttribute('x', x.toFixed(1));
    answerMask.current?.setAttribute('width', (width - x).toFixed(1));
  });
  return (
    <>
      <rect ref={answerMask} className="sheetf" opacity={0.5} y={12} height={height - 18} />
      <path ref={playhead} className="playhead" />
    </>
  );
}
