import { type Command, commands, isAvailable, runCommand } from '../../base/commands';
import { shell, showOverlay } from '../../base/shell';
import { Dialog } from '../../widgets/Dialog';
import { Kbd } from '../../widgets/Kbd';
import { useStore } from '../../widgets/useStore';
import styles from './Keys.module.css';

/** Every key that does something at this place, made from the commands themselves. */
export default function Keys() {
  const all = useStore(commands);
  const single = useStore(shell, (state) => state.singleKeys);
  const sections = bySection(all.filter((command) => command.keys && isAvailable(command)));
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
                    {command.keys?.map((keys) => (
                      <Kbd key={keys} keys={keys} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className={styles.choice}>
        <input type="checkbox" checked={single} onChange={() => runCommand('single-keys')} />
        Single-letter keys. Turn them off when you dictate: a spoken word would press them.
      </label>
    </Dialog>
  );
}

function bySection(list: readonly Command[]): Map<string, Command[]> {
  const sections = new Map<string, Command[]>();
  for (const command of list) {
    sections.set(command.section, [...(sections.get(command.section) ?? []), command]);
  }
  return sections;
}
