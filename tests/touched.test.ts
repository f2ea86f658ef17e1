import { expect, test } from 'vitest';
import { coherentMachine } from '../src/model/coherence/coherence-roles';
import { NOWHERE } from '../src/model/coherence/selected-lines';
import { touchedPlace } from '../src/model/coherence/touched';
import { eventSearch } from '../src/model/trace/event-search';
import { compiled, scenarioAt } from './support/scenarios';

const machine = compiled(scenarioAt('scenarios/hp/at-work.json'));
const coherent = coherentMachine(machine);
const NOTHING = { part: null, view: null, index: null, event: null };
const adapter = coherent.tlb?.part ?? -1;

test.each([
  [
    'a line, on both sides of the adapter',
    { part: 1, view: 'address', index: 0x100048 },
    { what: 'line 0x100040', query: '0x100040-0x10005f OR 0x40040-0x4005f' },
    { ...NOWHERE, address: 0x100048, io: 0x40048 },
  ],
  [
    'a row of the I/O TLB',
    { part: adapter, view: 'tlb', index: 3 },
    { what: 'row 3 of the I/O TLB', query: `part=${machine.parts[adapter]?.name} chain:3` },
    NOWHERE,
  ],
  ['an event', { part: 1, event: 42 }, { what: 'event 42', query: 'cause:42' }, NOWHERE],
  [
    'a part',
    { part: 0 },
    { what: 'newest event', query: `part=${machine.parts[0]?.name}` },
    NOWHERE,
  ],
])('the query for %s can be searched', (_, what, wanted, places) => {
  const place = touchedPlace(machine, coherent.tlb, { ...NOTHING, ...what }, places);
  expect(place).toMatchObject(wanted);
  expect(eventSearch(place?.query ?? '', machine)).not.toBeNull();
});

test('nothing selected asks nothing', () => {
  expect(touchedPlace(machine, coherent.tlb, NOTHING, NOWHERE)).toBeNull();
});
