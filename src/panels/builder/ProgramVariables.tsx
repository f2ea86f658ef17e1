import { useStore } from '../../controllers/useStore';
import type { BuildFile } from '../../model/builder/build-types';
import type { Value } from '../../model/scenario/scenario-types';
import { Button, IconButton } from '../../widgets/Button';
import { Field } from './Field';
import styles from './Program.module.css';
import { build, change } from './state';

const writtenIn = (written: NonNullable<BuildFile['variables']>[string]): Value =>
  typeof written === 'object' ? written.value : written;

const typed = (text: string): Value => (/^-?(0|[1-9]\d*)$/.test(text) ? Number(text) : text);

function withVariable(file: BuildFile, name: string, value: Value): BuildFile {
  const before = file.variables?.[name];
  const next = typeof before === 'object' ? { ...before, value } : value;
  return { ...file, variables: { ...file.variables, [name]: next } };
}

function withoutVariable(file: BuildFile, name: string): BuildFile {
  const { [name]: _, ...others } = file.variables ?? {};
  return { ...file, variables: others };
}

function freeName({ variables = {} }: BuildFile): string {
  for (let number = 1; ; number++) if (!Object.hasOwn(variables, `n${number}`)) return `n${number}`;
}

/** The variables of the file, which rows name as `$name` and sweeps change. */
export function Variables() {
  const file = useStore(build, (state) => state.file);
  if (!file) return null;
  const all = Object.entries(file.variables ?? {});
  return (
    <section className={styles.variables} aria-label="Variables">
      {all.map(([name, written]) => (
        <span key={name}>
          <code>${name}</code>
          <Field
            label={`Variable ${name}`}
            value={String(writtenIn(written))}
            make={(now, text) => withVariable(now, name, typed(text))}
            words={(text) => `$${name} is ${text}.`}
          />
          <IconButton
            icon="close"
            label={`Remove variable ${name}`}
            onClick={() => change((now) => withoutVariable(now, name), `$${name} was removed.`)}
          />
        </span>
      ))}
      <Button
        look="link"
        onClick={() => {
          const name = freeName(file);
          change((now) => withVariable(now, name, 1), `$${name} was added: rows can name it.`);
        }}
      >
        Add a variable
      </Button>
    </section>
  );
}
