/** Gauges at the parts whose counters the open question asks about: sealed until the reader answers. */
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useStore } from '../../controllers/useStore';
import { fitting } from '../../draw/glyph';
import type { MachineLayout, PlacedPart } from '../../draw/machine/types';
import { rect, type Shape, words } from '../../draw/shape';
import { widthOf } from '../../draw/text-width';
import { guess } from '../../model/lesson/answer-mask';
import { plainText, type Question } from '../../model/lesson/lesson';
import { type CompiledMachine, partNamed } from '../../model/scenario/compiled';
import { type Metric, termsOf } from '../../model/scenario/scenario-types';
import { session } from '../../model/session/session';
import { ShapeView } from '../../widgets/ShapeView';

const HEIGHT = 18;
const PAD = 11;
const TEXT = 11;
/** Distance from the left edge of the part: at its right a bus agent's response stands above it. */
const ASIDE = 10;

/** How far it reaches into the part, above its title. */
const INSIDE = 4;

/** A gauge on the upper edge of a part, with the first wording that fits. */
function gaugeShapes({ box }: PlacedPart, wordings: readonly string[]): Shape[] {
  const text = fitting(wordings, box.width - 2 * (PAD + ASIDE), TEXT) ?? '?';
  const width = widthOf(text, TEXT) + 2 * PAD;
  const x = box.x + ASIDE;
  const y = Math.max(1, box.y - HEIGHT + INSIDE);
  return [
    rect(x, y, width, HEIGHT, 'seal'),
    words(x + width / 2, y + HEIGHT / 2 + 4, text, 't11 b6 mid acc'),
  ];
}

/** Title of a metric that is this counter and nothing else; empty if there is none. */
function titleOf(metrics: Iterable<Metric>, part: number, counter: number): string {
  for (const metric of metrics) {
    const [term, other] = termsOf(metric).filter(({ kind }) => kind === 'counter');
    if (!other && term?.kind === 'counter' && term.part === part && term.counter === counter)
      return metric.title;
  }
  return '';
}

function wordingsOf(question: Question, title: string, chosen: number | null): string[] {
  const option = question.options[chosen ?? -1];
  if (option) return [`your guess: ${plainText(option.inlines)}`, 'your guess: made', 'guessed'];
  return [...(title ? [`${title}: your guess?`] : []), 'your guess?'];
}

interface GaugesProps {
  readonly layout: MachineLayout;
  readonly machine: CompiledMachine;
}

export function Gauges({ layout, machine }: GaugesProps) {
  const mask = useAnswerMask();
  const chosen = useStore(guess, ({ option }) => option);
  const metrics = useStore(session, ({ data }) => data?.metrics);
  if (!mask) return null;
  const { question } = mask;
  const asked = question.options.flatMap(({ when }) => when);
  const shapes = layout.parts.flatMap((placed) => {
    const { type } = placed.part;
    const own = asked.find(({ part }) => partNamed(machine, part)?.index === placed.index);
    if (!own) return [];
    const counter = type.counters.findIndex((spec) => spec.name === own.counter);
    const title = titleOf(metrics?.values() ?? [], placed.index, counter);
    return gaugeShapes(placed, wordingsOf(question, title, chosen));
  });
  return <ShapeView shapes={shapes} />;
}
