/** Gauges at the parts whose counters a question asks about: sealed until the reader answers, then with the guess. */
import { useAnswerMask } from '../../controllers/useAnswerMask';
import { useCauses } from '../../controllers/useCauses';
import { useStore } from '../../controllers/useStore';
import { counterText } from '../../draw/machine/facts';
import { openGauge, sealedGauge } from '../../draw/machine/gauge';
import type { MachineLayout, PlacedPart } from '../../draw/machine/types';
import type { Shape } from '../../draw/shape';
import {
  evidenceTarget,
  guess,
  isAnswered,
  shownQuestion,
  stepShown,
} from '../../model/lesson/answer-mask';
import { conditionAt } from '../../model/lesson/evidence';
import { type Condition, plainText, type Question } from '../../model/lesson/lesson';
import { openLesson } from '../../model/lesson/open-lesson';
import { isQuestionRun } from '../../model/lesson/question-run';
import { type CompiledMachine, partNamed } from '../../model/scenario/compiled';
import { type Metric, termsOf } from '../../model/scenario/scenario-types';
import { answers, answerTo, scenarioKey } from '../../model/session/answers';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { ShapeView } from '../../widgets/ShapeView';

/** Title of a metric that grows with this counter and no other; empty if there is none. */
function titleOf(metrics: Iterable<Metric>, part: number, counter: number): string {
  for (const metric of metrics) {
    const [term, other] = termsOf(metric).filter(({ kind }) => kind === 'counter');
    const isRate = metric.over.some((factor) => factor === term);
    if (
      !other &&
      term?.kind === 'counter' &&
      term.part === part &&
      term.counter === counter &&
      !isRate
    )
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

/** A gauge at each part that a question asks about, where `shapes` makes one of the condition on its counter. */
function gaugesOf(
  { layout, machine }: GaugesProps,
  { options }: Question,
  shapes: (placed: PlacedPart, asked: Condition) => Shape[],
): Shape[] {
  const asked = options.flatMap(({ when }) => when);
  return layout.parts.flatMap((placed) => {
    const own = asked.find(({ part }) => partNamed(machine, part)?.index === placed.index);
    return own ? shapes(placed, own) : [];
  });
}

export function Gauges(props: GaugesProps) {
  return useAnswerMask() ? <Sealed {...props} /> : <Opened {...props} />;
}

/** The range of a counter that the conditions of a guess allow; null if they say nothing about it. */
function rangeOf(
  machine: CompiledMachine,
  counters: ArrayLike<number>,
  when: readonly Condition[],
  { part, counter }: Condition,
): readonly [number, number] | null {
  let [low, high] = [0, Number.POSITIVE_INFINITY];
  const own = when.filter((one) => one.part === part && one.counter === counter);
  for (const condition of own) {
    const limit = conditionAt(machine, condition)?.limitIn(counters) ?? 0;
    if (/[>=]/.test(condition.operator[0] ?? '')) low = limit;
    if (/[<=]/.test(condition.operator[0] ?? '')) high = limit;
  }
  return own.length === 0 ? null : [low, high];
}

/** What the question of the step asked about, beside what was guessed, once it has been answered and shown. */
function Opened(props: GaugesProps) {
  const { machine } = props;
  useStore(stepShown);
  useStore(answers);
  useStore(openLesson);
  const plays = useStore(evidenceTarget, ({ question }) => question !== null);
  const isWhole = useStore(player.state, ({ complete }) => complete);
  const causes = useCauses();
  const metrics = useStore(session, ({ data }) => data?.metrics);
  const question = shownQuestion();
  if (!question || plays || !isWhole || !isAnswered(question) || !isQuestionRun(question))
    return null;
  const counters = player.recording()?.overview.at(-1)?.counters ?? [];
  const chosen = answerTo(scenarioKey(session.getState()), question)?.option;
  const when = question.options.find(({ id }) => id === chosen)?.when ?? [];
  const shapes = gaugesOf(props, question, (placed, asked) => {
    const found = conditionAt(machine, asked);
    if (!found) return [];
    const actual = counters[found.place] ?? 0;
    const { counters: specs } = placed.part.type;
    const counter = specs.findIndex(({ name }) => name === asked.counter);
    const value = counterText({ unit: found.unit }, actual);
    const title = titleOf(metrics?.values() ?? [], placed.index, counter);
    const names = [title, specs[counter]?.title ?? ''].filter(Boolean);
    const wordings = [...names.map((name) => `${name}: ${value}`), value];
    return openGauge(placed, props.layout.parts, wordings, {
      actual,
      guess: rangeOf(machine, counters, when, asked),
      reasons: causes.filter(({ part }) => {
        const at = props.layout.parts.find(({ index }) => index === part);
        return (at?.host ?? at?.index) === placed.index;
      }).length,
    });
  });
  return <ShapeView shapes={shapes} />;
}

function Sealed(props: GaugesProps) {
  const mask = useAnswerMask();
  const chosen = useStore(guess, ({ option }) => option);
  const metrics = useStore(session, ({ data }) => data?.metrics);
  if (!mask) return null;
  const { question } = mask;
  const shapes = gaugesOf(props, question, (placed, asked) => {
    const counter = placed.part.type.counters.findIndex(({ name }) => name === asked.counter);
    const title = titleOf(metrics?.values() ?? [], placed.index, counter);
    return sealedGauge(placed, props.layout.parts, wordingsOf(question, title, chosen));
  });
  return <ShapeView shapes={shapes} />;
}
