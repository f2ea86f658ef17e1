import { useMemo } from 'react';
import { count, integer } from '../../base/format';
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
import { useScale } from '../../controllers/useStore';
import {
  isContended,
  missText,
  rowConflicts,
  rowDetail,
  rowSentence,
  type TlbRowDetail,
  tlbRows,
  tlbSummary,
} from '../../draw/coherence/tlb-map';
import {
  chainAt,
  detailLeft,
  detailShapes,
  leader,
  lookUpsFitting,
  type TlbGrid,
  tlbGrid,
  tlbShapes,
} from '../../draw/coherence/tlb-shapes';
import type { Shape } from '../../draw/shape';
import type { CoherentMachine, TlbRole } from '../../model/coherence/coherence-roles';
import { player } from '../../model/session/open-run';
import { point, select } from '../../model/session/selection';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { SvgView } from '../../widgets/SvgView';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './IoTlb.module.css';
import type { ChainProps } from './useShownChain';

const MOST_LOOK_UPS = 24;
/** Height of the detail below the map. */
const DETAIL_HEIGHT = 190;

const tlbViews = (tlb: TlbRole) => [[tlb.part, 'tlb'] as const];

function detailOf(coherent: CoherentMachine, chain: number | null, most: number) {
  const log = coherentLog(coherent);
  if (!log || chain === null) return null;
  return rowDetail(coherent, log.lookUpsTo(chain, player.now().seq), chain, most);
}

export function ChainsView(props: ChainProps) {
  const { coherent, tlb } = props;
  const views = useMemo(() => tlbViews(tlb), [tlb]);
  useViews(coherent, views);
  const [box, sheet] = useSize();
  const scale = useScale();
  const size = useMemo(
    () => ({ width: sheet.width / scale, height: sheet.height / scale }),
    [sheet, scale],
  );
  const { width, height } = size;
  const stacked = width < 480 && height > 330;
  const grid = useMemo(
    () => tlbGrid(tlb.rows, { width, height: stacked ? height - DETAIL_HEIGHT : height, stacked }),
    [tlb, width, height, stacked],
  );
  return (
    <div className={styles.box} ref={box}>
      {width > 0 && <Chains {...props} grid={grid} size={size} stacked={stacked} scale={scale} />}
    </div>
  );
}

interface DrawnProps extends ChainProps {
  readonly grid: TlbGrid;
  readonly size: Size;
  /** The detail is below the map instead of beside it. */
  readonly stacked: boolean;
  readonly scale: number;
}

/** The detail of the selected row, with its leader line, as far as there is room. */
function detailPart({ coherent, chain, grid, size, stacked }: DrawnProps): Shape[] {
  const { width, height } = size;
  const detailX = stacked ? null : detailLeft(grid, width);
  const below = grid.top + grid.rows * grid.pitch + 14;
  if (!stacked && detailX === null) return [];
  const x = detailX ?? grid.left - 22;
  const y = stacked ? below : 10;
  const detail = detailOf(coherent, chain, lookUpsFitting(width - x - 8));
  if (!detail || chain === null) return [];
  const place = { x, y, width: width - x - 8, height: height - y };
  const line = detailX === null ? [] : [leader(grid, chain, detailX, isContended(detail))];
  return [...line, ...detailShapes(detail, place)];
}

function Chains(props: DrawnProps) {
  const { coherent, tlb, chain, grid, size, scale } = props;
  const group = useLiveGroup(() => {
    const [now, log] = [coherentMoment(coherent), coherentLog(coherent)];
    if (!now || !log) return [];
    const here = pointedPlaces(coherent);
    const marked = [here.chain ?? selectedPlaces(coherent).chain].filter((at) => at !== null);
    const marks = {
      rowConflicts: rowConflicts(coherent, log, player.now().seq),
      chosen: chain,
      marked,
    };
    return [...tlbShapes(grid, tlbRows(tlb, now), marks), ...detailPart(props)];
  });

  const chainIn = ({ row, column }: GridPlace) => row * grid.columns + column;
  const placed = (place: GridPlace) => ({ part: tlb.part, view: 'tlb', index: chainIn(place) });
  return (
    <RovingGrid
      label={`I/O TLB, ${count(tlb.rows, 'row')}: one for each chain`}
      rows={grid.rows}
      columns={grid.columns}
      describe={(place) => describe(coherent, tlb, chainIn(place))}
      cellAt={(x, y) => {
        const at = chainAt(grid, x / scale, y / scale);
        return at === null
          ? null
          : { row: Math.floor(at / grid.columns), column: at % grid.columns };
      }}
      onPoint={(place) => point(place ? placed(place) : {})}
      onChoose={(place) => select(placed(place))}
      isSelected={(place) => selectedPlaces(coherent).chain === chainIn(place)}
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
  );
}

function describe(coherent: CoherentMachine, tlb: TlbRole, chain: number): string {
  const now = coherentMoment(coherent);
  const row = now && tlbRows(tlb, now)[chain];
  if (!row || row.lookUps === 0) return `Row ${integer(chain)}: not looked up`;
  const held = row.valid ? `holds block ${integer(row.block)}` : 'holds nothing';
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
  const text = useFrameValue(() => {
    const [now, log] = [coherentMoment(coherent), coherentLog(coherent)];
    if (!now || !log) return '';
    const conflicts = rowConflicts(coherent, log, player.now().seq);
    const rows = tlbRows(tlb, now);
    const detail = detailOf(coherent, chain, MOST_LOOK_UPS);
    const used = rows.filter(({ lookUps }) => lookUps > 0).map((row) => row.chain);
    return [
      tlbSummary(rows, conflicts),
      ...(detail ? [`${rowSentence(detail)} In all: ${missText(detail)}.`] : []),
      ...used.slice(0, 32).map((at) => `${describe(coherent, tlb, at)}.`),
    ].join('\n');
  });
  const [summary, ...sentences] = text.split('\n');
  const detail = detailOf(coherent, chain, MOST_LOOK_UPS);
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
    <TextAlternative summary={summary} sentences={sentences}>
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
