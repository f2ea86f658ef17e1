import { integer } from '../../base/format';
import { coherentLog } from '../../controllers/useCoherence';
import { useFrameValue } from '../../controllers/useRun';
import { actorOf } from '../../draw/glyph';
import type { CoherentMachine } from '../../model/coherence/coherence-roles';
import { type RowUse, rowUses } from '../../model/coherence/tlb-thrash';
import { player } from '../../model/session/open-run';
import { Masked, SealedPart } from '../../widgets/Masked';
import styles from './Evictions.module.css';
import { RowHead } from './EvictionsMatrix';
import type { ChainProps } from './useShownChain';

const MOST_ROWS = 6;

let read: { key: string; uses: readonly RowUse[] } = { key: '', uses: [] };

/** The rows most devices use, up to the playhead; the same object while they are the same. */
function usesNow(coherent: CoherentMachine): readonly RowUse[] {
  const log = coherentLog(coherent);
  const uses = log ? rowUses(log, player.now().seq).slice(0, MOST_ROWS) : [];
  const key = uses.map(({ chain, devices }) => `${chain}:${[...devices].join()}`).join(' ');
  if (key !== read.key) read = { key, uses };
  return read.uses;
}

/** While a question asks what look-ups find: who uses which row, with what they lost sealed. */
export function SealedEvictions({ coherent }: ChainProps) {
  const uses = useFrameValue(() => usesNow(coherent));
  const { parts } = coherent.machine;
  const devices = [...new Set(uses.flatMap((use) => [...use.devices]))].slice(0, MOST_ROWS);
  return (
    <div className={styles.sheet}>
      {uses.length > 0 && (
        <table className={styles.matrix}>
          <caption className="visually-hidden">
            Rows of the I/O TLB and the devices that use them
          </caption>
          <RowHead
            streams={devices.map((device) => ({
              key: String(device),
              title: parts[device ?? -1]?.title ?? 'device',
              actor: actorOf(parts, device),
            }))}
          />
          <tbody>
            {uses.map(({ chain, devices: users }) => (
              <tr key={chain}>
                <th scope="row">{integer(chain)}</th>
                {devices.map((device) => (
                  <td key={device}>{users.has(device) ? <Masked /> : '–'}</td>
                ))}
                <td>
                  <Masked />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <SealedPart what="evictions and their cost" />
    </div>
  );
}
