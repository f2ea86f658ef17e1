import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import { bytes as bytesOf, significant, text } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import { AddressScale } from '../../draw/machine/address-scale';
import {
  type AddressRegion,
  type AddressSpace,
  addressSpaces,
  editedRegion,
  overlapsIn,
  type RegionEdit,
  type RegionGrip,
  stepOf,
  withRegion,
} from '../../model/builder/address-regions';
import type { Draft } from '../../model/builder/draft';
import { addressConflicts, Addresses as Decoding } from '../../model/scenario/address-map';
import { addressText } from '../../model/scenario/values';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './Addresses.module.css';
import { type BuildState, build, change, choose } from './state';
import { useBuild } from './useBuild';

const LIMIT = 1n << 32n;
const PAGE = 4096n;
const MANY = 16n;
const SLOP_PX = 3;
/** Space for the address of the lowest boundary. */
const EDGE_PX = 20;

/** Whole sizes exactly, others to three digits: the stretches between windows are of any size. */
function sizeText(size: bigint): string {
  const exact = bytesOf(Number(size));
  if (exact.unit !== 'B' || size < PAGE) return text(exact);
  const [unit, shift] = size >> 30n ? ['GiB', 30] : size >> 20n ? ['MiB', 20] : ['KiB', 10];
  return text({ value: significant(Number(size) / 2 ** Number(shift), 3), unit: String(unit) });
}

const rangeText = ({
  from,
  end,
  isPoint,
}: Pick<AddressRegion, 'from' | 'end' | 'isPoint'>): string =>
  isPoint ? addressText(from) : `${addressText(from)} to ${addressText(end - 1n)}`;

const regionSize = ({ from, end, isPoint }: AddressRegion): string =>
  isPoint ? 'one address' : sizeText(end - from);

/** A drag in progress: the scale stays as it was at its start. */
interface Drag {
  readonly region: AddressRegion;
  readonly grip: RegionGrip;
  readonly edit: RegionEdit;
}

const moved = (spaces: readonly AddressSpace[], drag: Drag | null): readonly AddressSpace[] =>
  drag === null
    ? spaces
    : spaces.map((space) => ({
        ...space,
        regions: space.regions.map((region) =>
          region.part === drag.region.part && region.fromParam === drag.region.fromParam
            ? { ...region, from: drag.edit.from, end: drag.edit.from + drag.edit.bytes }
            : region,
        ),
      }));

function commit(region: AddressRegion, edit: RegionEdit): void {
  const part = build.getState().draft.parts[region.part];
  if (!part) return;
  const range = rangeText({ ...region, from: edit.from, end: edit.from + edit.bytes });
  change(
    (file) => withRegion(file, part, region, edit),
    `${part.title}, ${region.title}: ${range}.`,
  );
}

