import { useMemo, useState } from 'react';
import { address, integer } from '../../base/format';
import { coherentLog, coherentMoment, useViews } from '../../controllers/useCoherence';
import { useFrameValue } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import {
  decodeEntry,
  type Entry,
  type EntryField,
  encodeEntry,
  entryGrid,
  entryHeight,
  entrySentence,
  entryShapes,
  fieldAt,
} from '../../draw/coherence/tlb-entry';
import type { ViewField } from '../../engine/gen/names';
import {
  type CoherentMachine,
  ioPageOf,
  PAGE_BYTES,
  type TlbRole,
} from '../../model/coherence/coherence-roles';
import { player } from '../../model/session/open-run';
import { EmptyState } from '../../widgets/Feedback';
import { RovingGrid } from '../../widgets/RovingGrid';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { type Column, Table } from '../../widgets/Table';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './IoTlb.module.css';
import type { ChainProps } from './useShownChain';

interface ShownEntry {
  readonly ioPage: number;
  readonly at: number;
  readonly high: number;
  readonly low: number;
  /** How the TLB's copy differs; empty if it agrees or holds another page. */
  readonly differs: string;
}

function entryViews(coherent: CoherentMachine, tlb: TlbRole) {
  const { memory } = coherent;
  return [[tlb.part, 'tlb'] as const, ...(memory ? [[memory.part, 'directory'] as const] : [])];
}

/** The directory entry behind a row: of the page that it holds, or that was last looked up. */
function entryNow({ coherent, tlb, chain }: ChainProps): ShownEntry | null {
  const now = coherentMoment(coherent);
  const { memory } = coherent;
  if (!now || !memory || chain === null) return null;
  const row = now.view(tlb.part, 'tlb');
  const at = (field: ViewField) => row?.column(field)?.[chain] ?? 0;
  const isHeld = at('valid') > 0;
  const lastBlock = coherentLog(coherent)?.lastTo(chain, player.now().seq)?.block;
  const block = isHeld ? at('block') : lastBlock;
  if (block === undefined) return null;
  const ioPage = ioPageOf(tlb, chain, block);
  const directory = now.view(memory.part, 'directory');
  const [high, low] = [directory?.column('high')?.[ioPage], directory?.column('low')?.[ioPage]];
  if (high === undefined || low === undefined) return null;
  const held = { page: at('page'), index: at('index'), attributes: at('attributes') };
  const loaded = encodeEntry(held);
  const isOld = isHeld && (loaded.high !== high || loaded.low !== low);
  const differs = isOld
    ? `Row ${integer(chain)} of the TLB still holds the translation to ${address(held.page * PAGE_BYTES)}; until it is purged, transfers go there.`
    : '';
  return { ioPage, at: (memory.directory ?? 0) + ioPage * 8, high, low, differs };
}

/** The entry at the playhead; the same object while nothing changes. */
function useEntry(props: ChainProps): (ShownEntry & { readonly entry: Entry }) | null {
  const { coherent, tlb } = props;
  const views = useMemo(() => entryViews(coherent, tlb), [coherent, tlb]);
  useViews(coherent, views);
  const text = useFrameValue(() => JSON.stringify(entryNow(props)));
  return useMemo(() => {
    const shown = JSON.parse(text) as ShownEntry | null;
    return shown && { ...shown, entry: decodeEntry(shown.high, shown.low) };
  }, [text]);
}

const bitsOf = ({ from, to, word }: EntryField): string =>
  `word ${word}, ${from === to ? `bit ${from}` : `bits ${from} to ${to}`}`;

const fieldSentence = (field: EntryField): string =>
  `${field.title}, ${bitsOf(field)}: ${address(field.value)}, ${field.meaning}`;

export function EntryView(props: ChainProps) {
  const shown = useEntry(props);
  const [box, { width }] = useSize();
  const [marked, setMarked] = useState<number | null>(null);
  const grid = useMemo(() => entryGrid(width), [width]);
  return (
    <div className={styles.entry} ref={box}>
      {!shown && (
        <EmptyState title="No entry yet">
          The adapter reads an entry when a look-up misses. Pick a row, or run on.
        </EmptyState>
      )}
      {shown && width > 0 && (
        <>
          <p className={styles.title}>
            <b>I/O page {address(shown.ioPage)}</b>
            <code>
              entry at {address(shown.at)}: {address(shown.high, 8)} {address(shown.low, 8)}
            </code>
          </p>
          <div className={styles.drawing} style={{ height: entryHeight(grid) }}>
            <RovingGrid
              label="Fields of the page directory entry"
              quiet
              rows={1}
              columns={shown.entry.fields.length}
              describe={({ column }) => sentenceAt(shown.entry, column)}
              cellAt={(x, y) => {
                const at = fieldAt(grid, shown.entry, x, y);
                return at === null ? null : { row: 0, column: at };
              }}
              onPoint={(place) => setMarked(place?.column ?? null)}
              onChoose={({ column }) => setMarked(column)}
            >
              <SvgView width={width} height={entryHeight(grid)}>
                <ShapeView shapes={entryShapes(grid, shown.entry, marked)} />
              </SvgView>
            </RovingGrid>
          </div>
          <p className={styles.sentence}>
            {marked === null ? entrySentence(shown.entry) : `${sentenceAt(shown.entry, marked)}.`}
          </p>
          {shown.differs && <p className={styles.differs}>{shown.differs}</p>}
        </>
      )}
    </div>
  );
}

function sentenceAt(entry: Entry, field: number): string {
  const found = entry.fields[field];
  return found ? fieldSentence(found) : '';
}

const COLUMNS: readonly Column<EntryField>[] = [
  { id: 'field', title: 'field', cell: ({ title }) => title },
  { id: 'bits', title: 'HP bits', cell: bitsOf },
  { id: 'value', title: 'value', cell: ({ value }) => address(value) },
  { id: 'says', title: 'says', cell: ({ meaning }) => meaning },
];

/** The entry as a table of its fields. */
export function EntryText(props: ChainProps) {
  const shown = useEntry(props);
  if (!shown) return <TextAlternative summary="No entry has been read yet." />;
  const sentences = shown.differs ? [shown.differs] : [];
  return (
    <TextAlternative
      summary={`I/O page ${address(shown.ioPage)}. ${entrySentence(shown.entry)}`}
      sentences={sentences}
    >
      <Table
        caption="Fields of the page directory entry"
        columns={COLUMNS}
        rows={shown.entry.fields}
        rowKey={bitsOf}
      />
    </TextAlternative>
  );
}
