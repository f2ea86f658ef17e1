/**
 * Responses of the modules on a coherent bus to its newest transaction: solid once given, dashed before. A
 * thin line takes them to memory.
 */

import type { ViewField } from '../../engine/gen/names';
import type { Moment } from '../moment';
import { path, polyline, rect, type Shape, words } from '../shape';
import type { MachineLayout, PlacedPart } from './types';

const ANSWERS: Readonly<Record<string, string>> = {
  ok: 'OK',
  shared: 'SHR',
  copy: 'CPY',
  wait: 'wait',
};
const [HEIGHT, FROM_EDGE, EDGE] = [15, 41, 10];

interface Module {
  readonly agent: number;
  readonly part: PlacedPart;
}

/** Whether a bus has a view of its modules' responses. */
export const hasAnswers = ({ part }: PlacedPart): boolean =>
  part.type.views.some(
    ({ name, fields }) => name === 'agents' && fields.some((field) => field.name === 'response'),
  );

/** The wired ports of a bus, and the parts at the other ends. */
function wiredTo(layout: MachineLayout, bus: PlacedPart) {
  return layout.wires.flatMap(({ ends }) => {
    const [own, other] = ends[0].part === bus.index ? ends : [ends[1], ends[0]];
    const part = layout.parts.find(({ index }) => index === other.part);
    return own.part === bus.index && part ? [{ own, part }] : [];
  });
}

/** The modules of a bus; the agent number follows from the slot of the wire. */
function modulesOn(layout: MachineLayout, bus: PlacedPart): Module[] {
  const first = bus.part.type.ports.find(({ name }) => name === 'agent')?.first ?? 0;
  return wiredTo(layout, bus).flatMap(({ own, part }): Module[] => {
    if (own.port !== 'agent') return [];
    const host = layout.parts.find(({ index }) => index === part.host);
    return [{ agent: own.slot - first, part: host ?? part }];
  });
}

/** A module further than FAR from its bus may have others in between: its response is NEAR the module. */
const [FAR, NEAR] = [44, 10];

/** Position of a module's response: beside its stub, between it and the bus. */
function spot({ box }: PlacedPart, bus: PlacedPart): { x: number; y: number } {
  const above = box.y < bus.box.y;
  const [from, to] = above ? [box.y + box.height, bus.box.y] : [bus.box.y + bus.box.height, box.y];
  const x = box.x + box.width - Math.min(FROM_EDGE, box.width / 4);
  if (to - from > FAR) return { x, y: above ? from + NEAR : to - NEAR };
  return { x, y: (from + to) / 2 };
}

/** Half the width of the longest response. */
const HALF = 18;

/** Where the first response stands in the gap above a bus; infinite if all are farther from it, or there is none. */
export function firstResponse(bus: PlacedPart, parts: readonly PlacedPart[]): number {
  if (!hasAnswers(bus)) return Number.POSITIVE_INFINITY;
  const near = parts.filter(({ box, host }) => {
    const gap = bus.box.y - box.y - box.height;
    return host === null && gap > 0 && gap <= FAR;
  });
  return Math.min(...near.map((part) => spot(part, bus).x - HALF));
}

/** A gauge on the bus reaches up to 8 above the line; the word stands above that. */
const ABOVE_GAUGE = 10.5;

/** The line of the responses, if there is room for it. */
export function responseLine(layout: MachineLayout): Shape[] {
  return layout.parts.filter(hasAnswers).flatMap((bus): Shape[] => {
    const memory = wiredTo(layout, bus).find(({ own }) => own.port === 'memory')?.part;
    const above = modulesOn(layout, bus).filter(({ part }) => part.box.y < bus.box.y);
    if (!memory || above.length === 0) return [];
    const spots = above.map(({ part }) => spot(part, bus));
    const y = bus.box.y - 6;
    const room = Math.min(...above.map(({ part }) => bus.box.y - part.box.y - part.box.height));
    if (layout.compact || room < HEIGHT + 8 || memory.box.x <= EDGE) return [];
    const right = Math.max(...spots.map(({ x }) => x));
    const low = memory.box.y + 26;
    return [
      path(polyline([right, y, EDGE, y, EDGE, low, memory.box.x, low], false), 'wire'),
      ...above.map(({ part }) => {
        const { x } = spot(part, bus);
        return path(polyline([x, part.box.y + part.box.height, x, y], false), 'wire');
      }),
      words(EDGE + 4, y - ABOVE_GAUGE, 'responses', 't10 i3'),
    ];
  });
}

/** The newest transaction that needs responses: one still waiting, or the last to be ready. */
function newest(bus: PlacedPart, now: Moment): { waits: number; master: number } | null {
  const table = now.view(bus.index, 'transactions');
  const column = (name: ViewField, row: number) => table?.column(name)?.[row] ?? 0;
  const types = bus.part.type.enums.type ?? [];
  let best: number | null = null;
  for (let row = 0; row < (table?.rows ?? 0); row++) {
    const isAsked = /^(read_shared|read_private|write32|write16_purge|flush|purge)$/;
    if (column('phase', row) === 0 || !isAsked.test(types[column('type', row)]?.name ?? ''))
      continue;
    const rank = (at: number) =>
      column('ready_at', at) + (column('responses_pending', at) ? 2 ** 52 : 0);
    if (best === null || rank(row) > rank(best)) best = row;
  }
  return best === null
    ? null
    : { waits: column('responses_pending', best), master: column('master', best) };
}

export interface Answer {
  readonly module: string;
  readonly text: string;
  readonly given: boolean;
}

function answersOf(layout: MachineLayout, bus: PlacedPart, now: Moment) {
  const transaction = newest(bus, now);
  const agents = now.view(bus.index, 'agents');
  const names = bus.part.type.enums.response ?? [];
  if (!transaction || !agents) return [];
  return modulesOn(layout, bus)
    .filter(({ agent }) => agent !== transaction.master)
    .map(({ agent, part }) => {
      const given = Math.floor(transaction.waits / 2 ** agent) % 2 === 0;
      const response = names[agents.column('response')?.[agent] ?? 0]?.name ?? '';
      return { part, given, text: given ? (ANSWERS[response] ?? response) : 'wait' };
    });
}

/** Responses in words, for the text alternative. */
export const answers = (layout: MachineLayout, bus: PlacedPart, now: Moment): Answer[] =>
  hasAnswers(bus)
    ? answersOf(layout, bus, now).map(({ part, given, text }) => ({
        module: part.part.title,
        text,
        given,
      }))
    : [];

export function responseShapes(layout: MachineLayout, bus: PlacedPart, now: Moment): Shape[] {
  if (!hasAnswers(bus)) return [];
  return answersOf(layout, bus, now).flatMap(({ part, given, text }): Shape[] => {
    const { x, y } = spot(part, bus);
    const width = text.length * 6 + 12;
    return [
      rect(x - width / 2, y - HEIGHT / 2, width, HEIGHT, given ? 'answer' : 'answer-due'),
      words(x, y + 3.7, text, `t10 mid ${given ? 'b6' : 'i2'}`),
    ];
  });
}
