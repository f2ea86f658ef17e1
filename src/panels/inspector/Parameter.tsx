import { type ReactNode, useState } from 'react';
import { showToast } from '../../base/notices';
import { sweepParam } from '../../controllers/sweep-request';
import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { type CompiledParam, type CompiledPart, shownParam } from '../../model/scenario/compiled';
import { type EditableNumber, editableParam } from '../../model/scenario/editable-param';
import type { Problem } from '../../model/scenario/problems';
import type { Value } from '../../model/scenario/scenario-types';
import { toInteger } from '../../model/scenario/values';
import { addCommand, setParam } from '../../model/session/editing';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { BasisBadge } from '../../widgets/BasisBadge';
import { ParameterRow } from '../../widgets/ParameterRow';
import { Select } from '../../widgets/Select';
import { actsFrom, isLive } from './acts-from';
import styles from './Inspector.module.css';

interface ParameterProps {
  readonly part: CompiledPart;
  readonly param: CompiledParam;
  /** Name of the part before that of the parameter, in a list of several parts. */
  readonly prefix?: string;
  /** Its title with glossary tooltips. */
  readonly words?: ReactNode;
}

/** The value at the playhead: the last live change before it, or the initial value. */
function valueNow(part: CompiledPart, { path, spec, value }: CompiledParam): bigint {
  const { events } = player.now();
  const last = session
    .getState()
    .commands.findLast((command) => command.param === path && command.at <= events);
  if (!last) return value;
  const changed = toInteger(last.value, spec.type, part.type.enums);
  return typeof changed === 'bigint' ? changed : value;
}

/**
 * A change applies from the start of the run. A live parameter can also be changed from the playhead on, by a
 * command.
 */
function change(param: CompiledParam, value: Value, commit: boolean): Problem | null {
  const { events } = player.now();
  const isHere = actsFrom.getState().from === 'here' && events > 0;
  if (isHere && isLive(param))
    return addCommand({ at: events, param: param.path, value }, { commit });
  const problem = setParam(param.path, value, { commit, untilEvents: events });
  if (isHere && commit && !problem)
    showToast(`${titleOf(param)} cannot change during a run: it has the new value from the start.`);
  return problem;
}

export const titleOf = ({ spec: { title } }: CompiledParam, prefix?: string): string =>
  prefix ? `${prefix}: ${title}` : title.charAt(0).toUpperCase() + title.slice(1);

/** One parameter, by its type: slider and number, choice, or plain text. */
export function Parameter({ part, param, prefix, words }: ParameterProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  useStore(session, (state) => state.commands);
  const value = useFrameValue(() => valueNow(part, param));
  const present = { ...param, value };
  const editable = editableParam(part, present);
  const set = (next: Value, commit: boolean) => setProblem(change(param, next, commit));
  const title = titleOf(param, prefix);
  const origin = { basis: param.basis, source: param.source, note: param.spec.doc };
  if (!editable)
    return (
      <div className={styles.fixed} title={param.spec.doc}>
        <span>{words ?? title}</span>
        <b>{shownParam(part, present)}</b>
        <BasisBadge {...origin} />
      </div>
    );
  if (editable.kind === 'choice')
    return (
      <div className={styles.fixed} title={param.spec.doc}>
        <Select
          label={title}
          showLabel
          words={words}
          options={editable.options}
          value={editable.value}
          onChange={(next) => set(editable.written(next), true)}
        />
        <BasisBadge {...origin} />
      </div>
    );
  return (
    <ParameterRow
      label={title}
      words={words}
      doc={`${param.spec.doc} ${whenChanged(param)}`}
      {...editable}
      defaultValue={editable.original}
      was={wasOf(editable)}
      origin={origin}
      refused={problem?.message}
      {...(!param.variable && { onSweep: () => sweepParam(param.path) })}
      onInput={(next) => set(editable.text(next), false)}
      onCommit={(next) => set(editable.text(next), true)}
    />
  );
}

const whenChanged = (param: CompiledParam): string =>
  isLive(param)
    ? 'A change acts from the start or from here, as chosen above.'
    : 'A change acts from the start: the machine is rerun to the same time.';

/** The scenario's own value, struck through if another is in force. */
const wasOf = ({ value, original }: EditableNumber): number | undefined =>
  value === original ? undefined : original;
