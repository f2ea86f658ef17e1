/**
 * The quantity that decided a question, in words: a metric of the scenario, or a documented counter of a
 * part.
 */
import { bytes, significant, text, time, unitAfter } from '../../base/format';
import { counterText } from '../../draw/machine/facts';
import { conditionAt, multipleIn } from '../../model/lesson/evidence';
import type { Condition, Option } from '../../model/lesson/lesson';
import type { NamedQuantity } from '../../model/lesson/quantity-of';
import { countersByPart, partNamed } from '../../model/scenario/compiled';
import { metricValue } from '../../model/scenario/experiment';
import { termsOf } from '../../model/scenario/scenario-types';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';

/** "1.393 µs", "4 KiB", "129 times" */
export function quantityText({ value, unit }: Pick<NamedQuantity, 'value' | 'unit'>): string {
  if (unit === 'ps') return text(time(value));
  if (unit === 'B') return text(bytes(value));
  const number = significant(value, 4);
  return `${number} ${unitAfter(number, unit)}`.trim();
}

/** "Lines read." within a sentence: "lines read"; names such as READ and CPU keep their case. */
const within = (sentence: string): string =>
  sentence.replace(/\.$/, '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());

/** Final counters of all parts, one part after another. */
type Counters = ArrayLike<number>;

/** "four loads: 1.393 µs", or "Memory, lines read: 16"; empty if the run has not ended. */
function counted(condition: Condition, flat: Counters | undefined): string {
  const { machine, data } = session.getState();
  const found = machine ? conditionAt(machine, condition) : null;
  const part = machine ? partNamed(machine, condition.part) : undefined;
  const index = part?.type.counters.findIndex(({ name }) => name === condition.counter) ?? -1;
  const spec = part?.type.counters[index];
  if (!machine || !found || !part || !spec || !flat) return '';
  const measure = [...(data?.metrics.values() ?? [])].find((metric) => {
    const [term, other] = termsOf(metric).filter(({ kind }) => kind === 'counter');
    return !other && term?.kind === 'counter' && term.part === part.index && term.counter === index;
  });
  const own = countersByPart(machine, flat);
  const value = measure ? metricValue(measure, machine.variables, own) : null;
  if (measure && value !== null) {
    return `${measure.title}: ${quantityText({ value, unit: measure.unit })}`;
  }
  const count = counterText(spec, flat[found.place] ?? 0);
  return `${part.title}, ${within(spec.doc)}: ${count}`;
}

/** The other side of a condition that compares two counters, as a condition. */
function otherSide({ value, operator }: Condition): Condition[] {
  const other = multipleIn(value);
  return other ? [{ part: other.part, counter: other.counter, operator, value: '0' }] : [];
}

/** The quantities that the conditions of an option ask about, each once; by default those of the open run. */
export const decidingText = (
  { when }: Option,
  counters: Counters | undefined = player.recording()?.overview.at(-1)?.counters,
): string => {
  const asked = when.flatMap((condition) => [...otherSide(condition), condition]);
  return [...new Set(asked.map((condition) => counted(condition, counters)))].join('; ');
};
