/** Who is to blame where a card's memory lags behind: its writes come round the ring, and other nodes write too. */
import { address, bytes, text, time } from '../../base/format';
import { settingOf } from '../scenario/param-rules';
import type { Scenario } from '../scenario/scenario-types';
import type { Diagnosis, Fix } from './diagnose';
import { storeBytes } from './driver-cures';
import { field, type TraceEvent, type TraceQuery } from './trace-query';

const span = (ps: number): string => text(time(ps));

/** A word that was read whole, changed, and written back over what had arrived in between. */
export function lostWordRule(past: TraceQuery, told: TraceEvent, data: Scenario): Diagnosis {
  const [lost, read] = [field(told, 'lost'), field(told, 'read')];
  const came = past.last(
    (one) => one.part === told.part && one.event.name === 'update' && field(one, 'write') === lost,
  );
  const moved = past.last(
    (one) => one.part === told.part && one.event.name === 'complete',
    came?.record.seq,
  );
  return {
    sentences: [
      ...(moved
        ? [`The whole word was read by ${span(moved.record.timePs)}, as write ${read} had left it.`]
        : []),
      ...(came
        ? [
            `At ${span(came.record.timePs)} another node's write ${lost} arrived, and nobody looked again.`,
          ]
        : []),
      'DMA moves whole words: to change one byte it writes the other three back as they were read.',
    ],
    cures: storeBytes(data),
  };
}

/** An update that came into the middle of what the card's engine was just reading. */
export function ringTornRule(past: TraceQuery, told: TraceEvent): Diagnosis {
  const begun = past.last(
    (one) =>
      one.part === told.part &&
      one.event.name === 'command' &&
      one.part.type.enums.engine?.[field(one, 'engine') ?? -1]?.name === 'read',
  );
  const moved = begun ? text(bytes(field(begun, 'bytes') ?? 0)) : 'data';
  return {
    sentences: [
      `The DMA read engine of ${told.part.title} was told to move ${moved}${begun ? ` at ${span(begun.record.timePs)}` : ''}, and had come to ${address(field(told, 'address') ?? 0)}.`,
      `At ${span(told.record.timePs)} another node's write ${field(told, 'write')} arrived there: it is one write to the node that made it, and nobody keeps memory still while an engine reads.`,
      'A count before and after the data, written by the other node, would show it to whoever reads.',
    ],
    cures: [],
  };
}

/** A ring on which a frame is back before so much time has passed. */
function shorter(past: TraceQuery, passed: number): Fix[] {
  return past.parts('ring').flatMap((ring) => {
    const latency = Number(settingOf(ring, 'node_latency'));
    const nodes = Math.floor(passed / latency);
    return nodes < 2
      ? []
      : [{ title: `A ring of ${nodes} nodes`, edits: { [`${ring.name}.nodes`]: nodes } }];
  });
}

/** A card shows its own write only when that has come round the ring. */
export function ringOrderRule(past: TraceQuery, told: TraceEvent): Diagnosis | null {
  const wanted = field(told, 'wanted');
  const taken = past.last((one) => one.event.name === 'accept' && field(one, 'write') === wanted);
  const [ring] = past.parts('ring');
  if (!taken || !ring) return null;
  const answer = past.last((one) => one.part === taken.part && one.event.name === 'answer');
  const shown = told.part === taken.part ? told : (answer ?? told);
  const passed = shown.record.timePs - taken.record.timePs;
  const [nodes, latency] = [settingOf(ring, 'nodes'), Number(settingOf(ring, 'node_latency'))];
  return {
    sentences: [
      `${taken.part.title} took write ${wanted} at ${span(taken.record.timePs)}, and shows it when it has come round the ring.`,
      `That takes ${span(Number(nodes) * latency)} at least: ${nodes} nodes, ${span(latency)} each. It was asked after ${span(passed)}.`,
    ],
    cures: shorter(past, passed),
  };
}
