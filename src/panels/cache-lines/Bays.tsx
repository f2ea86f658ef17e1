/** The bays: windows onto the lines of each stream of work, with the cell in play. */
import { type ReactNode, useRef, useState } from 'react';
import {
  type BaysGrid,
  bayBottom,
  bayCellAt,
  bayLeft,
  bayRowTop,
  bayWidth,
  draggedFirst,
  flagShape,
} from '../../draw/coherence/bays';
import { drawnState, pageName, transactionName } from '../../draw/coherence/line-words';
import { cellSentence, type PageLines } from '../../draw/coherence/page';
import { actorOf, glyph, signOf } from '../../draw/glyph';
import { path, rect, type Shape, words } from '../../draw/shape';
import { RUNWAY_LINE } from '../../engine/gen/constants';
import { PAGE_LINES } from '../../model/coherence/coherence-roles';
import type { LineEvent } from '../../model/coherence/line-story';
import { point, select } from '../../model/session/selection';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './Follow.module.css';
import { cellShapes, type FollowProps, type Scene, tagOf } from './follow-scene';
import { holdBays } from './useFollow';

interface PictureProps extends FollowProps {
  readonly scene: Scene;
  readonly grid: BaysGrid;
}

export function Picture({ coherent, scene, grid }: PictureProps) {
  const pointedBay = useRef(0);
  const pannedBy = useRef(0);
  const [cursor, setCursor] = useState<GridPlace | null>(null);
  const { scale, columns, rows, count } = grid;
  const parted = ({ row, column }: GridPlace) => {
    const [bay, at] = [Math.floor(column / columns), column % columns];
    return { row, bay, column: at, page: scene.pages[bay], first: scene.firsts[bay] ?? 0 };
  };
  const placed = (place: GridPlace) => {
    const { row, column, first, page } = parted(place);
    return {
      part: page?.rows[row]?.part ?? null,
      view: 'address',
      index: (first + column) * RUNWAY_LINE,
    };
  };
  const drag = (bay: number, by: number) => {
    const firsts = scene.firsts.map((first, at) =>
      at === bay ? draggedFirst(first, by, columns) : first,
    );
    holdBays(firsts);
  };
  return (
    <div style={{ height: grid.height * scale }}>
      <RovingGrid
        label="Lines in play, by who holds them"
        rows={rows}
        columns={columns * count}
        describe={(place) => {
          const { page, row, column } = parted(place);
          return page
            ? `${pageName(page.page / RUNWAY_LINE)}. ${cellSentence(page, row, column)}`
            : '';
        }}
        cellAt={(x, y) => {
          const at = bayCellAt(grid, x / scale, y / scale);
          if (at) pointedBay.current = at.bay;
          return at && { row: at.row, column: at.bay * columns + at.column };
        }}
        onPoint={(place) => {
          setCursor(place);
          point(place ? placed(place) : {});
        }}
        onChoose={(place) => select(placed(place))}
        onPan={(pixels) => {
          pannedBy.current += pixels / grid.across / scale;
          const whole = Math.trunc(pannedBy.current);
          pannedBy.current -= whole;
          if (whole !== 0) drag(pointedBay.current, whole);
        }}
        onLeave={(by) => drag(by > 0 ? count - 1 : 0, by)}
      >
        <SvgView width={grid.width} height={grid.height} scale={scale}>
          <defs>
            <clipPath id="bay-clip">
              <rect x={-2} y={0} width={bayWidth(grid) + 3} height={grid.height} />
            </clipPath>
          </defs>
          <Names coherent={coherent} scene={scene} grid={grid} />
          {scene.pages.map((page, bay) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bay is its place
            <BayView key={bay} {...{ scene, grid, page, bay }} />
          ))}
          <Flag coherent={coherent} scene={scene} grid={grid} />
          {cursor && <Cursor grid={grid} place={cursor} />}
        </SvgView>
      </RovingGrid>
    </div>
  );
}

function Cursor({ grid, place }: { readonly grid: BaysGrid; readonly place: GridPlace }) {
  const [bay, column] = [Math.floor(place.column / grid.columns), place.column % grid.columns];
  const x = bayLeft(grid, bay) + column * grid.across - 1.5;
  const y = bayRowTop(grid, place.row) - 1.5;
  return <ShapeView shapes={[rect(x, y, grid.across + 1, grid.down + 1, 'cursor-box')]} />;
}

/** Row of the copy that an event is about; -1 where the sheet has no row for it. */
const rowOf = ({ pages, event }: Scene): number =>
  event ? (pages[0]?.rows.findIndex(({ part }) => part === event.part) ?? -1) : -1;

