import { useMemo, useRef } from 'react';
import { count, integer } from '../../base/format';
import { clamp } from '../../base/geometry';
import { shell } from '../../base/shell-state';
import {
  coherentLog,
  coherentMoment,
  pointedPlaces,
  selectedPlaces,
  useViews,
} from '../../controllers/useCoherence';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue } from '../../controllers/useRun';
import { type Size, useSize } from '../../controllers/useSize';
import { useScale, useStore } from '../../controllers/useStore';
import { AXIS_HEIGHT, chainAxis, type Requester } from '../../draw/coherence/chain-axis';
import {
  hidesMisses,
  isContended,
  missText,
  rowConflicts,
  rowDetail,
  rowSentence,
  type TlbRowDetail,
  tlbRows,
  tlbSummary,
} from '../../draw/coherence/tlb-map';
import { pageOf, requestersAt } from '../../draw/coherence/tlb-requesters';
import {
  chainAt,
  detailShapes,
  leader,
  lookUpsFitting,
  type TlbGrid,
  tlbGrid,
  tlbShapes,
} from '../../draw/coherence/tlb-shapes';
import {
  heatShapes,
  lookUpPhrases,
  type SlotsInput,
  type SlotsPlace,
  sealedPhrases,
  sealedShapes,
  slotsShapes,
} from '../../draw/coherence/tlb-slots';
import { type Phrase, plain } from '../../draw/phrase';
import type { Shape } from '../../draw/shape';
import type { CoherentMachine, TlbRole } from '../../model/coherence/coherence-roles';
import { tlbMoment } from '../../model/coherence/tlb-moment';
import { player } from '../../model/session/open-run';
import { point, select, selection } from '../../model/session/selection';
import { session } from '../../model/session/session';
import { SealedPart } from '../../widgets/Masked';
import { PanelSentence } from '../../widgets/PanelSentence';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { SvgView } from '../../widgets/SvgView';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import { BufferHandles } from './BufferHandles';
import { dragging, movableDevices } from './dragging';
import styles from './IoTlb.module.css';
import { useHidesMisses } from './useHidesMisses';
import { type ChainProps, chosenRow } from './useShownChain';

const MOST_LOOK_UPS = 24;
/** The sheet that the drawing is made for; it grows with a larger one. */
const SHEET = { width: 410, height: 128 };
const [LARGEST, LARGEST_PROJECTED] = [2.4, 3.4];
/** Room for slots and heaps. */
const SLOTS_HEIGHT = 100;

const tlbViews = (tlb: TlbRole) => [[tlb.part, 'tlb'] as const];

function detailOf(coherent: CoherentMachine, chain: number | null, most: number) {
  const log = coherentLog(coherent);
  if (!log || chain === null) return null;
  return rowDetail(coherent, log.lookUpsTo(chain, player.now().seq), chain, most);
}

/** The panel as it is drawn: map, slots and axis in units of the sheet. */
function layoutOf(tlb: TlbRole, size: Size, requesters: readonly Requester[]) {
  const { width, height } = size;
  const stacked = width < 400 && height > 260;
  const low = height - AXIS_HEIGHT;
  const grid = tlbGrid(tlb.rows, {
    width: stacked ? width : width * 0.4,
    height: stacked ? low - SLOTS_HEIGHT - 24 : low + 10,
    stacked: true,
  });
  const right = grid.left + grid.columns * grid.pitch;
  const used = requesters.map(({ chain }) => chain);
  const axis = chainAxis(tlb.rows, used, { x: 44, y: height - 18, width: width - 44 - 44 });
  const top = stacked ? grid.top + grid.rows * grid.pitch + 12 : 4;
  const left = stacked ? 10 : right + 20;
  const place = { x: left, y: top, width: width - left - 10, height: low - top, axis };
  return { grid, place, stacked };
}

/** The look-up in play, with who takes part; null before the first. */
function playedNow({ coherent, tlb }: ChainProps): SlotsInput | null {
  const log = coherentLog(coherent);
  const moment = log && tlbMoment(log, player.now(), shell.getState().reducedMotion);
  if (!log || !moment) return null;
  const { device, chain } = dragging.getState();
  return {
    moment,
    requesters: requestersAt(coherent, log, moment),
    dragged: chain === null ? null : { device, chain },
    movable: movableDevices.getState(),
    address: pageOf(tlb, moment.lookUp),
  };
}

