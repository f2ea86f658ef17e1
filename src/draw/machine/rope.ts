/** The queue of a rope that waits for the bus, in a local bus adapter's box. Its head is next to the bus. */

import { address } from '../../base/format';
import type { ViewField } from '../../engine/gen/names';
import type { Moment } from '../moment';
import { rect, type Shape, words } from '../shape';
import type { PlacedPart } from './types';

/** Names of queue items by PCI's ordering rules. */
const ITEMS: Readonly<Record<string, { readonly short: string; readonly title: string }>> = {
  store: { short: 'PW', title: 'posted write' },
  load: { short: 'RR', title: 'read request' },
  line: { short: 'RC', title: 'read completion behind a store,' },
};

const [WIDE, PITCH, HIGH] = [26, 30, 15];
/** Below this width the read buffer needs the box for itself. */
const ROOM = 420;

interface Item {
  readonly short: string;
  readonly title: string;
  readonly address: number;
  /** It has arrived at the end of the rope. */
  readonly here: boolean;
}

/** The queue from its head; null for a part that has none. */
function ropeQueue({ part, index }: PlacedPart, now: Moment): readonly Item[] | null {
  const view = part.type.enums.item && now.view(index, 'queue');
  if (!view) return null;
  const at = (field: ViewField, row: number) => view.column(field)?.[row] ?? 0;
  const found: Item[] = [];
  for (let row = 0; row < view.rows && (at('addr', row) > 0 || at('bytes', row) > 0); row++) {
    const named = ITEMS[part.type.enums.item?.[at('item', row)]?.name ?? ''];
    if (named) found.push({ ...named, address: at('addr', row), here: at('here', row) > 0 });
  }
  return found;
}

/**
 * A box for each item, the head on the left: faint while still on the rope, framed in red if it waits for a
 * store.
 */
export function ropeShapes(placed: PlacedPart, now: Moment): Shape[] {
  const { x, y, width, height } = placed.box;
  const queue = width >= ROOM && height >= 60 ? ropeQueue(placed, now) : null;
  if (!queue) return [];
  const left = x + width / 2 + 20;
  const most = Math.floor((width / 2 - 30) / PITCH);
  const shown = queue.slice(0, queue.length > most ? most - 1 : most);
  const shapes = shown.flatMap(({ short, here }, place): Shape[] => {
    const cls = short === 'RC' ? 'badf' : here ? 'inset' : 'slot';
    const at = left + place * PITCH;
    return [
      rect(at, y + 42, WIDE, HIGH, cls),
      words(at + WIDE / 2, y + 53.5, short, here ? 't10 mid' : 't10 i3 mid'),
    ];
  });
  const more = queue.length - shown.length;
  return [
    words(
      left,
      y + 34,
      queue.length > 0 ? 'rope, next to the bus first' : 'rope: nothing waits',
      't11 i2',
    ),
    ...shapes,
    ...(more > 0 ? [words(left + shown.length * PITCH, y + 53.5, `+${more}`, 't10 i2')] : []),
  ];
}

/** "queue to the bus: posted write 0xF0000000; read completion behind a store, 0x40104A00" */
export function ropeFacts(placed: PlacedPart, now: Moment): string[] {
  const queue = ropeQueue(placed, now);
  if (!queue || queue.length === 0) return [];
  const items = queue.map(
    (one) => `${one.title} ${address(one.address)}${one.here ? '' : ', on its way'}`,
  );
  return [`queue to the bus: ${items.join('; ')}`];
}
