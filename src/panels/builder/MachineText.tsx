import { useStore } from '../../controllers/useStore';
import { PartList } from '../../widgets/PartList';
import { Section } from '../../widgets/Section';
import { Field } from './Field';
import styles from './Sheet.module.css';
import { build, choose } from './state';

/** Shown while nothing is selected: the machine's title and duration, and its parts to select. */
export function Whole() {
  const { file, draft } = useStore(build);
  return (
    <>
      {file && (
        <Section title="Complete machine">
          <div className={styles.pair}>
            <span>Title</span>
            <Field
              label="Title of the machine"
              value={file.title}
              make={(one, title) => ({ ...one, title })}
              words={(title) => `It is ${title} now.`}
            />
          </div>
          <div className={styles.pair}>
            <span>Runs until</span>
            <Field
              label="Runs until"
              value={String(file.until)}
              make={(one, until) => ({ ...one, until })}
              words={(until) => `The run ends at ${until}.`}
            />
          </div>
        </Section>
      )}
      <Section title="Parts" aside="pick one here or in the drawing">
        <PartList
          parts={draft.parts}
          onPick={(index) => choose(draft.parts[index]?.name ?? null)}
        />
      </Section>
    </>
  );
}
