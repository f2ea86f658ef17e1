/** A page around the frame drives it by messages, if the address allows its origin. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { navigate } from '../base/route';
import { attachOpenRun, player } from '../model/session/open-run';
import { session } from '../model/session/session';
import { openScenario } from '../model/session/session-module';
import { standInForPage } from '../widgets/page.fixture';
import { hostsIn, startMessages } from './embed-messages';

vi.mock('../engine/workers', async () => (await import('../widgets/page.fixture')).enginesOfPage());

const WAIT = { timeout: 25_000, interval: 5 };
const COURSE = 'https://course.example.org';

/** The page around the frame: what it hears, and to which origin it was said. */
const heard: { message: Record<string, unknown>; origin: string }[] = [];
const parent = {
  postMessage: (message: Record<string, unknown>, origin: string) =>
    heard.push({ message, origin }),
};
const page = Object.assign(new EventTarget(), { parent }) as unknown as Window;

let [stop, detach] = [() => {}, () => {}];
beforeAll(() => standInForPage(300));
beforeEach(async () => {
  heard.length = 0;
  navigate({ view: 'machine', scenario: 'start/bus' });
  await openScenario('start/bus');
  detach = attachOpenRun();
  await vi.waitUntil(() => player.state.getState().complete, WAIT);
  stop = startMessages(page, [COURSE]);
});
afterEach(() => {
  stop();
  detach();
});

const send = (data: unknown, origin = COURSE, source: unknown = parent) =>
  page.dispatchEvent(Object.assign(new Event('message'), { data, origin, source }));

const answersTo = (id: unknown) => heard.filter(({ message }) => message.id === id);

async function ask(request: object): Promise<Record<string, unknown>> {
  const id = heard.length + 100;
  send({ busyard: 1, id, ...request });
  await vi.waitUntil(() => answersTo(id).length > 0, WAIT);
  expect(answersTo(id)[0]?.origin).toBe(COURSE);
  return answersTo(id)[0]?.message ?? {};
}

test('it says when it is ready, and nothing more until it is asked', async () => {
  await player.toTime(5000);
  expect(heard).toEqual([{ message: { busyard: 1, event: 'ready' }, origin: '*' }]);
});

test('the playhead is moved, and its moments are told', async () => {
  expect(await ask({ do: 'seek', timePs: 63_200 })).toMatchObject({
    busyard: 1,
    ok: true,
    state: { scenario: 'start/bus', timePs: 63_200, playing: false, part: null },
  });
  const { state } = (await ask({ do: 'step', by: -1 })) as { state: { events: number } };
  expect(state.events).toBeGreaterThan(0);
  await player.toTime(1000);
  const lastMoment = () =>
    heard.filter(({ message }) => message.event === 'moment').at(-1)?.message;
  await vi.waitFor(() => expect(lastMoment()).toMatchObject({ state: { timePs: 1000 } }), WAIT);
  expect(await ask({ do: 'select', part: 'bridge' })).toMatchObject({ state: { part: 'bridge' } });
  expect(await ask({ do: 'select', part: null })).toMatchObject({ state: { part: null } });
});

test('another scenario is opened; one that is not there leaves the open one', async () => {
  expect(await ask({ do: 'open', scenario: 'gt/read-bac' })).toMatchObject({
    ok: false,
    error: expect.stringContaining('did you mean "gt/read-back"?'),
  });
  expect(session.getState().scenario).toBe('start/bus');
  expect(await ask({ do: 'open', scenario: 'gt/read-back' })).toMatchObject({
    ok: true,
    state: { scenario: 'gt/read-back' },
  });
});

describe('what cannot be done is answered with the reason', () => {
  test.each<[object, RegExp]>([
    [{ do: 'sek' }, /There is no "sek"; did you mean "seek"\?/],
    [{ do: 'constructor' }, /There is no "constructor"/],
    [{ do: 'seek', timePs: '5' }, /"seek" needs "timePs"/],
    [{ do: 'step', by: 2 }, /"by" is 1 or -1/],
    [{ do: 'select', part: 'bridg' }, /no part "bridg"; did you mean "bridge"\?/],
    [{ do: 'select' }, /"select" needs "part"/],
    [{ do: 'open' }, /"open" needs "scenario"/],
    [{ busyard: 2, do: 'seek' }, /understands version 1/],
  ])('%j', async (request, reason) => {
    expect(await ask(request)).toMatchObject({ ok: false, error: expect.stringMatching(reason) });
  });
});

test('requests are done in their order: a seek after an open is for the opened scenario', async () => {
  send({ busyard: 1, id: 1, do: 'open', scenario: 'start/old-data' });
  const sought = await ask({ do: 'seek', timePs: 100_000 });
  expect(answersTo(1)[0]?.message).toMatchObject({ state: { scenario: 'start/old-data' } });
  expect(sought).toMatchObject({
    ok: true,
    state: { scenario: 'start/old-data', timePs: 100_000 },
  });
});

test('other origins, other frames and other messages are not answered', async () => {
  send({ busyard: 1, id: 1, do: 'state' }, 'https://elsewhere.example.org');
  send({ busyard: 1, id: 1, do: 'state' }, COURSE, {});
  send('busyard');
  send({ type: 'webpack' });
  await ask({ do: 'state' });
  expect(answersTo(1)).toEqual([]);
});

test('the address names the origins that may ask', () => {
  expect(hostsIn('?embed=machine&host=https://a.example.org/course/1&host=nonsense')).toEqual([
    'https://a.example.org',
  ]);
});
