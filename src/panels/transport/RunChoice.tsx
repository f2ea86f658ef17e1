import { variablesAt } from '../../model/experiment';
import type { Axis, Value } from '../../model/scenarioTypes';
import { session, setVariables } from '../../model/session';
import { Select } from '../../widgets/Select';
import { useStore } from '../../widgets/useStore';
import styles from './Transport.module.css';

/** Which run of the experiment is shown: one choice for each of its axes. */
export function RunChoice() {
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const axes = data?.experiment?.axes ?? [];
  if (!machine) return null;
  return (
    <span className={styles.runs}>
      {axes.map((axis) => (
        <Select
          key={axis.name}
          label={axis.title}
          showLabel
          options={axis.values.map((value, index) => ({
            value: String(index),
            title: axis.titles[index] ?? String(value),
          }))}
          value={String(axis.values.indexOf(machine.variables[axis.name] as Value))}
          onChange={(index) => choose(axis, Number(index))}
        />
      ))}
    </span>
  );
}

/** Variables that go with a value of the axis come along. */
function choose(axis: Axis, index: number): void {
  const { data, machine } = session.getState();
  const value = axis.values[index];
  if (!data?.experiment || !machine || value === undefined) return;
  const here = data.experiment.axes.map(({ name }) => [name, machine.variables[name]]);
  const variables = variablesAt(data, { ...Object.fromEntries(here), [axis.name]: value });
  if (variables.ok) setVariables(variables.value);
}
