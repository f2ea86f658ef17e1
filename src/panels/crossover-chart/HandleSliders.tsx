import { lab } from '../../controllers/useLab';
import type { LabPlan } from '../../model/lab/plan';
import type { LabState } from '../../model/lab/state';
import { SessionParameter } from '../../widgets/SessionParameter';
import styles from './HandleSliders.module.css';

interface HandleSlidersProps {
  readonly state: LabState;
  readonly plan: LabPlan;
}

/** The sliders that the handles move, beside the curves: a drag of either is seen on the other. */
export function HandleSliders({ state, plan }: HandleSlidersProps) {
  const rows = plan.scenario.view.parameters.flatMap((group) => group.rows);
  const held = plan.crossings.flatMap(({ index, title, param }) =>
    param === null
      ? []
      : [{ index, title, param, name: rows.find((row) => row.param === param)?.title ?? param }],
  );
  if (held.length === 0) return null;
  return (
    <fieldset className={styles.sliders}>
      <legend className="visually-hidden">Moved by the handles</legend>
      {held.map(({ index, title, param, name }) => (
        <div
          key={index}
          className={styles.slider}
          data-held={state.drag?.crossing === index || undefined}
          data-explained={state.crossing === index || undefined}
        >
          <SessionParameter
            path={param}
            title={name}
            words={
              <>
                <svg className={styles.grip} viewBox="0 0 18 16" aria-hidden="true">
                  <rect width="18" height="16" rx="2" />
                  <path d="M5 4v8M9 4v8M13 4v8" />
                </svg>
                {title}: {name}
              </>
            }
            onPreview={(on) => lab.preview(on ? param : null)}
          />
        </div>
      ))}
    </fieldset>
  );
}
