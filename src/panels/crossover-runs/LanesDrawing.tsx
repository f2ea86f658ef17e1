import type { LanesModel } from '../../draw/lanes';
import { SvgView } from '../../widgets/SvgView';
import styles from './Runs.module.css';

type Group = LanesModel['groups'][number];
type Lane = Group['lanes'][number];

/** Lanes of several runs on one clock, and how far apart they end. */
export function LanesDrawing(props: { readonly model: LanesModel; readonly compact: boolean }) {
  const { model, compact } = props;
  const { ticks, groups, difference, height } = model;
  const label = groups.map((group) => `${group.title}, ${group.end.text}`).join('; ');
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
        <GroupDrawing key={group.id} group={group} model={model} compact={compact} />
      ))}
      {difference && <DifferenceArrow difference={difference} />}
    </SvgView>
  );
}

function GroupDrawing(props: {
  readonly group: Group;
  readonly model: LanesModel;
  readonly compact: boolean;
}) {
  const { group, model, compact } = props;
  const { end } = group;
  return (
    <g data-hue={group.hue}>
      <text
        x={compact ? 4 : 16}
        y={group.y - (compact ? 5 : -12.5)}
        className={`t12 b6 ${styles.name}`}
      >
        {group.title}
      </text>
      {!compact && (
        <text x={16} y={group.y + 27} className="t11 i3">
          {group.note}
        </text>
      )}
      {group.lanes.map((lane) => (
        <LaneDrawing key={lane.id} lane={lane} model={model} />
      ))}
      <path className="needle" d={`M${end.x} ${end.from}V${end.to}`} />
      <text
        x={compact ? end.x - 5 : end.x + 5}
        y={compact ? end.from - 2 : end.to - 5}
        className={`t12 b6 halo ${compact ? 'end' : ''}`}
      >
        {end.text}
      </text>
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
        <text key={label.x} x={label.x} y={line} className={`t11 ${label.onBar ? 'on' : 'halo'}`}>
          {label.text}
        </text>
      ))}
      {lane.notes.map((note) => (
        <text key={note.x} x={note.x} y={line} className={`t11 halo ${note.quiet ? 'i3' : 'i2'}`}>
          {note.text}
        </text>
      ))}
    </g>
  );
}

function DifferenceArrow(props: { readonly difference: NonNullable<LanesModel['difference']> }) {
  const { y, from, to, text, textAt, textWidth } = props.difference;
  const fits = to - from > textWidth + 24;
  const x = fits ? textAt : Math.max(from, to) + 8;
  return (
    <g>
      {to - from > 8 && (
        <path className="thin" d={`M${from} ${y}H${to - 2}`} markerEnd="url(#ah)" />
      )}
      {fits && (
        <rect
          className={styles.behind}
          x={textAt - textWidth / 2}
          y={y - 7}
          width={textWidth}
          height={14}
        />
      )}
      <text x={x} y={y + 4} className={`t11 b5 halo ${fits ? 'mid' : ''}`}>
        {text}
      </text>
    </g>
  );
}
