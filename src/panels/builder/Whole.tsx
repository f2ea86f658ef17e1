import { useStore } from '../../controllers/useStore';
import { PartList } from '../../widgets/PartList';
import { Section } from '../../widgets/Section';
import { TextField } from '../../widgets/TextField';
import styles from './Sheet.module.css';
import { build, change, choose } from './state';

/** Nothing picked: what the machine is called, how long it runs, and its parts to pick from. */
export function Whole() {
  const { file, draft } = useStore(build);
  return (
    <>
      {file && (
        <Section title="Whole machine">
          <div className={styles.pair}>
            <span>Title</span>
            <TextField
              label="Title of the machine"
              value={file.title}
              onCommit={(title) => change((one) => ({ ...one, title }), `It is ${title} now.`)}
            />
          </div>
          <div className={styles.pair}>
            <span>Runs until</span>
            <TextField
              label="Runs until"
              value={String(file.until)}
              onCommit={(until) =>
                change((one) => ({ ...one, until }), `The run ends at ${until}.`)
              }
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