/** Names are smaller in rows lower than this. */
const LEAST_T11 = 10.5;

/** Who may hold a line; beside the one in play, what its copy was and what it is now. */
function Names({ coherent, scene, grid }: PictureProps) {
  const row = rowOf(scene);
  const rows = scene.pages[0]?.rows ?? [];
  const { down } = grid;
  return (
    <>
      {row >= 0 && (
        <rect
          className="same"
          x={3}
          y={bayRowTop(grid, row)}
          width={grid.left - 6}
          height={down - 1}
        />
      )}
      {rows.map(({ part, title }, at) => {
        const middle = bayRowTop(grid, at) + (down - 1) / 2;
        const size = down < LEAST_T11 ? 't10' : 't11';
        const tone = at === row ? `${size} b6` : `${size} i2`;
        const actor = actorOf(coherent.machine.parts, part);
        return (
          <ShapeView
            key={part}
            shapes={[glyph(actor, 11, middle, 3.2), words(20, middle + 4, title, tone)]}
          />
        );
      })}
      {row >= 0 && scene.event && (
        <Transition key={scene.index} event={scene.event} grid={grid} row={row} />
      )}
    </>
  );
}

function Transition(props: {
  readonly event: LineEvent;
  readonly grid: BaysGrid;
  readonly row: number;
}) {
  const { event, grid, row } = props;
  const [from, to] = [drawnState(event.from), drawnState(event.to)];
  const y = bayRowTop(grid, row) + 0.5;
  const [x, height] = [grid.transition, grid.down - 2];
  if (to === null || (from === null && event.kind !== 'filled')) return null;
  const isOpen = event.from === event.to;
  const second = x + 23;
  return (
    <>
      <ShapeView shapes={cellShapes(from ?? 'invalid', x, y, 12, height)} />
      <ShapeView shapes={[words(x + 17.5, y + height / 2 + 3.5, '→', 't10 mid')]} />
      {isOpen ? (
        <ShapeView shapes={[rect(second + 0.5, y + 0.5, 11, height - 1, 'slot-d')]} />
      ) : (
        <g className={styles.appears}>
          <ShapeView shapes={cellShapes(to, second, y, 12, height)} />
        </g>
      )}
    </>
  );
}

interface BayProps {
  readonly scene: Scene;
  readonly grid: BaysGrid;
  readonly page: PageLines;
  readonly bay: number;
}

/** One window: its cells move as one when it creeps, and each keeps its element while it is in sight. */
function BayView({ scene, grid, page, bay }: BayProps) {
  const { across, columns } = grid;
  const first = scene.firsts[bay] ?? 0;
  const isActive = bay === scene.active;
  const stretch = useStretch(first, columns);
  const played = isActive && scene.event ? scene.event.line - first : null;
  const before = useBefore(first);
  const all = columnsIn(before, first, columns);
  const x = bayLeft(grid, bay);
  const y = bayBottom(grid) + 3;
  const width = bayWidth(grid) - 2;
  const brace = `M${x} ${y}v3h${width}v-3`;
  const name = pageName(first);
  return (
    <>
      <g transform={`translate(${x} 0)`} clipPath="url(#bay-clip)">
        <g
          key={stretch}
          className={styles.creeps}
          style={{ transform: `translateX(${-(first % PAGE_LINES) * across}px)` }}
        >
          {isActive && <Column scene={scene} grid={grid} />}
          {all.map((line) => (
            <LineColumn
              key={line}
              {...{ grid, page }}
              column={line - first}
              line={line % PAGE_LINES}
              label={isNamed(grid, line - first, played) ? labelOf(scene, isActive, line) : ''}
            />
          ))}
          {isActive && <Ring scene={scene} grid={grid} />}
        </g>
      </g>
      <ShapeView
        shapes={
          grid.tight
            ? pageMark(grid, x, tagOf(first), played)
            : [
                path(brace, 'brace'),
                words(x + width / 2, y + 13, name, `t10 mid ${isActive ? 'b6' : 'i3'}`),
              ]
        }
      />
    </>
  );
}

/** Where the bay stood before it last moved: those columns are seen while it slides. */
function useBefore(first: number): number {
  const kept = useRef({ now: first, before: first });
  if (kept.current.now !== first) kept.current = { now: first, before: kept.current.now };
  return kept.current.before;
}

function columnsIn(before: number, first: number, columns: number): number[] {
  const isLeap = Math.abs(before - first) > columns;
  const from = isLeap ? first : Math.min(first, before);
  const to = isLeap ? first : Math.max(first, before);
  return Array.from({ length: to - from + columns }, (_, column) => from + column);
}