/** The addresses of the machine as a map in which windows are moved and resized. */
export default function Addresses() {
  const draft = useBuild((state: BuildState) => state.draft);
  const file = useStore(build, (state) => state.file);
  const spaces = useMemo(() => addressSpaces(file, draft), [file, draft]);
  const messages = useMemo(
    () => addressConflicts(new Decoding(draft.parts, draft.wires)).map(({ message }) => message),
    [draft],
  );
  const sub =
    messages.length > 0
      ? `${messages.length} to fix`
      : spaces.length > 0
        ? 'drag a block or its edge'
        : undefined;
  return (
    <Panel
      title="Addresses"
      sub={sub}
      scroll
      textAlternative={<AddressTable draft={draft} spaces={spaces} messages={messages} />}
    >
      {spaces.length === 0 ? (
        <EmptyState title="No addresses yet">
          Parts that answer addresses, such as memory behind a bridge or a card, have a window here.
        </EmptyState>
      ) : (
        <AddressMap draft={draft} spaces={spaces} />
      )}
      {messages.length > 0 && (
        <ul className={styles.problems} aria-label="Problems of addresses">
          {messages.map((message) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface MapProps {
  readonly draft: Draft;
  readonly spaces: readonly AddressSpace[];
}

function AddressMap({ draft, spaces }: MapProps) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const scale = useMemo(() => {
    const all = spaces.flatMap(({ regions }) => regions);
    const isWithin = ({ from }: AddressRegion) =>
      all.some((one) => !one.isPoint && one.from <= from && from < one.end);
    return new AddressScale(
      all.filter((region) => !region.isPoint || !isWithin(region)),
      LIMIT,
    );
  }, [spaces]);
  const shown = moved(spaces, drag);
  const overlaps = overlapsIn(shown);
  return (
    <div className={styles.fit}>
      <p className="visually-hidden" id="address-keys">
        Up and down move a block by its own size, with Shift by a page. At an edge they double and
        halve the size.
      </p>
      <div className={styles.heads} aria-hidden="true">
        {spaces.map(({ id, title }) => (
          <span key={id}>{title}</span>
        ))}
      </div>
      <div className={styles.map} style={{ height: scale.height + EDGE_PX }}>
        <Ruler scale={scale} />
        {shown.map((space) => (
          <section key={space.id} className={styles.space} aria-label={space.title}>
            {space.regions.map((region, at) => (
              <Region
                key={region.id}
                region={region}
                isBeside={
                  overlaps.some(({ regions }) => regions[1] === region.id) ||
                  (region.isPoint === true && space.regions[at - 1]?.from === region.from)
                }
                original={spaces
                  .find(({ id }) => id === space.id)
                  ?.regions.find(({ id }) => id === region.id)}
                draft={draft}
                scale={scale}
                drag={drag}
                onDrag={setDrag}
              />
            ))}
            {overlaps
              .filter((overlap) => overlap.space === space.id)
              .map(({ from, end, regions }) => (
                <div
                  key={regions.join()}
                  className={styles.overlap}
                  style={placeOf(scale, { from, end })}
                >
                  <span>overlap, {sizeText(end - from)}</span>
                </div>
              ))}
          </section>
        ))}
      </div>
    </div>
  );
}

const placeOf = (scale: AddressScale, { from, end }: Pick<AddressRegion, 'from' | 'end'>) => {
  const top = scale.yOf(from);
  return { top, height: Math.max(3, scale.yOf(end) - top) };
};

/** Addresses at the boundaries, and gaps with their size. */
function Ruler({ scale }: { readonly scale: AddressScale }) {
  return (
    <>
      {scale.stretches.map(({ from, end, top, height, isGap }) => (
        <div key={String(from)} className={styles.stretch} style={{ top, height }}>
          <code>{addressText(from)}</code>
          {isGap && <span className={styles.gap}>free, {sizeText(end - from)}</span>}
        </div>
      ))}
    </>
  );
}

interface RegionProps {
  readonly region: AddressRegion;
  /** It overlaps a region that is drawn before it. */
  readonly isBeside: boolean;
  /** As it is without the drag. */
  readonly original: AddressRegion | undefined;
  readonly draft: Draft;
  readonly scale: AddressScale;
  readonly drag: Drag | null;
  onDrag(drag: Drag | null): void;
}

const GRIPS: Readonly<Record<RegionGrip, string>> = {
  block: 'place',
  start: 'first address',
  end: 'size',
};

/** What an arrow key makes of a region; null for other keys. */
function keyed(
  event: KeyboardEvent,
  grip: RegionGrip,
  { from, end, ...region }: AddressRegion,
): bigint | null {
  const way = { ArrowUp: -1n, ArrowDown: 1n }[event.key];
  if (way === undefined) return null;
  const step = event.shiftKey ? PAGE : stepOf({ from, end, ...region });
  if (grip === 'block') return from + way * step;
  const bytes = end - from;
  const isGrowing = (grip === 'end') === way > 0n;
  const wanted = event.shiftKey
    ? bytes + (isGrowing ? PAGE : -PAGE)
    : isGrowing
      ? bytes * 2n
      : bytes / 2n;
  return grip === 'end' ? from + wanted : end - wanted;
}

function Region(props: RegionProps) {
  const { region, isBeside, original = region, draft, scale, drag, onDrag } = props;
  const part = draft.parts[region.part];
  const isChosen = useStore(build, ({ chosen }) => chosen !== null && chosen === part?.name);
  const place = placeOf(scale, region);
  if (!part) return null;
  const isAccess = region.id.startsWith('accessed');
  const title = isAccess ? region.title : part.title;
  const size = regionSize(region);
  const grips: RegionGrip[] = [
    ...(region.fromParam && region.bytesParam ? (['start'] as const) : []),
    ...(region.bytesParam ? (['end'] as const) : []),
  ];
  const about = { part, original, scale, onDrag };
  return (
    <div
      className={styles.region}
      style={place}
      data-chosen={isChosen || undefined}
      data-beside={isBeside || undefined}
      data-claim={region.isClaim || undefined}
      data-point={region.isPoint}
      data-fixed={!region.fromParam || undefined}
      data-dragged={drag?.region.id === region.id || undefined}
      title={`${title}, ${region.title}: ${rangeText(region)}, ${size}`}
    >
      {isAccess ? (
        <div className={styles.block}>
          <small>{title}</small>
        </div>
      ) : (
        <Grip
          {...about}
          grip="block"
          region={region}
          className={styles.block}
          label={`${part.title}, ${region.title}`}
          isFixed={!region.fromParam}
        >
          <b>{title}</b> <i>{region.title}</i> <small>{size}</small>
        </Grip>
      )}
      {grips.map((grip) => (
        <Grip
          key={grip}
          {...about}
          grip={grip}
          region={region}
          className={styles[grip]}
          label={`${part.title}, ${region.title}: ${GRIPS[grip]}`}
          isFixed={false}
        />
      ))}
    </div>
  );
}

interface GripProps extends Pick<RegionProps, 'region' | 'scale' | 'onDrag'> {
  readonly part: Draft['parts'][number];
  readonly original: AddressRegion;
  readonly grip: RegionGrip;
  readonly className: string | undefined;
  readonly label: string;
  readonly isFixed: boolean;
  readonly children?: React.ReactNode;
}

/** A block or an edge of it, which is dragged and moved by arrow keys. */
function Grip(props: GripProps) {
  const { part, region, original, grip, scale, onDrag, className, label, isFixed } = props;
  const start = useRef<{ y: number; edit: RegionEdit | null } | null>(null);
  const take = (to: bigint) => editedRegion(original, part, grip, to);
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape' && start.current) {
      start.current = null;
      onDrag(null);
    } else if (event.key === 'Enter') choose(part.name);
    else {
      const to = isFixed ? null : keyed(event, grip, original);
      if (to === null) return;
      commit(original, take(to));
    }
    event.preventDefault();
    event.stopPropagation();
  }
  const on = {
    onPointerDown(event: PointerEvent<HTMLElement>): void {
      if (event.button !== 0) return;
      start.current = { y: event.clientY, edit: null };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent<HTMLElement>): void {
      const begun = start.current;
      if (!begun || isFixed) return;
      const dy = event.clientY - begun.y;
      if (!begun.edit && Math.abs(dy) < SLOP_PX) return;
      const edge = scale.yOf(grip === 'end' ? original.end : original.from) + dy;
      begun.edit = take(scale.addressAt(edge, stepAt(scale, edge, grip, original)));
      onDrag({ region: original, grip, edit: begun.edit });
    },
    onPointerUp(): void {
      const begun = start.current;
      start.current = null;
      onDrag(null);
      if (begun?.edit) commit(original, begun.edit);
      else if (begun) choose(part.name);
    },
    onPointerCancel(): void {
      start.current = null;
      onDrag(null);
    },
  };
  const value = grip === 'block' ? region.from : region.end - region.from;
  const valueText =
    grip === 'block'
      ? `${rangeText(region)}, ${regionSize(region)}`
      : grip === 'start'
        ? addressText(region.from)
        : sizeText(region.end - region.from);
  return (
    <div
      role="slider"
      tabIndex={0}
      className={className}
      aria-label={label}
      aria-orientation="vertical"
      aria-describedby="address-keys"
      aria-readonly={isFixed || undefined}
      aria-valuemin={0}
      aria-valuemax={Number(LIMIT)}
      aria-valuenow={Number(value)}
      aria-valuetext={valueText}
      data-own-keys
      data-grip={grip}
      onKeyDown={onKeyDown}
      {...on}
    >
      {props.children}
    </div>
  );
}

/** Drags move by steps that the pointer can aim at: at least a page, larger where a pixel is many pages. */
function stepAt(scale: AddressScale, y: number, grip: RegionGrip, region: AddressRegion): bigint {
  const aimed = BigInt(2 ** Math.ceil(Math.log2(Math.max(1, scale.perPx(y)))));
  const natural = grip === 'block' ? stepOf(region) : PAGE;
  const least = natural < PAGE * MANY ? natural : PAGE;
  return aimed > least ? aimed : least;
}

interface TableProps extends MapProps {
  readonly messages: readonly string[];
}

interface TableRow {
  readonly id: string;
  readonly space: string;
  readonly part: string;
  readonly region: AddressRegion;
}

const COLUMNS: readonly Column<TableRow>[] = [
  { id: 'range', title: 'addresses', cell: ({ region }) => <code>{rangeText(region)}</code> },
  { id: 'part', title: 'part', cell: ({ part }) => part },
  { id: 'what', title: 'what', cell: ({ region }) => region.title },
  { id: 'space', title: 'seen', cell: ({ space }) => space },
  {
    id: 'size',
    title: 'size',
    numeric: true,
    cell: ({ region }) => regionSize(region),
  },
];

function AddressTable({ draft, spaces, messages }: TableProps) {
  const rows = spaces.flatMap(({ title: space, regions }) =>
    regions.map((region): TableRow => {
      const part = draft.parts[region.part]?.title ?? '';
      return { id: `${space} ${region.id}`, space, part, region };
    }),
  );
  return (
    <TextAlternative
      summary={messages.length === 0 ? 'No addresses overlap.' : undefined}
      sentences={messages}
    >
      <Table caption="Addresses" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} />
    </TextAlternative>
  );
}
