import { type Command, commands, runCommand } from '../../base/commands';
import { shell, showOverlay } from '../../base/shell-state';
import { useStore } from '../../controllers/useStore';
import { Dialog } from '../../widgets/Dialog';
import { Kbd } from '../../widgets/Kbd';
import styles from './Keys.module.css';

/** Every key of this view, listed from the commands. */
export default function Keys() {
  const all = useStore(commands);
  const single = useStore(shell, (state) => state.singleKeys);
  const sections = bySection(all.filter((command) => command.keys?.length));
  return (
    <Dialog title="Keys" className={styles.dialog} onClose={() => showOverlay(null)}>
      <div className={styles.keys}>
        {[...sections].map(([section, list]) => (
          <section key={section}>
            <h3>{section}</h3>
            <dl>
              {list.map((command) => (
                <div key={command.id}>
                  <dt>{command.title}</dt>
                  <dd>
                    <KeyNames keys={command.keys ?? []} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className={styles.choice}>
        <input type="checkbox" checked={single} onChange={() => runCommand('single-keys')} />
        Single-letter keys. Turn them off when you use dictation: a spoken word would press them.
      </label>
    </Dialog>
  );
}

const FEW = 2;

/** A series of keys is written by its ends: "Alt 1 … Alt 5". */
function KeyNames({ keys }: { readonly keys: readonly string[] }) {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (keys.length <= FEW) return keys.map((name) => <Kbd key={name} keys={name} />);
  return (
    <>
      <Kbd keys={first} /> … <Kbd keys={last} />
    </>
  );
}

function bySection(list: readonly Command[]): Map<string, Command[]> {
  const sections = new Map<string, Command[]>();
  for (const command of list) {
    sections.set(command.section, [...(sections.get(command.section) ?? []), command]);
  }
  return sections;
}