export function ChainsView(props: ChainProps) {
  const { coherent, tlb } = props;
  const views = useMemo(() => tlbViews(tlb), [tlb]);
  useViews(coherent, views);
  const sealed = useHidesMisses(tlb);
  const [box, sheet] = useSize();
  useStore(shell, (state) => state.reducedMotion);
  const largest = useScale() > 1 ? LARGEST_PROJECTED : LARGEST;
  const scale = clamp(Math.min(sheet.width / SHEET.width, sheet.height / SHEET.height), 1, largest);
  const size = useMemo(
    () => ({ width: sheet.width / scale, height: sheet.height / scale }),
    [sheet, scale],
  );
  return (
    <div className={styles.chains}>
      <div className={styles.box} ref={box}>
        {sheet.width > 0 && <Chains {...props} size={size} scale={scale} />}
      </div>
      <Sentence {...props} sealed={sealed} />
    </div>
  );
}

function Sentence({ sealed, ...props }: ChainProps & { readonly sealed: boolean }) {
  const json = useFrameValue(() => {
    const played = playedNow(props);
    const phrases = sealed ? sealedPhrases : lookUpPhrases;
    return JSON.stringify(played ? phrases(played) : [plain('No look-up yet.')]);
  });
  const phrases = useMemo(() => JSON.parse(json) as readonly Phrase[], [json]);
  return (
    <div className={styles.played}>
      <PanelSentence phrases={phrases} />
      {sealed && <SealedPart what="what look-ups find" drawn />}
    </div>
  );
}

interface DrawnProps extends ChainProps {
  readonly size: Size;
  readonly scale: number;
}

/** The detail of a row that the user chose, with its leader, as far as there is room. */
function detailPart({ coherent, chain }: DrawnProps, grid: TlbGrid, place: SlotsPlace): Shape[] {
  const { x, y, width, height } = place;
  const detail = detailOf(coherent, chain, lookUpsFitting(width));
  if (!detail || chain === null) return [];
  return [
    leader(grid, chain, x, isContended(detail)),
    ...detailShapes(detail, { x, y, width, height: height + AXIS_HEIGHT }),
  ];
}

/**
 * Who takes part; the same array while nobody's newest look-up is in another row. Those of before stay until a rerun
 * of the scenario has its first look-up: a handle under the keyboard must not vanish.
 */
function useRequesters(props: ChainProps): readonly Requester[] {
  const last = useRef<readonly Requester[]>([]);
  const opened = useRef(0);
  return useFrameValue(() => {
    const now = session.getState().opened;
    const kept = opened.current === now ? last.current : [];
    opened.current = now;
    const requesters = playedNow(props)?.requesters ?? kept;
    const key = (all: readonly Requester[]) => all.map((one) => [one.title, one.chain]).join();
    if (key(requesters) !== key(last.current)) last.current = requesters;
    return last.current;
  });
}

function Chains(props: DrawnProps) {
  const { coherent, tlb, chain, size, scale } = props;
  const chosen = useStore(selection, (what) => chosenRow(tlb, what));
  const requesters = useRequesters(props);
  const sealed = useHidesMisses(tlb);
  useStore(dragging);
  const { grid, place, stacked } = useMemo(
    () => layoutOf(tlb, size, requesters),
    [tlb, size, requesters],
  );
  const group = useLiveGroup(() => {
    const [now, log] = [coherentMoment(coherent), coherentLog(coherent)];
    if (!now || !log) return [];
    const here = pointedPlaces(coherent);
    const marked = [here.chain ?? selectedPlaces(coherent).chain].filter((at) => at !== null);
    const marks = {
      rowConflicts: sealed ? [] : rowConflicts(coherent, log, player.now().seq),
      chosen,
      marked,
    };
    const played = playedNow(props);
    const map = tlbShapes(grid, tlbRows(tlb, now), marks);
    if (!played) return map;
    const { moment } = played;
    const heat = heatShapes(grid, sealed ? { ...moment, contended: false } : moment);
    if (sealed) return [...map, ...heat, ...sealedShapes(grid, place, played)];
    const slots =
      chosen === null ? slotsShapes(grid, place, played, stacked) : detailPart(props, grid, place);
    return [...map, ...heat, ...slots];
  });

  const chainIn = ({ row, column }: GridPlace) => row * grid.columns + column;
  const placed = (at: GridPlace) => ({ part: tlb.part, view: 'tlb', index: chainIn(at) });
  return (
    <>
      <RovingGrid
        label={`I/O TLB, ${count(tlb.rows, 'row')}: one for each chain`}
        rows={grid.rows}
        columns={grid.columns}
        describe={(at) => describe(coherent, tlb, chainIn(at))}
        cellAt={(x, y) => {
          const at = chainAt(grid, x / scale, y / scale);
          return at === null
            ? null
            : { row: Math.floor(at / grid.columns), column: at % grid.columns };
        }}
        onPoint={(at) => point(at ? placed(at) : {})}
        onChoose={(at) => select(placed(at))}
        isSelected={(at) => selectedPlaces(coherent).chain === chainIn(at)}
        start={
          chain === null
            ? undefined
            : { row: Math.floor(chain / grid.columns), column: chain % grid.columns }
        }
      >
        <SvgView width={size.width} height={size.height} scale={scale}>
          <g ref={group} />
        </SvgView>
      </RovingGrid>
      {chosen === null && !sealed && (
        <BufferHandles tlb={tlb} axis={place.axis} scale={scale} requesters={requesters} />
      )}
    </>
  );
}

