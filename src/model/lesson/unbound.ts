/**
 * Numbers in a lesson's prose that nothing holds. A number with a unit is held if it is bound ("run:", "param:",
 * "time:", "source:" and the id of a published or quoted value), if it is an input of the scenario or of a setting
 * in the lesson, or if it is a published figure of the system. Options are guesses, and hints and notes speak of them.
 */
import { figure, figureIds } from '../published/published';
import type { CompiledMachine } from '../scenario/compiled';
import { readJson } from '../scenario/json-text';
import type { Scenario } from '../scenario/scenario-types';
import { settingOf } from '../scenario/settings';
import { isChecked } from './check-number';
import { type Inline, inlinesIn, type Piece, piecesOf } from './lesson';
import { isRounded, numbersIn, type Quantity, quantity, spaced } from './quantities';

export interface Unbound {
  readonly line: number;
  /** "63 ns" */
  readonly number: string;
}

const DIMENSIONS = ['', 'ps', 'B', 'B/s', 'Hz'];

/** Titles, reasons and names; quantities and expressions have no longer words than their units and $names. */
const isProse = (text: string): boolean => /[a-z]{4}/i.test(text.replaceAll(/\$[\w-]+/g, ''));

/** What a value of a file may stand for: "65.1 ns", or a plain number whose unit is written elsewhere. */
function readings(value: unknown): Quantity[] {
  if (typeof value === 'number') return [...DIMENSIONS.map((dimension) => ({ value, dimension }))];
  if (typeof value !== 'string' || isProse(value)) return [];
  const plain = /^\d+$/.test(value) ? readings(Number(value)) : [];
  const written = [...value.matchAll(/(\d+(?:\.\d+)?) ?([A-Za-zµ]+(?:\/s)?)/g)];
  return [...plain, ...written.map(([, amount, unit = '']) => quantity(Number(amount), unit))];
}

function valuesIn(value: unknown): Quantity[] {
  if (Array.isArray(value)) return value.flatMap(valuesIn);
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(valuesIn);
  return readings(value);
}

const OF_TYPE: Readonly<Record<string, string>> = {
  time: 'ps',
  bytes: 'B',
  clock: 'Hz',
  rate: 'B/s',
  count: '',
};

/** Everything that the scenario sets: its file, the parameters of its parts, and its variables with their units. */
function inputsOf(scenario: Scenario, machine: CompiledMachine): Quantity[] {
  const params = machine.parts.flatMap(({ params }) =>
    params.map(({ value, spec }) => ({
      value: Number(value),
      dimension: OF_TYPE[spec.type] ?? spec.type,
    })),
  );
  const json = readJson(scenario.text, '');
  const { expect: _, ...file } = (json.ok ? json.value.value : {}) as Record<string, unknown>;
  const axes = scenario.experiment?.axes ?? [];
  const named = [
    ...[...scenario.variables.values()].map(({ value, unit }) => ({ values: [value], unit })),
    ...axes,
  ].flatMap(({ values, unit }) => values.map((value) => quantity(Number(value), unit)));
  return [...params, ...valuesIn(file), ...named.filter(({ value }) => Number.isFinite(value))];
}

const figuresOf = (system: string): Quantity[] =>
  [...figureIds()]
    .filter((id) => id.startsWith(`${system}.`))
    .flatMap((id) => {
      const found = figure(id);
      return found
        ? [found.value, ...(found.range ?? [])].map((value) => quantity(value, found.unit))
        : [];
    });

/** The texts of a piece that state something. */
const statedIn = ({ block, task, question }: Piece): readonly (readonly Inline[])[] => [
  ...(block ? [inlinesIn(block)] : []),
  ...(task ? [task.inlines, task.because] : []),
  ...(question ? [question.prompt, question.because] : []),
];

const settingsOf = (inlines: readonly Inline[]): Quantity[] =>
  inlines.flatMap((inline) =>
    inline.kind === 'link' && inline.to.kind === 'set'
      ? valuesIn(settingOf(inline.to.value) ?? {})
      : [],
  );

/** A link is held by what it leads to; a source that is only a text holds nothing. */
const isHeld = (inline: Inline): boolean =>
  inline.kind === 'link' && (inline.to.kind !== 'source' || isChecked(inline.to.value));

/** The numbers with units that nothing holds, in the order of the text. */
export function unboundIn(
  text: string,
  scenario: Scenario,
  machine: CompiledMachine,
): readonly Unbound[] {
  const pieces = piecesOf(text);
  const known = [
    ...inputsOf(scenario, machine),
    ...figuresOf(scenario.system),
    ...pieces.flatMap((piece) => statedIn(piece).flatMap(settingsOf)),
    ...pieces.flatMap(({ question }) => valuesIn(settingOf(question?.set ?? '') ?? {})),
  ];
  return pieces.flatMap((piece) =>
    statedIn(piece)
      .flat()
      .filter((inline) => inline.kind !== 'code' && !isHeld(inline))
      .flatMap((inline) => numbersIn(inline.text))
      .filter((number) => !known.some((one) => isRounded(number, one)))
      .map((number) => ({
        number,
        line:
          piece.line +
          Math.max(
            0,
            piece.lines.findIndex((line) => spaced(line).includes(number)),
          ),
      })),
  );
}
