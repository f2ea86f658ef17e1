import { lab } from '../../controllers/useLab';
import { sizeText } from '../../draw/lab/along-curve';
import type { LabPlan } from '../../model/lab/plan';
import {
  isCrossingSealed,
  type LabCrossingState,
  type LabState,
  type WhatIfState,
} from '../../model/lab/state';
import { Button } from '../../widgets/Button';
import { Masked } from '../../widgets/Masked';
import { Section } from '../../widgets/Section';
import { Segmented } from '../../widgets/Segmented';
import { Select } from '../../widgets/Select';
import styles from './AtSize.module.css';

/** Longer titles do not fit beside the heading. */
const BESIDE = 24;

/** The crossing after each of the scenario's changes, found by simulation. */
export function WhatIf({ state, plan }: { readonly state: LabState; readonly plan: LabPlan }) {
  const crossing = state.crossings[state.crossing];
  if (!crossing) return null;
  const options = state.crossings.map(({ index, title }) => ({ value: String(index), title }));
  const masked = isCrossingSealed(state, crossing);
  const exact = crossing.now.exact;
  const now = masked ? '' : exact === null ? 'no crossing' : `now ${sizeText(plan.axis, exact)}`;
  const letters = options.reduce((sum, { title }) => sum + title.length, 0);
  const Choice = letters > BESIDE ? Select : Segmented;
  const choice = options.length > 1 && (
    <Choice
      label="Crossing"
      options={options}
      value={String(state.crossing)}
      onChange={(index) => lab.explain(Number(index))}
    />
  );
  return (
    <Section
      title="What moves the crossing"
      aside={
        <span className={styles.choose}>
          {now} {Choice === Segmented && choice}
        </span>
      }
    >
      {Choice === Select && choice}
      <ol className={styles.moves}>
        {state.whatif.map((row, index) => (
          <li key={row.title}>
            <Button
              look="link"
              className={styles.change ?? ''}
              title="Make this change"
              disabled={row.refused !== null}
              onClick={() => lab.tryChange(index)}
            >
              {row.title}
            </Button>
            {masked ? <Masked /> : <b>{answer(row, crossing, plan)}</b>}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function answer(
  { found, refused }: WhatIfState,
  crossing: LabCrossingState,
  { axis, step }: LabPlan,
): string {
  if (refused) return 'out of range';
  if (!found) return 'running';
  if (found.exact === null)
    return found.grid === null
      ? `${crossing.more.title} never wins`
      : `${crossing.than.title} never wins`;
  const now = crossing.now.exact;
  // A change smaller than one step of the axis counts as none.
  const same = now !== null && Math.abs(found.exact - now) < step;
  return same ? `${sizeText(axis, found.exact)}, no change` : sizeText(axis, found.exact);
}