/** Columns that the page's name covers where it stands among the numbers. */
const TAG_COLUMNS = 3;

/** The name stands at the left, unless the column in play is there. */
const isTagLeft = (played: number | null): boolean => played === null || played >= TAG_COLUMNS;

function isNamed({ tight, columns }: BaysGrid, column: number, played: number | null): boolean {
  if (!tight || column === played) return true;
  return isTagLeft(played) ? column >= TAG_COLUMNS : column < columns - TAG_COLUMNS;
}

function pageMark(grid: BaysGrid, x: number, tag: string, played: number | null): Shape[] {
  const tone = played === null ? 'i3' : 'b6';
  return isTagLeft(played)
    ? [words(x + 1, grid.top - 4, tag, `m10 ${tone}`)]
    : [words(x + bayWidth(grid) - 3, grid.top - 4, tag, `m10 end ${tone}`)];
}

/** Number of the stretch that a bay creeps along: a leap begins another one, and nothing slides. */
function useStretch(first: number, columns: number): number {
  const kept = useRef({ first, stretch: 0 });
  const before = kept.current;
  const isLeap = before.first !== first && Math.abs(before.first - first) > columns;
  kept.current = { first, stretch: before.stretch + Number(isLeap) };
  return kept.current.stretch;
}

/** Every third line is numbered, and the one in play; its neighbours make room. */
function labelOf({ event }: Scene, isActive: boolean, line: number): string {
  const away = isActive && event ? Math.abs(line - event.line) : 2;
  return away === 0 ? 'now' : away < 2 || line % 3 !== 0 ? '' : 'third';
}

interface LineColumnProps {
  readonly grid: BaysGrid;
  readonly page: PageLines;
  readonly column: number;
  readonly line: number;
  readonly label: string;
}

function LineColumn({ grid, page: shown, column, line, label }: LineColumnProps): ReactNode {
  const { across, down, top, columns } = grid;
  /** A column that slides out of sight stays as it was last seen. */
  const seen = useRef({ page: shown, column });
  if (column >= 0 && column < columns) seen.current = { page: shown, column };
  const { page, column: at } = seen.current;
  const x = line * across;
  const cells = page.rows.flatMap(({ cells: row }, index) =>
    cellShapes(row[at]?.state ?? null, x, bayRowTop(grid, index), across - 1.5, down - 1),
  );
  const number = words(
    x + across / 2 - 0.75,
    top - 4,
    label === '' ? '' : String(line),
    `m10 mid ${label === 'now' ? 'b6' : 'i3'}`,
  );
  return <ShapeView shapes={[...cells, number]} />;
}

/** The highlighter over the column in play, which grows from the flag down. */
function Column({ scene, grid }: Pick<BayProps, 'scene' | 'grid'>) {
  const x = ((scene.event?.line ?? 0) % PAGE_LINES) * grid.across - 1.5;
  const [top, height] = [grid.top - 13, bayBottom(grid) - grid.top + 15];
  return (
    <rect
      key={scene.index}
      className={`same ${styles.grows}`}
      style={{ transformOrigin: `0 ${top}px` }}
      {...{ x, y: top, width: grid.across + 1.5, height }}
    />
  );
}

/** The ring around the cell in play; its corner says that it has just changed. */
function Ring({ scene, grid }: Pick<BayProps, 'scene' | 'grid'>) {
  const { event } = scene;
  const row = rowOf(scene);
  if (!event || row < 0) return null;
  const x = (event.line % PAGE_LINES) * grid.across;
  const y = bayRowTop(grid, row);
  const isChange = event.from !== event.to;
  return (
    <ShapeView
      shapes={[
        ...(isChange ? [path(`M${x + 0.5} ${y + 0.5}h5l-5 5z`, 'st-new')] : []),
        rect(x - 1, y - 1, grid.across + 0.5, grid.down + 1, 'play-ring'),
      ]}
    />
  );
}

function Flag({ coherent, scene, grid }: PictureProps) {
  const { event, active, firsts } = scene;
  const first = firsts[active];
  if (!event?.transaction || first === undefined) return null;
  const label = transactionName(event.transaction);
  const actor = actorOf(coherent.machine.parts, event.transaction.by);
  const middle = bayLeft(grid, active) + (event.line - first + 0.5) * grid.across - 0.75;
  const { outline, x, y } = flagShape(grid, middle, label, signOf(actor).hue);
  return (
    <g key={scene.index} className={event.kind === 'asked' ? styles.appears : undefined}>
      <ShapeView
        shapes={[outline, glyph(actor, x + 9, y, 3), words(x + 16, y + 3.6, label, 'm10 b6')]}
      />
    </g>
  );
}
