import { useMemo, useState } from 'react';
import { count } from '../../base/format';
import { coherentMoment, useViews } from '../../controllers/useCoherence';
import { useLiveGroup } from '../../controllers/useLiveShapes';
import { useFrameValue } from '../../controllers/useRun';
import { useSize } from '../../controllers/useSize';
import { useStore } from '../../controllers/useStore';
import {
  busiestRow,
  noRowSentence,
  type Protocol,
  type ProtocolGrid,
  protocolCellAt,
  protocolCursor,
  protocolGrid,
  protocolOf,
  protocolSentence,
  protocolShapes,
  rowAt,
} from '../../draw/coherence/protocol';
import type { CacheRole, CoherentMachine } from '../../model/coherence/coherence-roles';
import { point, pointed, select, selection } from '../../model/session/selection';
import { type GridPlace, RovingGrid } from '../../widgets/RovingGrid';
import { Select } from '../../widgets/Select';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import { TextAlternative } from '../../widgets/TextAlternative';
import styles from './CacheLines.module.css';

interface ProtocolProps {
  readonly coherent: CoherentMachine;
  /** Part whose protocol is shown; null for the one with the latest transition. */
  readonly cache: number | null;
}

const BUSIEST = 'any';

export function ProtocolChoice(props: ProtocolProps & { onChange(cache: number | null): void }) {
  const { coherent, cache, onChange } = props;
  const options = coherent.caches.map(({ part, title }) => ({ value: String(part), title }));
  return (
    <Select
      label="Cache"
      options={[{ value: BUSIEST, title: 'latest' }, ...options]}
      value={cache === null ? BUSIEST : String(cache)}
      onChange={(value) => onChange(value === BUSIEST ? null : Number(value))}
    />
  );
}

const ruleViews = ({ caches }: CoherentMachine) =>
  caches.map(({ part }) => [part, 'rows'] as const);

interface Shown {
  readonly cache: CacheRole;
  readonly protocol: Protocol;
}

/** The chosen cache, else the selected one, else the one with the latest transition. */
function shownNow({ coherent, cache }: ProtocolProps): Shown | null {
  const now = coherentMoment(coherent);
  if (!now) return null;
  const chosen = cache ?? selection.getState().part;
  const found = coherent.caches.find(({ part }) => part === chosen) ?? busiestRow(coherent, now);
  return found && { cache: found, protocol: protocolOf(coherent, found, now) };
}

/** Row of the table that a selection refers to, for the cache shown. */
const ruleIn = (what: { view: string | null; index: number | null }): number | null =>
  what.view === 'rows' ? what.index : null;

export function ProtocolView(props: ProtocolProps) {
  const { coherent, cache } = props;
  const views = useMemo(() => ruleViews(coherent), [coherent]);
  useViews(coherent, views);
  useStore(selection, (state) => state.part);
  const [box, { width, height }] = useSize();
  const [cursor, setCursor] = useState<GridPlace | null>(null);
  const sentence = useFrameValue(() => latestSentence(props));
  // The grid changes only with the visible states; as a string it compares by value.
  const sketch = useFrameValue(() => {
    const now = shownNow(props);
    return now ? JSON.stringify(protocolGrid(width, height, now.protocol)) : null;
  });
  const grid = useMemo(
    () => (sketch === null ? null : (JSON.parse(sketch) as ProtocolGrid)),
    [sketch],
  );
  const group = useLiveGroup(() => {
    const now = shownNow({ coherent, cache });
    const marks = {
      selected: ruleIn(selection.getState()),
      marked: ruleIn(pointed.getState()),
    };
    return now && grid ? protocolShapes(grid, now.protocol, marks) : [];
  });

  const placed = ({ row, column }: GridPlace) => {
    const now = shownNow({ coherent, cache });
    const rule = now && rowAt(now.protocol, grid?.states[row] ?? -1, column);
    return now ? { part: now.cache.part, view: 'rows', index: rule?.index ?? null } : {};
  };
  return (
    <div className={styles.split}>
      <div className={styles.box} ref={box}>
        {width > 0 && grid && (
          <RovingGrid
            label="Protocol: events across, states of a line down"
            quiet
            rows={grid.states.length}
            columns={grid.columns}
            describe={(place) => describe(props, grid, place)}
            cellAt={(x, y) => protocolCellAt(grid, x, y)}
            onPoint={(place) => {
              setCursor(place);
              point(place ? placed(place) : {});
            }}
            onChoose={(place) => select(placed(place))}
            isSelected={(place) => ruleIn(selection.getState()) === (placed(place).index ?? -1)}
          >
            <SvgView width={width} height={height}>
              <g ref={group} />
              {cursor && <ShapeView shapes={[protocolCursor(grid, cursor.row, cursor.column)]} />}
            </SvgView>
          </RovingGrid>
        )}
      </div>
      <p className={styles.sentence}>{cursor && grid ? describe(props, grid, cursor) : sentence}</p>
    </div>
  );
}

function describe(props: ProtocolProps, grid: ProtocolGrid, place: GridPlace): string {
  const now = shownNow(props);
  if (!now) return '';
  const [state, protocolEvent] = [grid.states[place.row] ?? 0, place.column];
  const rule = rowAt(now.protocol, state, protocolEvent);
  return rule
    ? protocolSentence(now.protocol, rule)
    : noRowSentence(now.protocol, state, protocolEvent);
}

function latestSentence(props: ProtocolProps): string {
  const now = shownNow(props);
  if (!now) return '';
  const { cache, protocol } = now;
  if (!protocol.latest) return `${cache.title} has not taken a row yet.`;
  return `${cache.title} just now: ${protocolSentence(protocol, protocol.latest)}`;
}

/** The rows taken so far as sentences, the most frequent first. */
export function ProtocolText(props: ProtocolProps) {
  const views = useMemo(() => ruleViews(props.coherent), [props.coherent]);
  useViews(props.coherent, views);
  const text = useFrameValue(() => {
    const now = shownNow(props);
    if (!now) return '';
    const { rows } = now.protocol;
    const taken = rows.filter((row) => row.taken > 0).sort((a, b) => b.taken - a.taken);
    const summary = `${latestSentence(props)} ${count(taken.length, 'row')} of ${rows.length} taken so far:`;
    return [summary, ...taken.map((row) => protocolSentence(now.protocol, row))].join('\n');
  });
  const [summary, ...sentences] = text.split('\n');
  return <TextAlternative summary={summary} sentences={sentences} />;
}