function describe(coherent: CoherentMachine, tlb: TlbRole, chain: number): string {
  const now = coherentMoment(coherent);
  const row = now && tlbRows(tlb, now)[chain];
  if (!row || row.lookUps === 0) return `Row ${integer(chain)}: not looked up`;
  const held = row.valid ? `holds block ${integer(row.block)}` : 'holds nothing';
  if (hidesMisses(tlb, now)) return `Row ${integer(chain)}: ${held}`;
  return `Row ${integer(chain)}: ${held}, ${count(row.lookUps, 'look-up')}, ${count(row.misses, 'miss', 'misses')}`;
}

/** A row of the eviction table as text. */
interface Eviction {
  readonly claimant: string;
  readonly times: readonly number[];
}

function evictionsOf({ claimants, evictions }: TlbRowDetail): Eviction[] {
  return claimants.map(({ title, block }, row) => ({
    claimant: `${title}, block ${integer(block)}`,
    times: evictions[row] ?? [],
  }));
}

/** The TLB as sentences: summary, row conflicts, selected row. */
export function ChainsText({ coherent, tlb, chain }: ChainProps) {
  const views = useMemo(() => tlbViews(tlb), [tlb]);
  useViews(coherent, views);
  const sealed = useHidesMisses(tlb);
  const text = useFrameValue(() => {
    const [now, log] = [coherentMoment(coherent), coherentLog(coherent)];
    if (!now || !log) return '';
    const conflicts = rowConflicts(coherent, log, player.now().seq);
    const rows = tlbRows(tlb, now);
    const used = rows.filter(({ lookUps }) => lookUps > 0).map((row) => row.chain);
    if (sealed)
      return ['', ...used.slice(0, 32).map((at) => `${describe(coherent, tlb, at)}.`)].join('\n');
    const detail = detailOf(coherent, chain, MOST_LOOK_UPS);
    return [
      tlbSummary(rows, conflicts),
      ...(detail ? [`${rowSentence(detail)} In all: ${missText(detail)}.`] : []),
      ...used.slice(0, 32).map((at) => `${describe(coherent, tlb, at)}.`),
    ].join('\n');
  });
  const [summary, ...sentences] = text.split('\n');
  const detail = sealed ? null : detailOf(coherent, chain, MOST_LOOK_UPS);
  const columns: Column<Eviction>[] = [
    { id: 'who', title: 'evicted', cell: ({ claimant }) => claimant },
    ...(detail?.claimants ?? []).map(
      ({ title, block }, index): Column<Eviction> => ({
        id: String(index),
        title: `${title}, block ${integer(block)}`,
        numeric: true,
        cell: ({ times }) => integer(times[index] ?? 0),
      }),
    ),
  ];
  return (
    <TextAlternative
      summary={sealed ? <SealedPart what="what look-ups find" /> : summary}
      sentences={sentences}
    >
      {detail && detail.claimants.length > 1 && (
        <Table
          caption={`Row ${integer(detail.chain)}: evictions`}
          showCaption
          columns={columns}
          rows={evictionsOf(detail)}
          rowKey={({ claimant }) => claimant}
        />
      )}
    </TextAlternative>
  );
}
