import { memo } from 'react';
import type { Label } from '../../draw/lab/chart-types';
import type { LanesModel } from '../../draw/run/lanes';
import { SvgView } from '../../widgets/SvgView';
import styles from './Runs.module.css';

type Group = LanesModel['groups'][number];
type Lane = Group['lanes'][number];

/** Text classes by background. */
const INK = { full: 'on', pale: '', hatched: 'halo' } as const;

/** Lanes of several runs on one time axis, and the difference of their ends. */
export const LanesDrawing = memo(function LanesDrawing({ model }: { readonly model: LanesModel }) {
  const { ticks, groups, difference, height } = model;
  const label = groups.map(({ title, end }) => `${title.text}, ${end.label.text}`).join('; ');
  return (
    <SvgView width={model.width} height={height} fit="width" label={label}>
      {ticks.map((tick) => (
        <g key={tick.value}>
          <line className="hair" x1={tick.at} x2={tick.at} y1={10} y2={height - 4} />
          <text x={tick.at + 3} y={14} className="t10 i3">
            {tick.label}
          </text>
        </g>
      ))}
      {groups.map((group) => (
        <GroupDrawing key={group.id} group={group} model={model} />
      ))}
      {difference && <DifferenceArrow difference={difference} />}
    </SvgView>
  );
});

function Words({ label, className }: { readonly label: Label; readonly className: string }) {
  return (
    <text x={label.x} y={label.y} textAnchor={label.anchor} className={className}>
      {label.text}
    </text>
  );
}

function GroupDrawing({ group, model }: { readonly group: Group; readonly model: LanesModel }) {
  const { end } = group;
  return (
    <g data-hue={group.hue}>
      <Words label={group.title} className={`t12 b6 ${styles.name}`} />
      {group.note && <Words label={group.note} className="t11 i3" />}
      {group.lanes.map((lane) => (
        <LaneDrawing key={lane.id} lane={lane} model={model} />
      ))}
      {group.cut && <Words label={group.cut.label} className="t11 i3" />}
      <path className="playhead" d={`M${end.x} ${end.from}V${end.to}`} />
      <Words label={end.label} className="t12 b6 halo" />
    </g>
  );
}

function LaneDrawing({ lane, model }: { readonly lane: Lane; readonly model: LanesModel }) {
  const { left, right, laneHeight } = model;
  const base = lane.y + laneHeight + 1;
  const line = lane.y + 12.5;
  return (
    <g>
      <text x={left - 8} y={line} className="t11 i2 end">
        {lane.title}
      </text>
      <line className="hair" x1={left} x2={right} y1={base} y2={base} />
      {lane.bars.map((bar) => (
        <path
          key={`${bar.style} ${bar.tone}`}
          className={styles[bar.style]}
          data-tone={bar.tone}
          d={bar.path}
        />
      ))}
      {lane.labels.map((label) => (
        <text key={label.x} x={label.x} y={line} className={`t11 ${INK[label.ground]}`}>
          {label.text}
        </text>
      ))}
      {lane.notes.map((note) => (
        <g key={note.x}>
          {!note.quiet && (
            <rect
              className={styles.behind}
              x={note.x - 3}
              y={lane.y + 2}
              width={note.width + 6}
              height={laneHeight - 4}
            />
          )}
          <text x={note.x} y={line} className={`t11 ${note.quiet ? 'i3' : ''}`}>
            {note.text}
          </text>
        </g>
      ))}
    </g>
  );
}

function DifferenceArrow(props: { readonly difference: NonNullable<LanesModel['difference']> }) {
  const { y, from, to, label, gap } = props.difference;
  return (
    <g>
      {to - from > 8 && (
        <path className="thin" d={`M${from} ${y}H${to - 2}`} markerEnd="url(#ah)" />
      )}
      {gap > 0 && (
        <rect className={styles.behind} x={label.x - gap / 2} y={y - 7} width={gap} height={14} />
      )}
      <Words label={label} className="t11 b5 halo" />
    </g>
  );
}
