/** The contents of each box of a machine drawing: by its coherence role, or by its views. */
import { address, bytes, percent, text } from '../../base/format';
import { fitting, signOf } from '../glyph';
import type { Moment } from '../moment';
import { rect, type Shape, words } from '../shape';
import { adapterShapes } from './adapter';
import { isBeingRead } from './being-read';
import { cacheShapes } from './cache';
import { iommuShapes, translationShapes, walksTable } from './iommu';
import { memoryShapes, splitBus } from './memory';
import { packetShapes } from './packets';
import { ADDRESSED, boxNow } from './parts';
import { ropeEndShapes, ropeShapes } from './rope';
import type { Look, MachineLayout, PlacedPart } from './types';

const PAD = 9;

/** Bytes moved and requested over all channels of a device; null if it moves nothing. */
export function transferOf({ part, index }: PlacedPart, now: Moment) {
  const channels = now.view(index, 'channels');
  const [totals, moved] = [channels?.column('bytes'), channels?.column('done')];
  if (!totals || !moved || !part.type.enums.command) return null;
  const commands = channels?.column('command') ?? [];
  const busy = [...commands].flatMap((command, channel) => (command > 0 ? [channel] : []));
  const sum = (column: Float64Array) =>
    busy.reduce((all, channel) => all + (column[channel] ?? 0), 0);
  return { total: sum(totals), done: sum(moved) };
}

function transferShapes(placed: PlacedPart, now: Moment): Shape[] {
  const { part, box, index, actor } = placed;
  const transfer = transferOf(placed, now);
  if (!transfer) return [];
  const { total, done } = transfer;
  const { x, y, width } = box;
  const track = now.track(index, part.type.tracks[0]?.name ?? '');
  const moving = total > 0 ? [`${text(bytes(done))} of ${text(bytes(total))}`] : [];
  const bar = [x + width - PAD - 60, y + 12, 60, 4] as const;
  const states = [...moving, ...(track ? [track.state.title] : [])];
  if (width < 180) {
    const short = total > 0 ? [...moving, percent((100 * done) / total)] : [];
    const amount = fitting(short, width - 2 * PAD, 10);
    return amount ? [words(x + PAD, y + 33, amount, 't10 i2')] : [];
  }
  return [
    words(x + PAD, y + 31, states.join(': ') || 'no transfer', 't11 i2'),
    rect(...bar, 'l1f'),
    rect(bar[0], bar[1], total > 0 ? (bar[2] * done) / total : 0, bar[3], `a-${signOf(actor).hue}`),
  ];
}

/** The area for contents under the name of a part. */
function inner(part: PlacedPart): PlacedPart {
  const { x, y, width, height } = part.box;
  return { ...part, box: { x: x + PAD, y: y + 26, width: width - 2 * PAD, height: height - 31 } };
}

/** The address that a processor's cache is working on, at the right of its name. */
function addressShapes(layout: MachineLayout, host: PlacedPart, now: Moment, look: Look): Shape[] {
  const guest = layout.parts.find((part) => part.host === host.index);
  const view = guest && now.view(guest.index, 'now');
  const at = view?.column('addr')?.[0] ?? 0;
  if (!view?.column('busy')?.[0] || host.box.width < ADDRESSED) return [];
  // A seal stands there while a question is open.
  if (host.part.type.counters.some(({ name }) => now.masks?.(host.index, name))) return [];
  const { x, y, width } = host.box;
  const marked = isBeingRead(look, at, null);
  const label = address(at);
  return [
    rect(
      x + width - 13 - label.length * 6.05,
      y + 8.5,
      marked ? label.length * 6.05 + 8 : 0,
      14.5,
      'markf',
    ),
    words(x + width - PAD, y + 19, label, marked ? 'm10 end' : 'm10 i3 end'),
  ];
}

export function contentsNow(
  layout: MachineLayout,
  part: PlacedPart,
  now: Moment,
  look: Look,
): Shape[] {
  const { roles, compact } = layout;
  const cache = roles.caches.find((role) => role.part === part.index);
  if (cache && part.host !== null) return cacheShapes(roles, cache, part, now, look);
  if (cache) return cacheShapes(roles, cache, inner(part), now, look);
  const guest = layout.parts.find(({ host }) => host === part.index);
  const foot = guest ? guest.box.y : part.box.y + part.box.height;
  const shapes = boxNow(part, now, compact, foot);
  if (guest) return [...shapes, ...addressShapes(layout, part, now, look)];
  if (part.index === roles.memory?.part)
    return splitBus(layout)
      ? memoryShapes(layout, part, now, look)
      : [...shapes, ...packetShapes(layout, part, now)];
  if (part.index === roles.tlb?.part)
    return [...headline(part, now), ...adapterShapes(layout, part, now, look)];
  if (walksTable(part.part.type))
    return [...(part.box.width < 420 ? shapes : []), ...iommuShapes(part, now, look)];
  const transfer = transferShapes(part, now);
  if (transfer.length > 0) return transfer;
  return [
    ...shapes,
    ...ropeShapes(part, now),
    ...ropeEndShapes(layout, part, now),
    ...translationShapes(part, now),
  ];
}

/** The adapter's present action, beside its name. */
function headline({ part, box, index }: PlacedPart, now: Moment): Shape[] {
  const state = now.track(index, part.type.tracks[0]?.name ?? '')?.state.title ?? 'idle';
  const [short = state] = state.split(/[,:]/);
  return box.width < 420 ? [words(box.x + PAD, box.y + 34, short, 't12 i2')] : [];
}
