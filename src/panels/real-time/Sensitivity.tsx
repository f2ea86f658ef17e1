import { signedPercent, text, time } from '../../base/format';
import { useHidesExperiment } from '../../controllers/useAnswerMask';
import { useStore } from '../../controllers/useStore';
import { type GainScale, gainScale, sensitivityShapes } from '../../draw/realtime/sensitivity';
import { strengths } from '../../model/report/sensitivity-data';
import {
  type SensitiveConstant,
  type SensitivityBand,
  sensitivityOf,
} from '../../model/report/sensitivity-groups';
import { type CompiledParam, paramAt } from '../../model/scenario/compiled';
import { toText } from '../../model/scenario/values';
import { session } from '../../model/session/session';
import { BasisBadge } from '../../widgets/BasisBadge';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { ShapeView } from '../../widgets/ShapeView';
import { SvgView } from '../../widgets/SvgView';
import styles from './Sensitivity.module.css';

const groups = strengths.flatMap((one) => one.groups);

/** Each gain with one cost a fifth lower and higher: the most influential costs, and their basis. */
export default function Sensitivity() {
  const data = useStore(session, (state) => state.data);
  const machine = useStore(session, (state) => state.machine);
  const masked = useHidesExperiment();
  const sensitivity = data && sensitivityOf(groups, data.id);
  return (
    <Panel
      title="How sensitive are the gains?"
      sub="each cost a fifth less and a fifth more"
      masked={masked}
      scroll
    >
      {sensitivity ? (
        <div className={styles.sheet}>
          <table className={styles.table}>
            <caption>
              One set of costs. Each line shows a gain with one of them a fifth less (bar, first
              number, in %) and a fifth more (dot, second number); the ring is the paper’s value.
            </caption>
            <thead>
              <tr>
                <th scope="col">cost</th>
                {sensitivity.gains.map(({ title, simulated }) => (
                  <th key={title} scope="col">
                    {title} <b>{signedPercent(simulated)}</b>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sensitivity.costs.map((cost) => {
                const param = machine && paramAt(machine, cost.name);
                if (param?.spec.type === 'count') return null;
                return (
                  <Cost
                    key={cost.name}
                    cost={cost}
                    param={param ?? null}
                    gains={sensitivity.gains}
                    scale={gainScale(sensitivity)}
                  />
                );
              })}
            </tbody>
          </table>
        </div>
      ) : (
        <EmptyState title="No constant was fitted to gains here." />
      )}
    </Panel>
  );
}

interface CostProps {
  readonly cost: SensitiveConstant;
  readonly param: CompiledParam | null;
  readonly gains: readonly SensitivityBand[];
  readonly scale: GainScale;
}

/** The value that the gains were computed with, regardless of later edits. */
const asSet = ({ original, spec }: CompiledParam): string =>
  spec.type === 'time' ? text(time(Number(original))) : toText(original, spec.type, {});

function Cost({ cost, param, gains, scale }: CostProps) {
  return (
    <tr>
      <th scope="row">
        {param?.spec.title ?? cost.title}
        {param && (
          <span className={styles.basis}>
            {asSet(param)}
            <BasisBadge basis={param.basis} source={param.source} />
          </span>
        )}
      </th>
      {gains.map((gain, i) => {
        const [less, more] = cost.gains[i] ?? [null, null];
        return (
          <td key={gain.title}>
            <SvgView width={scale.width} height={scale.height} fit="width" aria-hidden="true">
              <ShapeView shapes={sensitivityShapes(scale, gain, less, more)} />
            </SvgView>
            <span className={styles.sentence}>
              {gainText(less, 'less')}, {gainText(more, 'more')}
            </span>
          </td>
        );
      })}
    </tr>
  );
}

const gainText = (gain: number | null, side: string): string =>
  gain === null ? `not ${side}` : signedPercent(gain).replace(/\s?%$/u, '');
