import { bytes, text } from '../../base/format';
import { useStore } from '../../controllers/useStore';
import {
  COMMANDS,
  HINTS,
  type HintCell,
  hintCell,
  hintedPart,
  MEMORIES,
} from '../../model/coherent/hints';
import { setParam } from '../../model/session/editing';
import { session } from '../../model/session/session';
import { EmptyState } from '../../widgets/Feedback';
import { Panel } from '../../widgets/Panel';
import { Select } from '../../widgets/Select';
import { Doctor } from './Doctor';
import styles from './Hints.module.css';

const TITLES = {
  relaxed: 'ordering',
  current: 'Read Current',
  depth: 'lines ahead',
  block: 'block',
} as const;
/** What each hint is set to choose from: as a parameter's value, and in words. */
const CHOICES = {
  relaxed: [0n, 1n],
  current: [1n, 0n],
  depth: [0n, 1n, 2n, 3n],
  block: [512n, 1024n, 2048n, 4096n],
} as const;

type Hint = (typeof HINTS)[number];

function words(hint: Hint, value: bigint): string {
  if (hint === 'relaxed') return value ? 'relaxed' : 'enforced';
  if (hint === 'current') return value ? 'on' : 'off';
  return hint === 'depth' ? String(value) : text(bytes(Number(value)));
}

/** What a bridge does for each read command and each kind of memory, to be changed while the machine runs. */
export default function Hints() {
  const part = useStore(hintedPart, (found) => found);
  useStore(session, ({ machine, commands }) => machine ?? commands);
  return (
    <Panel title="DMA hints" sub={part?.title ?? ''} className={styles.panel ?? ''} scroll>
      {part ? (
        <div className={styles.sheet}>
          <table>
            <caption className="visually-hidden">
              Hints of {part.title}, by read command and kind of memory
            </caption>
            <thead>
              <tr>
                <th scope="col">read</th>
                {HINTS.map((hint) => (
                  <th key={hint} scope="col">
                    {TITLES[hint]}
                  </th>
                ))}
              </tr>
            </thead>
            {MEMORIES.map((memory) => (
              <tbody key={memory}>
                <tr>
                  <th scope="rowgroup" colSpan={1 + HINTS.length}>
                    {memory} memory
                  </th>
                </tr>
                {COMMANDS.map((command) => (
                  <tr key={command}>
                    <th scope="row">{command.toUpperCase()}</th>
                    {HINTS.map((hint) => (
                      <td key={hint}>
                        <Cell hint={hint} cell={hintCell(part, command, memory, hint)} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
          <p>
            MR reads a few words, MRL a line, MRM two or more. A card says which; the adapter knows
            no more of what it will want.
          </p>
          <Doctor />
        </div>
      ) : (
        <EmptyState title="This machine has no hints." />
      )}
    </Panel>
  );
}

function Cell({ hint, cell }: { readonly hint: Hint; readonly cell: HintCell | null }) {
  if (!cell) return null;
  const { path, param } = cell;
  const { refusal } = param.spec;
  // What only one value is legal for is said, with the reason, and not offered.
  if (param.spec.min === param.spec.max)
    return (
      <span className={styles.fixed} title={refusal}>
        {words(hint, param.value)}, locked
      </span>
    );
  const known: readonly bigint[] = CHOICES[hint];
  const values = known.includes(param.value) ? known : [param.value, ...known];
  const changed = param.value !== BigInt(param.spec.default);
  return (
    <span className={styles.cell} data-changed={changed || undefined} title={param.spec.doc}>
      <Select
        label={param.spec.title}
        options={values.map((value) => ({ value: String(value), title: words(hint, value) }))}
        value={String(param.value)}
        onChange={(value) =>
          setParam(path, param.spec.type === 'flag' ? value === '1' : Number(value), {
            commit: true,
          })
        }
      />
    </span>
  );
}
