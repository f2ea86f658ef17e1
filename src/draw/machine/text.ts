/** The machine drawing in words: what each part does and holds. */

import { address, bytes, count, integer, text } from '../../base/format';
import type { ViewField, ViewName } from '../../engine/gen/names';
import { cacheBytes } from '../coherence/map';
import { hidesMisses, tlbRows } from '../coherence/tlb-map';
import type { Moment } from '../moment';
import { LINE_STATES, STATE_NAMES } from '../state-cell';
import { transactionOn } from './bus-transaction';
import { transferOf } from './contents';
import {
  busyShare,
  doing,
  enginesOf,
  lineOf,
  type Places,
  percentText,
  placesOf,
  queueOf,
} from './facts';
import { iommuFacts, translationFacts, walksTable } from './iommu';
import { ticketsOf } from './memory';
import { packetsOf, packetsText } from './packets';
import { progressText } from './parts';
import { answers } from './responses';
import { ropeFacts } from './rope';
import type { MachineLayout, PlacedPart } from './types';

/** The present action of one part as a sentence, for the text alternative. */
export function partSentence(layout: MachineLayout, part: PlacedPart, now: Moment): string {
  const { title } = part.part;
  if (part.rail) return busSentence(layout, part, now);
  const facts = [doing(part.part, part.index, now)[0] ?? ''];
  const script = lineOf(part.part, part.index, now);
  if (script) facts.push(`${script.title} ${progressText(script)}`.trim());
  const queue = queueOf(part.part, part.index, now);
  if (queue) facts.push(`${queue.title} ${queue.waiting} of ${queue.size} taken`);
  const places = placesOf(part.part, part.index, now);
  if (places) facts.push(placesText(places));
  for (const engine of enginesOf(part.part, part.index, now))
    facts.push(`${engine.title} ${progressText(engine)}`);
  facts.push(...heldFacts(layout, part, now));
  const sentence = facts.filter((fact) => fact !== '').join('; ');
  return `${title}: ${sentence || 'nothing yet'}.`;
}

/** "read buffer: 2 here, 1 under way, 13 empty" */
function placesText({ title, states }: Places): string {
  const titles = [...new Set(states.map((state) => state.title))];
  const count = (stateTitle: string) => states.filter((state) => state.title === stateTitle).length;
  return `${title}: ${titles.map((one) => `${count(one)} ${one}`).join(', ')}`;
}

function busSentence(layout: MachineLayout, bus: PlacedPart, now: Moment): string {
  const { title } = bus.part;
  const what = transactionOn(layout, bus, now);
  const owner = what?.stretch.origin ?? what?.stretch.by;
  const ownerTitle = layout.parts.find((other) => other.index === owner)?.part.title;
  const busy = busyShare(bus.part, bus.index, now);
  const load = busy === null ? '' : `, ${percentText(busy)} busy so far`;
  const given = answers(layout, bus, now).map(
    ({ module, text: response }) => `${module} ${response}`,
  );
  const responses = given.length > 0 ? ` Answers: ${given.join(', ')}.` : '';
  return what
    ? `${title}: ${what.label}${ownerTitle ? ` for ${ownerTitle}` : ''}${load}.${responses}`
    : `${title}: idle${load}.${responses}`;
}

/** The contents of a part that keeps data coherent. */
function heldFacts(layout: MachineLayout, part: PlacedPart, now: Moment): string[] {
  const { roles } = layout;
  const cache = roles.caches.find((role) => role.part === part.index);
  if (cache) {
    const bytesOf = new Uint8Array(now.view(part.index, 'lines')?.rows ?? 0);
    const counts = cacheBytes(roles, cache, now, bytesOf);
    return LINE_STATES.flatMap((state, code) => {
      const amount = counts[code] ?? 0;
      return state !== 'invalid' && amount > 0 ? [`${integer(amount)} ${STATE_NAMES[state]}`] : [];
    });
  }
  if (part.index === roles.memory?.part) {
    const tickets = ticketsOf(layout, now);
    const packets = packetsOf(layout, now);
    if (tickets.length === 0) return packets ? [packetsText(packets)] : [];
    return [
      `${count(tickets.length, 'read')} pending for ${tickets.map((one) => one.title).join(', ')}`,
    ];
  }
  if (part.index === roles.tlb?.part) return adapterFacts(layout, part, now);
  if (walksTable(part.part.type)) return iommuFacts(part, now);
  const transfer = transferOf(part, now);
  if (!transfer) return [...ropeFacts(part, now), ...translationFacts(part, now)];
  return transfer.total > 0
    ? [`${text(bytes(transfer.done))} of ${text(bytes(transfer.total))}`]
    : [];
}

function adapterFacts({ roles, parts }: MachineLayout, part: PlacedPart, now: Moment): string[] {
  const { tlb } = roles;
  if (!tlb) return [];
  const at = (view: ViewName, field: ViewField, row = 0) =>
    now.view(part.index, view)?.column(field)?.[row] ?? 0;
  const line = part.part.type.enums.line?.[at('line', 'state')];
  const held =
    line?.name === 'empty' ? 'empty' : `${line?.title ?? ''} ${address(at('line', 'addr'))}`;
  const rows = tlbRows(tlb, now);
  const row = rows[at('now', 'chain')];
  const hasLookUps = row && row.lookUps > 0;
  const requests = Array.from({ length: at('now', 'waiting') }, (_, place) => {
    const device = parts.find(({ index }) => index === tlb.device(at('requests', 'slot', place)));
    return `${device?.part.title ?? 'device'} at ${address(at('requests', 'addr', place))}`;
  });
  return [
    `one-line cache ${held}`,
    hidesMisses(tlb, now)
      ? 'TLB misses hidden by the question'
      : hasLookUps
        ? `TLB row ${integer(row.chain)} missed ${integer(row.misses)} of ${count(row.lookUps, 'look-up')}`
        : 'TLB row not looked up yet',
    requests.length > 0 ? `requests of ${requests.join(', ')}` : 'no requests',
  ];
}
