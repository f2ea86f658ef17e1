import { type ReactNode, useMemo, useState } from 'react';
import { useAnswerMask, useHidesFuture } from '../../controllers/useAnswerMask';
import { useFrameValue } from '../../controllers/useRun';
import { useStore } from '../../controllers/useStore';
import { counterText } from '../../draw/machine/facts';
import { sparkline } from '../../draw/run/overview';
import type { CounterSpec } from '../../engine/manifest';
import { type CompiledPart, firstCounterOf } from '../../model/scenario/compiled';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { Button } from '../../widgets/Button';
import { useGlossaryText } from '../../widgets/GlossaryText';
import { Masked } from '../../widgets/Masked';
import { Section } from '../../widgets/Section';
import styles from './Inspector.module.css';

const [WIDTH, HEIGHT] = [64, 14];

/** Index of a part's first counter in the samples. */
const offsetOf = ({ index }: CompiledPart): number =>
  firstCounterOf(session.getState().machine?.parts ?? [], index);

const countOf = (part: CompiledPart, index: number): number =>
  player.frame()?.counters[part.index]?.[index] ?? 0;

/** Whether each counter is non-zero in the whole run; one character each, so that it compares by value. */
function usedInRun(part: CompiledPart): string {
  const last = player.recording()?.overview.at(-1)?.counters;
  const from = offsetOf(part);
  return part.type.counters.map((_, index) => (last?.[from + index] ? '+' : '-')).join('');
}

const usedSoFar = (part: CompiledPart): string =>
  part.type.counters.map((_, index) => (countOf(part, index) > 0 ? '+' : '-')).join('');

/** Counters of the part up to the playhead; those that stay at zero are shown on demand. */
export function Counters({ part }: { readonly part: CompiledPart }) {
  useStore(player.state, (state) => state.recorded);
  const [all, setAll] = useState(false);
  const answerMask = useAnswerMask();
  const ahead = useHidesFuture();
  const { counters } = part.type;
  const signs = useFrameValue(() => (ahead ? usedSoFar(part) : usedInRun(part)));
  const used = counters.filter(
    ({ name }, index) => signs[index] === '+' || answerMask?.masks(part.index, name),
  );
  const words = useGlossaryText(counters.map(({ title }) => title));
  if (counters.length === 0) return null;
  const unused = counters.length - used.length;
  const shown = all ? counters : used;
  return (
    <Section
      title="Counters"
      aside={ahead ? 'to the playhead' : 'to the playhead, line: complete run'}
    >
      <table className={styles.counters}>
        <tbody>
          {shown.map((spec) => (
            <Counter
              key={spec.name}
              {...{ part, spec, ahead }}
              index={counters.indexOf(spec)}
              words={words[counters.indexOf(spec)]}
              masked={answerMask?.masks(part.index, spec.name) ?? false}
            />
          ))}
        </tbody>
      </table>
      {unused > 0 && (
        <Button look="link" onClick={() => setAll(!all)}>
          {all ? 'Hide counters that stay at zero' : `${unused} that stay at zero`}
        </Button>
      )}
    </Section>
  );
}

interface CounterProps {
  readonly part: CompiledPart;
  readonly spec: CounterSpec;
  readonly index: number;
  readonly words: ReactNode;
  /** The open question asks about it. */
  readonly masked: boolean;
  /** Its growth after the playhead is masked. */
  readonly ahead: boolean;
}

function Counter({ part, spec, index, words, masked, ahead }: CounterProps) {
  const value = useFrameValue(() => counterText(spec, countOf(part, index)));
  return (
    <tr>
      <th scope="row" title={spec.doc}>
        {words}
      </th>
      <td>{masked ? <Masked /> : value}</td>
      <td>{!ahead && <Growth part={part} index={index} />}</td>
    </tr>
  );
}

/** Growth of the counter over the run, and the playhead. */
function Growth({ part, index }: Pick<CounterProps, 'part' | 'index'>) {
  const recorded = useStore(player.state, (state) => state.recorded);
  const place = offsetOf(part) + index;
  const values = useMemo(
    () =>
      recorded > 0
        ? (player.recording()?.overview.map((sample) => sample.counters[place] ?? 0) ?? [])
        : [],
    [recorded, place],
  );
  const share = useFrameValue(() => {
    const { endPs } = player.state.getState();
    return endPs > 0 ? Math.round((player.now().timePs / endPs) * 100) / 100 : 0;
  });
  const last = values.at(-1) ?? 0;
  if (values.length < 2 || last === 0) return null;
  const y = HEIGHT - 2 - (countOf(part, index) / last) * (HEIGHT - 4);
  return (
    <svg
      className={styles.growth}
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      aria-hidden="true"
    >
      <path d={sparkline(values, WIDTH, HEIGHT)} />
      <circle cx={1 + share * (WIDTH - 4)} cy={y} r={1.8} />
    </svg>
  );
}
