/** The requesters of I/O TLB rows, for the slots and heaps of the drawing. */
import type { CoherenceLog, LookUp } from '../../model/coherence/coherence-log';
import {
  type CoherentMachine,
  ioPageOf,
  PAGE_BYTES,
  type TlbGeometry,
} from '../../model/coherence/coherence-roles';
import type { TlbMoment } from '../../model/coherence/tlb-moment';
import { actorOf } from '../glyph';
import type { Requester } from './chain-axis';

const MOST_REQUESTERS = 4;
/** A device without a look-up among the latest this many is not shown. */
const REMEMBERED = 1024;

/** The newest look-up of each key, among the latest. */
function newestOf<Key>(
  log: CoherenceLog,
  count: number,
  keyOf: (lookUp: LookUp) => Key | undefined,
) {
  const newest = new Map<Key, LookUp>();
  for (let index = count - 1; index >= Math.max(0, count - REMEMBERED); index--) {
    const lookUp = log.lookUp(index);
    const key = lookUp && keyOf(lookUp);
    if (lookUp && key !== undefined && !newest.has(key as Key)) newest.set(key as Key, lookUp);
  }
  return newest;
}

/** The devices; if there is only one, its blocks in a contended row. */
export function requestersAt(
  { machine }: CoherentMachine,
  log: CoherenceLog,
  { count, lookUp, contended }: TlbMoment,
): Requester[] {
  const titleOf = (device: number | null) => machine.parts[device ?? -1]?.title ?? 'device';
  const { seq } = lookUp;
  const devices = newestOf(log, count, ({ device }) => device);
  if (devices.size === 1 && contended) {
    const blocks = newestOf(log, count, ({ chain, block }) =>
      chain === lookUp.chain ? block : undefined,
    );
    const [lost, asked] = [new Map<number, number>(), new Map<number, number>()];
    const add = (to: Map<number, number>, block: number) => to.set(block, (to.get(block) ?? 0) + 1);
    for (const { evicted, block } of log.lookUpsTo(lookUp.chain, seq)) {
      add(asked, block);
      if (evicted?.byRival) add(lost, evicted.block);
    }
    return [...blocks]
      .sort(([a], [b]) => a - b)
      .slice(0, MOST_REQUESTERS)
      .map(([block, { device, chain }]) => ({
        device,
        block,
        title: titleOf(device),
        actor: actorOf(machine.parts, device),
        lost: lost.get(block) ?? 0,
        lookUps: asked.get(block) ?? 0,
        chain,
      }));
  }
  return [...devices]
    .sort(([a], [b]) => (a ?? -1) - (b ?? -1))
    .slice(0, MOST_REQUESTERS)
    .map(([device, { chain }]) => ({
      device,
      block: null,
      title: titleOf(device),
      actor: actorOf(machine.parts, device),
      lost: log.lossesTo(device, seq),
      lookUps: log.requestsTo(device, seq),
      chain,
    }));
}

/** I/O address of the page that a look-up was for. */
export const pageOf = (tlb: TlbGeometry, { chain, block }: LookUp): number =>
  ioPageOf(tlb, chain, block) * PAGE_BYTES;
