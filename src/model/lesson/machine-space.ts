/**
 * What a scenario declares that can be changed, with every value to try: the values of the experiment's axes, and all
 * values of each parameter over its declared range, numbers in steps of a factor of two. A parameter that a variable
 * sets is changed by that variable, for all parts that follow it.
 */
import type { CompiledMachine, CompiledParam, CompiledPart } from '../scenario/compiled';
import { type EditableNumber, editableParam } from '../scenario/editable-param';
import type { Axis, Scenario, Value, Variable } from '../scenario/scenario-types';
import { variableOf } from '../scenario/values';

/** One value of a parameter or a variable. */
export interface Setting {
  /** "part.param", or the name of a variable */
  readonly name: string;
  /** "Bridge: room for posted writes" */
  readonly title: string;
  readonly value: Value;
  /** The value before, and this one, for display. */
  readonly before: string;
  readonly text: string;
  /** How far from the value before: in factors of two, or in numbers of the axis. */
  readonly distance: number;
  /** Whether only programs read it: then the machine stays as it is, and does another job. */
  readonly isOfProgram: boolean;
}

export interface MachineSpace {
  /** All values to try, by parameter or variable. */
  readonly dials: readonly (readonly Setting[])[];
  /** What stays as it is. */
  readonly fixed: {
    /** Variables that only programs read, and parameters of which a rule allows one value, by title. */
    readonly titles: readonly string[];
    /** Number of parameters that are addresses. */
    readonly addresses: number;
  };
}

type Dial = Pick<Setting, 'name' | 'title' | 'isOfProgram'>;

/** Values of a number in steps of a factor of two, to both ends of its range. */
function ladder(dial: Dial, number: EditableNumber): Setting[] {
  const { value, min, max, legal, text } = number;
  const least = number.whole === null ? number.step : 1;
  const start = value > 0 ? value : least;
  const all = new Map<string, Setting>();
  const add = (amount: number, distance: number) => {
    const inRange = Math.min(max, Math.max(min, amount));
    const near = legal ? legal.near(inRange) : number.whole ? Math.round(inRange) : inRange;
    const written = text(near);
    if (written === text(value) || all.has(written)) return;
    all.set(written, { ...dial, value: written, before: text(value), text: written, distance });
  };
  for (let by = value > 0 ? 1 : 0; start * 2 ** (by - 1) < max; by++) add(start * 2 ** by, by || 1);
  let down = 1;
  for (; start / 2 ** down > Math.max(min, least / 2); down++) add(start / 2 ** down, down);
  add(min, down);
  return [...all.values()];
}

/** Parameters that say which data is watched. They change what is counted and nothing that happens. */
const WATCHED = /^(tracked|tracked_from|written|two_values)$/;
/** Parameters that say how many addresses a part answers. With fewer the machine fails, and counts less for that. */
const EXTENTS = /^(length|memory)$/;

/** Every other value of a parameter that is tried. */
function valuesOf(dial: Dial, part: CompiledPart, param: CompiledParam): Setting[] {
  if (WATCHED.test(param.spec.name) || EXTENTS.test(param.spec.name)) return [];
  const shown = editableParam(part, { ...param, variable: false });
  if (!shown) return [];
  if (shown.kind === 'number') return ladder(dial, shown);
  const titleOf = (value: string) =>
    shown.options.find((one) => one.value === value)?.title ?? value;
  return shown.options
    .filter(({ value }) => value !== shown.value)
    .map(({ value, title }) => ({
      ...dial,
      value: shown.written(value),
      before: titleOf(shown.value),
      text: title,
      distance: 1,
    }));
}

/** The other values of an axis. */
function valuesOn(axis: Axis, present: Value | undefined, isOfProgram: boolean): Setting[] {
  const at = axis.values.indexOf(present as Value);
  const textOf = (index: number) => axis.titles[index] ?? String(axis.values[index]);
  const before = at < 0 ? String(present) : textOf(at);
  return axis.values.flatMap((value, index) =>
    index === at
      ? []
      : {
          name: axis.name,
          title: axis.title,
          value,
          before,
          text: textOf(index),
          distance: at < 0 || typeof value !== 'number' ? 1 : Math.abs(index - at),
          isOfProgram,
        },
  );
}

/** A parameter and its part. */
type Owned = readonly [CompiledPart, CompiledParam];

/** The variable that sets a parameter; null if none does. */
function setterOf({ machine }: Scenario, part: number, param: CompiledParam): string | null {
  return variableOf(machine.parts[part]?.params.get(param.spec.name)?.value);
}

/** The values to try of a variable: those of its axis, or those of the parameters that it sets. */
function valuesOfVariable(
  { name, title }: Variable,
  axis: Axis | undefined,
  present: Value | undefined,
  owned: readonly Owned[],
  isOfProgram: boolean,
): Setting[] {
  if (axis) return valuesOn(axis, present, isOfProgram);
  for (const [part, param] of owned) {
    const own = {
      name,
      title: title === name ? `${part.title}: ${param.spec.title}` : title,
      isOfProgram,
    };
    const values = valuesOf(own, part, param);
    if (values.length > 0) return values;
  }
  return [];
}

/** What can be changed in a machine of a scenario. */
export function spaceOf(scenario: Scenario, machine: CompiledMachine): MachineSpace {
  const bySetter = new Map<string, Owned[]>();
  const dials: Setting[][] = [];
  const titles: string[] = [];
  let addresses = 0;
  for (const part of machine.parts)
    for (const param of part.params) {
      const setter = setterOf(scenario, part.index, param);
      if (setter !== null)
        bySetter.set(setter, [...(bySetter.get(setter) ?? []), [part, param] as const]);
      else if (param.spec.type === 'address') addresses++;
      else {
        const title = `${part.title}: ${param.spec.title}`;
        const values = valuesOf({ name: param.path, title, isOfProgram: false }, part, param);
        if (values.length > 0) dials.push(values);
        else if (param.spec.min !== param.spec.max) titles.push(title);
      }
    }
  const { axes = [] } = scenario.experiment ?? {};
  const follows = (name: string) => axes.some(({ also }) => Object.hasOwn(also, name));
  for (const variable of scenario.variables.values()) {
    const { name, title } = variable;
    const axis = axes.find((one) => one.name === name);
    const values = valuesOfVariable(
      variable,
      axis,
      machine.variables[name],
      bySetter.get(name) ?? [],
      ![name, ...Object.keys(axis?.also ?? {})].some((one) => bySetter.has(one)),
    );
    if (values.length > 0) dials.push(values);
    else if (!axis && !follows(name)) titles.push(title);
  }
  return { dials, fixed: { titles, addresses } };
}
