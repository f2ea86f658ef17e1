import { type CSSProperties, type ReactNode, useMemo, useRef, useState } from 'react';
import { text } from '../../base/format';
import { useHidesFuture } from '../../controllers/useAnswerMask';
import { coherentLog, coherentMoment, useViews } from '../../controllers/useCoherence';
import { lineInPlay, playedIndex, storyNow, useEachFrame } from '../../controllers/useLinePlay';
import { runTime } from '../../controllers/useRun';
import { type Size, useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import {
  type BaysGrid,
  bayBottom,
  bayCellAt,
  bayLeft,
  bayRowTop,
  baysGrid,
  bayWidth,
  draggedFirst,
  flagShape,
} from '../../draw/coherence/bays';
import {
  drawnState,
  eventPhrases,
  eventSentence,
  lineName,
  pageName,
  type TitleOf,
  transactionName,
} from '../../draw/coherence/line-words';
import { cellSentence, type PageLines, pageLines } from '../../draw/coherence/page';
import { actorOf, glyph, signOf } from '../../draw/glyph';
import { path, rect, type Shape, words } from '../../draw/shape';
import { emptyCell, type LineState, STATE_NAMES, stateCell } from '../../draw/state-cell';
import {
  type CoherentMachine,
  LINE_BYTES,
  PAGE_BYTES,
  PAGE_LINES,
} from '../../model/coherence/coherence-roles';
import { LineBays, streamsOf } from '../../model/coherence/line-bays';
import type { LineEvent, LineStory } from '../../model/coherence/line-story';
import { player } from '../../model/session/open-run';
import { point, select } from '../../model/session/selection';
import { Roving } from '../../widgets/Roving';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './Follow.module.css';
import { PageText, pageViews, rowNames } from './PageView';
import { followBus, holdBays, useFollowing } from './useFollow';

/** Streams of work that are kept apart, and how near two lines of one stream are. */
const MOST_BAYS = 3;
const NEAR = 7;
/** A sheet narrower than this, in units of the drawing, has room for fewer bays. */
const WIDTH_OF_A_BAY = 100;
/** Height of strip and sentence, and width of a box in the strip, in units of the drawing. */
const STRIP = 49;
const BOX = 34;
/** Pixels that must be left below them for the life of the line in words. */
const LEAST_LIST = 120;

interface FollowProps {
  readonly coherent: CoherentMachine;
}

/** What is drawn: the event in play, and the lines of each bay. */
interface Scene {
  readonly index: number;
  readonly event: LineEvent | null;
  readonly firsts: readonly number[];
  /** Bay in which the event is seen; -1 where none shows it. */
  readonly active: number;
  readonly pages: readonly PageLines[];
}

const titleIn =
  ({ machine }: CoherentMachine): TitleOf =>
  (part) =>
    machine.parts[part ?? -1]?.title ?? 'somebody';

function makerIn(coherent: CoherentMachine) {
  const makers = coherentLog(coherent)?.makers;
  return (write: number): string | null => {
    const part = makers?.get(write);
    return part === undefined ? null : (coherent.machine.parts[part]?.title ?? null);
  };
}

function useBays(
  coherent: CoherentMachine,
  story: LineStory | null,
  columns: number,
  most: number,
) {
  const length = story?.events.length ?? 0;
  const isBegun = length > 0;
  const key = story && isBegun ? player.trace() : null;
  return useMemo(() => {
    if (!story || !key || coherent.caches.length === 0) return null;
    return new LineBays(story.events, columns, streamsOf(story.events, NEAR, most));
  }, [story, key, columns, most, coherent]);
}

/** Lines of the bays at the playhead; the same object until one of them or the event changes. */
function useScene(
  { coherent }: FollowProps,
  story: LineStory | null,
  bays: LineBays | null,
  columns: number,
): Scene | null {
  const { bays: held } = useFollowing();
  const kept = useRef<{ key: string; scene: Scene | null }>({ key: '', scene: null });
  return useEachFrame(() => {
    const now = coherentMoment(coherent);
    if (!now || !story || !bays) return null;
    const index = playedIndex(story);
    const view = bays.at(index);
    if (!view) return null;
    const firsts = held?.length === bays.count ? held : view.bays.map(({ first }) => first);
    const maker = makerIn(coherent);
    const pages = firsts.map((first) => {
      const page = Math.floor(first / PAGE_LINES) * PAGE_BYTES;
      return pageLines(coherent, now, { page, first: first % PAGE_LINES, count: columns, maker });
    });
    const event = story.events[index] ?? null;
    const shows = (first: number | undefined) =>
      event !== null && first !== undefined && event.line >= first && event.line < first + columns;
    const active = shows(firsts[view.active]) ? view.active : firsts.findIndex(shows);
    const states = pages.map(({ rows }) =>
      rows.map(({ cells }) => cells.map(({ state, title }) => state ?? title).join()).join(';'),
    );
    const { lost, supplied } = event ?? {};
    const key = `${index} ${lost} ${supplied} ${firsts} ${states.join('|')}`;
    if (key !== kept.current.key || kept.current.scene === null)
      kept.current = { key, scene: { index, event, firsts, active, pages } };
    return kept.current.scene;
  });
}

/** What the picture has of the panel: strip and sentence grow with it. */
function pictureRoom({ width, height }: Size, scale: number): Size {
  const larger = Math.max(scale, Math.min(width / 460, height / 220, 2.4));
  return { width, height: Math.max(0, height - STRIP * larger) };
}

/** The line that the bus is busy with, in bays, one for each stream of work. */
export function FollowView({ coherent }: FollowProps) {
  const wanted = useMemo(() => pageViews(coherent), [coherent]);
  useViews(coherent, wanted);
  useStore(player.state, (state) => state.recorded);
  const [box, room] = useSize();
  const scale = useScale();
  const size = pictureRoom(room, scale);
  const story = useEachFrame(() => storyNow(coherent));
  const length = useEachFrame(() => Math.min(storyNow(coherent)?.events.length ?? 0, 96));
  const most = Math.max(1, Math.min(MOST_BAYS, Math.floor(size.width / scale / WIDTH_OF_A_BAY)));
  const bayCount = useMemo(
    () => (story && length > 0 ? streamsOf(story.events, NEAR, most).length : 1),
    [story, length, most],
  );
  const names = useMemo(() => rowNames(coherent), [coherent]);
  const grid = useMemo(
    () => baysGrid({ width: size.width, height: size.height, names, bays: bayCount, scale }),
    [size.width, size.height, names, bayCount, scale],
  );
  const bays = useBays(coherent, story, grid.columns, bayCount);
  const scene = useScene({ coherent }, story, bays, grid.columns);
  const isSeen = size.width > 0 && scene !== null && story !== null;
  const drawn = grid.height * grid.scale;
  const style = { '--k': grid.scale } as CSSProperties;
  const left = room.height - drawn - STRIP * grid.scale;
  return (
    <div className={styles.follow} style={style} ref={box}>
      <div className={styles.picture} style={{ height: drawn }}>
        {isSeen && <Picture coherent={coherent} scene={scene} grid={grid} />}
        <FollowChip coherent={coherent} />
      </div>
      {isSeen && <Strip coherent={coherent} story={story} scene={scene} scale={grid.scale} />}
      <Sentence coherent={coherent} scene={scene} />
      {isSeen && left > LEAST_LIST && <LifeList coherent={coherent} story={story} scene={scene} />}
    </div>
  );
}

/** Says whether the picture follows the bus; where it does not, where play is, and a press goes there. */
export function FollowChip({ coherent }: FollowProps) {
  const { on } = useFollowing();
  const event = useEachFrame(() => lineInPlay(coherent));
  const where = event ? `play is at ${lineName(event.line)}` : 'nothing was played yet';
  return (
    <button
      type="button"
      className={styles.chip}
      aria-pressed={on}
      aria-label={on ? 'Following the bus' : `Follow the bus: ${where}`}
      title={on ? 'The picture goes where the bus is' : `Follow the bus: ${where}`}
      onClick={() => (on ? holdNow(event) : followBus())}
    >
      {on ? 'following the bus' : event ? `follow: ${shortName(event.line)}` : 'follow the bus'}
    </button>
  );
}

const shortName = (line: number): string => `${tagOf(line)}, ${line % PAGE_LINES}`;

/** Where the bays stand when somebody stops them. */
let standing: readonly number[] = [];

function holdNow(event: LineEvent | null): void {
  if (event !== null) holdBays(standing);
}

interface PictureProps extends FollowProps {
  readonly scene: Scene;
  readonly grid: BaysGrid;
}

function Picture({ coherent, scene, grid }: PictureProps) {
  standing = scene.firsts;
  const pointedBay = useRef(0);
  const owed = useRef(0);
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
      index: (first + column) * LINE_BYTES,
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
            ? `${pageName(page.page / LINE_BYTES)}. ${cellSentence(page, row, column)}`
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
          owed.current += pixels / grid.across / scale;
          const whole = Math.trunc(owed.current);
          owed.current -= whole;
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

const cellShapes = (
  state: LineState | null,
  x: number,
  y: number,
  width: number,
  height: number,
): Shape[] =>
  state === null ? emptyCell(x, y, width, height) : stateCell(x, y, width, height, state);

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
        const tone = at === row ? 't11 b6' : 't11 i2';
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

const tagOf = (first: number): string => pageName(first).replace('page ', '');

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

/** The life of the line in play: all of it that may be seen, and as much around the playhead as there is room for. */
function useLife(story: LineStory, { event, index }: Scene, room: number) {
  const hides = useHidesFuture();
  const life = event ? story.lifeOf(event.line).filter((at) => !hides || at <= index) : [];
  const reached = life.filter((at) => at <= index).length - 1;
  const from = Math.max(0, Math.min(reached - room + 2, life.length - room));
  return { life, shown: life.slice(from, from + room), reached };
}

interface StripProps extends FollowProps {
  readonly story: LineStory;
  readonly scene: Scene;
}

/** What this line has been through, and will: each box goes to its moment. */
function Strip({ coherent, story, scene, scale }: StripProps & { readonly scale: number }) {
  const [box, { width }] = useSize();
  const { event, index } = scene;
  const room = Math.max(1, Math.floor((width / scale - 90) / BOX));
  const { life, shown, reached } = useLife(story, scene, room);
  if (!event) return <div className={styles.strip} ref={box} />;
  const title = titleIn(coherent);
  return (
    <div className={styles.strip} ref={box}>
      <span className={styles.life}>life of line {event.line % PAGE_LINES}</span>
      <fieldset className={styles.boxes} aria-label={`Life of ${lineName(event.line)}`}>
        <Roving>
          {shown.map((at) => {
            const one = story.events[at];
            if (!one) return null;
            return (
              <LifeBox
                key={at}
                event={one}
                actor={actorOf(coherent.machine.parts, one.part)}
                title={title}
                place={at === life[reached] ? 'now' : at > index ? 'later' : 'before'}
              />
            );
          })}
        </Roving>
      </fieldset>
    </div>
  );
}

/** The same in words, where there is room for them. */
function LifeList({ coherent, story, scene }: StripProps) {
  const [box, { height }] = useSize();
  const { index } = scene;
  const { life, shown, reached } = useLife(story, scene, Math.max(1, Math.floor(height / 26)));
  const title = titleIn(coherent);
  return (
    <div className={styles.list} ref={box}>
      <Roving>
        {shown.map((at) => {
          const one = story.events[at];
          if (!one) return null;
          return (
            <button
              key={at}
              type="button"
              className={styles.item}
              data-place={at === life[reached] ? 'now' : at > index ? 'later' : 'before'}
              onClick={() => goTo(one)}
            >
              <span className={styles.time}>{text(runTime(one.timePs))}</span>
              <svg
                width="16"
                height="16"
                viewBox="0 0 16 16"
                className="drawing"
                aria-hidden="true"
              >
                <ShapeView shapes={cellShapes(drawnState(one.to), 1, 1, 14, 14)} />
              </svg>
              <span>{eventSentence(one, title)}</span>
            </button>
          );
        })}
      </Roving>
    </div>
  );
}

function goTo({ timePs }: LineEvent): void {
  player.pause();
  void player.toTime(timePs);
}

interface LifeBoxProps {
  readonly event: LineEvent;
  readonly actor: string;
  readonly title: TitleOf;
  readonly place: 'before' | 'now' | 'later';
}

function LifeBox({ event, actor, title, place }: LifeBoxProps) {
  const state = drawnState(event.to);
  const name = title(event.part);
  const digit = /\d+$/.exec(name)?.[0];
  const at = `${text(runTime(event.timePs))}: ${eventSentence(event, title)}`;
  return (
    <button
      type="button"
      className={styles.box}
      data-place={place}
      aria-current={place === 'now' ? 'step' : undefined}
      aria-label={at}
      title={at}
      onClick={() => goTo(event)}
    >
      <svg viewBox="0 0 32 18" className="drawing" aria-hidden="true">
        {digit ? (
          <ShapeView shapes={[words(9, 12.8, digit, 'm10 end i2')]} />
        ) : (
          <ShapeView shapes={[glyph(actor, 6, 9, 3)]} />
        )}
        <ShapeView shapes={cellShapes(state, 13, 2, 14, 14)} />
        {place === 'now' && <ShapeView shapes={[rect(12, 1, 16, 16, 'play-ring')]} />}
      </svg>
    </button>
  );
}

function Sentence({ coherent, scene }: FollowProps & { readonly scene: Scene | null }) {
  const event = scene?.event ?? null;
  if (!event) return <p className={styles.sentence}>Nothing was on the bus yet. Press play.</p>;
  const state = drawnState(event.to);
  return (
    <p className={styles.sentence}>
      {state && (
        <svg viewBox="0 0 16 16" className={`drawing ${styles.mark}`} aria-hidden="true">
          <ShapeView
            shapes={[...cellShapes(state, 1, 1, 14, 14), rect(1, 1, 14, 14, 'play-ring')]}
          />
        </svg>
      )}
      {eventPhrases(event, titleIn(coherent)).map(({ text: said, strong, bad }, at) =>
        strong || bad ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: phrases have no identity but their place
          <b key={at} data-bad={bad || undefined}>
            {said}
          </b>
        ) : (
          said
        ),
      )}
    </p>
  );
}

interface FollowTextProps extends FollowProps {
  /** Address of the page whose lines are told of before anything is in play. */
  readonly page: number;
}

/** The same as sentences: what happens now, the life of its line, and who holds the lines of its page. */
export function FollowText({ coherent, page }: FollowTextProps) {
  const hides = useHidesFuture();
  const story = useEachFrame(() => storyNow(coherent));
  const index = useEachFrame(() => {
    const now = storyNow(coherent);
    return now ? playedIndex(now) : -1;
  });
  const event = story?.events[index];
  const title = titleIn(coherent);
  if (!story || !event) return <PageText coherent={coherent} page={page} />;
  const life = story.lifeOf(event.line).filter((at) => !hides || at <= index);
  const sentences = life.flatMap((at) => {
    const one = story.events[at];
    return one ? [`${text(runTime(one.timePs))}: ${eventSentence(one, title)}`] : [];
  });
  const { to } = event;
  const state = drawnState(to);
  const played = Math.floor(event.line / PAGE_LINES) * PAGE_BYTES;
  return (
    <>
      <TextAlternative
        summary={`${eventSentence(event, title)}${
          state ? ` In ${title(event.part)} the line is now ${STATE_NAMES[state]}.` : ''
        } The life of ${lineName(event.line)}:`}
        sentences={sentences}
      />
      <PageText coherent={coherent} page={played} />
    </>
  );
}
