/**
 * The structure of scenario and machine files. Rules that a schema cannot express (a part type exists, a wire ends
 * at a port, a value is in its range) are checked by the loader against the manifests.
 */
import { KINDS, presentName } from '../../base/route';
import { FORMAT_VERSION, MAX } from './limits';
import { type ItemFile, isLoop } from './program-loops';
import { z } from './zod';

/** An object that allows no other keys. */
export const only = <S extends z.core.$ZodLooseShape>(shape: S) =>
  z.strictObject(shape, {
    // Lists the valid keys in the error for an unknown one.
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? Object.keys(shape).join(' ') : undefined,
  });

const title = z.string().min(1, 'A title has at least one letter.').max(MAX.title);
const text = z.string().max(MAX.text);
const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]*$/, 'A name is a letter, then letters, digits, _ and -.');
const scalar = z.union([z.string().max(MAX.title), z.number(), z.boolean()], {
  error: 'A value is a string, a number, true or false.',
});
const named = <T extends z.core.$ZodType>(value: T) => z.record(name, value);
const list = <T extends z.core.$ZodType>(item: T, most: number) =>
  z.array(item).max(most, `At most ${most} entries are allowed here.`);

const BASES = ['measured', 'documented', 'derived', 'assumed', 'calibrated', 'scenario'] as const;

const param = z.union(
  [
    scalar,
    only({
      value: scalar,
      basis: z.enum(BASES).optional(),
      source: text.optional(),
      figures: list(z.string(), 64).optional(),
    }),
  ],
  {
    error: 'A parameter is a value, or an object with "value", "basis", "source" and "figures".',
  },
);
const row = z.record(z.string().max(MAX.title), scalar);
const rows = list(row, MAX.rows);

const loopVariable = z
  .string()
  .regex(
    /^[A-Za-z][A-Za-z0-9_]*$/,
    'A variable of a loop is a letter, then letters, digits and _.',
  );

/** A row or a loop, distinguished by their keys, so that a mistake in a loop is not reported as a mistake in a row. */
const item = z.unknown().superRefine((value, context) => {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const shape = isObject && isLoop(value as ItemFile) ? loop : row;
  const found = shape.safeParse(value, { reportInput: true });
  for (const issue of found.error?.issues ?? []) context.addIssue({ ...issue });
}) as unknown as z.ZodType<ItemFile>;

const items = list(item, MAX.rows);

const loop = only({
  for: loopVariable,
  in: list(scalar, MAX.axisValues).min(1, 'A loop runs over at least one value.').optional(),
  from: scalar.optional(),
  count: scalar.optional(),
  step: scalar.optional(),
  index: loopVariable.optional(),
  rows: items.min(1, 'A loop has at least one row.'),
});

const part = only({
  type: z.string().optional(),
  title: title.optional(),
  at: z
    .tuple([z.number(), z.number(), z.number(), z.number()], {
      // For a value that is not a list of four numbers; an invalid element has its own message.
      error: 'A place in the drawing is four numbers: x, y, width and height.',
    })
    .optional(),
  params: z.record(z.string(), param).optional(),
  tables: z.record(z.string(), rows).optional(),
});

const wire = z.tuple([z.string(), z.string()], {
  error: 'A wire is a pair of ports, such as ["cpu.front", "bridge.cpu"].',
});

const machineShape = {
  extends: z.string().optional(),
  parts: named(part.nullable()).optional(),
  wires: list(wire, MAX.wires).optional(),
};

const header = {
  $schema: z.string().optional(),
  busyard: z.literal(FORMAT_VERSION),
  title,
  summary: text.optional(),
};

/** A file in scenarios/machines/: parts and wires shared by several scenarios. */
export const machineFile = only({ ...header, system: name.optional(), ...machineShape });

const variable = z.union(
  [scalar, only({ value: scalar, title: title.optional(), unit: z.string().optional() })],
  { error: 'A variable is a value, or an object with "value", "title" and "unit".' },
);

const threadProgram = z.union([z.string(), items], {
  error: 'A program is the name of one, or a list of rows.',
});
const work = z.union([z.string(), items, list(threadProgram, MAX.threads)], {
  error:
    'Work is the name of a program, a list of rows, or a list of programs, one for each thread.',
});

const term = z.union([z.number(), z.string()]);
const factor = z.union([term, only({ sum: list(z.union([term, list(term, 16)]), 128) })], {
  error:
    'A factor is a number, a "$variable", a "part.counter" or a "sum" of these or of their products.',
});
const metric = only({
  title,
  unit: z.string().optional(),
  product: list(factor, 16),
  over: list(factor, 16).optional(),
});

const values = list(scalar, MAX.axisValues).min(1, 'An axis has at least one value.');
const axis = z.union(
  [
    values,
    only({
      values,
      title: title.optional(),
      unit: z.string().optional(),
      titles: list(title, MAX.axisValues).optional(),
      also: named(list(scalar, MAX.axisValues)).optional(),
    }),
  ],
  { error: 'An axis is a list of values, or an object with "values" and "also".' },
);

const assignment = named(scalar);
const change = z.union(
  [scalar, only({ times: z.number().positive() }), only({ plus: scalar }), only({ minus: scalar })],
  { error: 'A change is a value, or an object with "times", "plus" or "minus".' },
);

const crossingShape = { axis: name, more: assignment, than: assignment, metric: name };

