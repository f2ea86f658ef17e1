import { type ReactNode, useRef, useState } from 'react';
import { useStore } from '../../controllers/useStore';
import { namedTitle } from '../../draw/run/run-rows';
import { overriddenAxes, withoutOverrides } from '../../model/scenario/axis-overrides';
import { variablesAt } from '../../model/scenario/experiment';
import type { Axis, Value } from '../../model/scenario/scenario-types';
import { setVariables } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { Icon } from '../../widgets/Icon';
import { Popover } from '../../widgets/Popover';
import { Select } from '../../widgets/Select';
import styles from './Transport.module.css';

/** Chooses a run of the experiment: one choice for each axis. */
export function RunChoice() {
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const edits = useStore(session, (state) => state.edits);
  const axes = data?.experiment?.axes ?? [];
  if (!data || !machine || axes.length === 0) return null;
  const byHand = overriddenAxes(data, machine, edits);
  const fields = axes.map((axis) => (
    <Select
      key={axis.name}
      label={axis.title}
      showLabel
      options={[
        ...(byHand.includes(axis) ? [{ value: '', title: CHANGED_BY_HAND }] : []),
        ...axis.values.map((value, index) => ({
          value: String(index),
          title: titleOf(axis, value),
        })),
      ]}
      value={
        byHand.includes(axis)
          ? ''
          : String(axis.values.indexOf(machine.variables[axis.name] as Value))
      }
      onChange={(index) => index !== '' && choose(axis, Number(index))}
    />
  ));
  if (axes.length <= MOST_FIELDS && lettersOf(axes) <= MOST_LETTERS)
    return <span className={styles.runs}>{fields}</span>;
  const words = axes.map((axis) =>
    byHand.includes(axis)
      ? `${axis.title} ${CHANGED_BY_HAND}`
      : namedTitle(titleOf(axis, machine.variables[axis.name] as Value), axis),
  );
  return <Folded words={words.join(', ')}>{fields}</Folded>;
}

const titleOf = ({ titles, values }: Axis, value: Value): string =>
  titles[values.indexOf(value)] ?? String(value);

/** Shown for an axis whose value was overridden by an edit, until a value is chosen. */
const CHANGED_BY_HAND = 'changed by hand';

/** More or longer fields do not fit in the bar: they are in a popover. */
const [MOST_FIELDS, MOST_LETTERS] = [2, 48];

/** Total length of the titles, each with its longest choice. */
const lettersOf = (axes: readonly Axis[]): number =>
  axes.reduce((sum, axis) => {
    const choices = axis.values.map((value) => titleOf(axis, value).length);
    return sum + axis.title.length + Math.max(0, ...choices);
  }, 0);

function Folded({ words, children }: { readonly words: string; readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  return (
    <span className={styles.runs}>
      <button
        ref={anchor}
        type="button"
        className={styles.folded}
        title={words}
        aria-label={`Run: ${words}`}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <span>{words}</span>
        <Icon name="down" size={12} />
      </button>
      {open && (
        <Popover anchor={anchor} label="Which run" align="end" onClose={() => setOpen(false)}>
          <div className={styles.fields}>{children}</div>
        </Popover>
      )}
    </span>
  );
}

/** Sets the variables of an axis value and removes edits that override them. */
function choose(axis: Axis, index: number): void {
  const { data, machine, edits } = session.getState();
  const value = axis.values[index];
  if (!data?.experiment || !machine || value === undefined) return;
  const here = data.experiment.axes.map(({ name }) => [name, machine.variables[name]]);
  const variables = variablesAt(data, { ...Object.fromEntries(here), [axis.name]: value });
  if (variables.ok) setVariables(variables.value, withoutOverrides(data, edits, [axis]));
}
