import { useStore } from '../../controllers/useStore';
import { lineOf } from '../../model/scenario/problems';
import { Button } from '../../widgets/Button';
import { build, choose, partOf } from './state';
import styles from './ToFinish.module.css';

/** What the last step did, and what the machine still wants before it runs. */
export function ToFinish() {
  const { problems, remark, from } = useStore(build);
  return (
    <div className={styles.finish}>
      {remark && (
        <p className={styles.remark} data-wire={from !== null || undefined}>
          {remark}
        </p>
      )}
      {problems?.length === 0 && (
        <p className={styles.runs}>
          <span aria-hidden="true">●</span> It is whole, and runs below.
        </p>
      )}
      {problems !== null && problems.length > 0 && (
        <>
          <h3>
            To finish <em>the last machine that was whole runs below</em>
          </h3>
          <ul>
            {problems.map((found) => {
              const part = partOf(found);
              return (
                <li key={lineOf(found)}>
                  <span>{found.message}</span>
                  {part !== null && (
                    <Button look="link" onClick={() => choose(part)}>
                      {part}
                    </Button>
                  )}
                </li>
              );
            })}
          </ul>
        </>
      )}
      <p className="visually-hidden" id="build-keys">
        Enter opens the sheet of the part, or ends a wire at it; arrows move it; Delete takes it
        away.
      </p>
    </div>
  );
}