const experiment = only({
  axes: named(axis),
  x: name.optional(),
  metrics: list(name, 64),
  series: list(
    only({
      title,
      at: assignment,
      mechanism: name.optional(),
      direction: z.enum(['write', 'read']).optional(),
      figures: z.string().optional(),
    }),
    64,
  ).optional(),
  crossings: list(only({ title, ...crossingShape, param: z.string().optional() }), 16).optional(),
  whatif: list(only({ title, set: z.record(z.string(), change) }), 64).optional(),
  curves: list(
    only({
      title,
      over: name,
      metric: name,
      lines: list(
        only({
          title,
          values: list(scalar, MAX.axisValues),
          /** Ids of published figures for the metric, by value. */
          figures: named(z.string()).optional(),
        }),
        8,
      ).optional(),
    }),
    8,
  ).optional(),
});

const reason = text.min(1, 'A reason has at least one letter.');
/** Some values of a column's axis, and the reason given for their rows. */
const some = only({ values, because: reason });

const expectation = only({
  title: title.optional(),
  figure: z.string().optional(),
  /** Many rows at once: "gt.pio_write.{size}", one for each value of the axis in braces. */
  figures: z.string().optional(),
  /** Statistics over rows of other expectations: "gt.dma_write.*". */
  group: z.string().optional(),
  statistic: z.enum(['mean-abs-error', 'worst-abs-error']).optional(),
  over: z.enum(['all', 'held-out']).optional(),
  at: assignment.optional(),
  ratio: z.tuple([assignment, assignment]).optional(),
  /** The first run's metric less the second's, divided by the first's metric `per`. */
  difference: z.tuple([assignment, assignment]).optional(),
  per: name.optional(),
  crossing: only(crossingShape).optional(),
  report: z.enum(['grid', 'crossing']).optional(),
  /** In a plain row also a counter, "part.counter", or a time between two events. */
  metric: z.string().min(1).max(MAX.title).optional(),
  /** Plain rows: the value itself, or its bounds. */
  value: z.union([z.number(), z.string()]).optional(),
  min: z.union([z.number(), z.string()]).optional(),
  max: z.union([z.number(), z.string()]).optional(),
  values: list(scalar, MAX.axisValues).optional(),
  calibrated: list(scalar, MAX.axisValues).optional(),
  structural: some.optional(),
  context: list(scalar, MAX.axisValues).optional(),
  tolerance: z
    .union([z.number().min(0), z.literal('published')], {
      error:
        'A tolerance is a number in percent, or "published" for the range given by the source.',
    })
    .optional(),
  toleranceSet: z.enum(['before', 'after']).optional(),
  role: z.enum(['calibrated', 'held-out', 'outside', 'structural', 'context']).optional(),
  because: reason.optional(),
  missed: z
    .union([reason, some], {
      error: '"missed" is a reason, or an object with "values" and "because".',
    })
    .optional(),
  seeds: z.number().int().min(1).max(MAX.seeds).optional(),
});

const view = only({
  kind: z.preprocess(
    (name) => (typeof name === 'string' ? presentName(name) : name),
    z.enum(KINDS),
  ),
  parameters: list(
    only({
      title,
      note: text.optional(),
      rows: list(only({ param: z.string(), title: title.optional() }), 64),
    }),
    64,
  ).optional(),
  lanes: list(z.string(), 64).optional(),
  panels: list(z.string(), 32).optional(),
  from: scalar.optional(),
});

export const scenarioFile = only({
  ...header,
  summary: text,
  system: name,
  belief: title.optional(),
  minutes: z.number().positive().max(600).optional(),
  order: z.number().int().min(1).max(999).optional(),
  machine: only(machineShape),
  variables: named(variable).optional(),
  programs: named(items).optional(),
  workload: z
    .record(
      z
        .string()
        .regex(
          /^(?:[A-Za-z][A-Za-z0-9_-]*\*?|\*)[A-Za-z0-9_-]*$/,
          'A key of "workload" is the name of a part, or a pattern with one *, such as "cpu*".',
        ),
      work,
    )
    .optional(),
  until: scalar,
  seed: z.union([z.number().int().min(0), z.string()]).optional(),
  metrics: named(metric).optional(),
  experiment: experiment.optional(),
  expect: list(expectation, MAX.expectations).optional(),
  beyondThird: list(only({ columns: list(z.string(), 64), because: reason }), 64).optional(),
  unexplained: list(only({ text, figures: list(z.string(), 256).optional() }), 64).optional(),
  view,
  variants: z
    .record(
      z.string().max(MAX.title),
      z.union([list(scalar, 256), only({ from: scalar, to: scalar, step: scalar })], {
        error: 'A variant is a list of values, or "from", "to" and "step".',
      }),
    )
    .optional(),
  lesson: z
    .string()
    .max(MAX.lesson)
    .regex(
      /^([a-z0-9-]+\.md$|# )/,
      'A lesson is the name of a .md file next to the scenario, or its text, which begins with "# ".',
    )
    .optional(),
});

export type ScenarioFile = z.infer<typeof scenarioFile>;
export type MachineFile = z.infer<typeof machineFile>;
export type PartFile = z.infer<typeof part>;
export type ParamFile = z.infer<typeof param>;
export type ExpectFile = z.infer<typeof expectation>;
