import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { formatFragment, GALLERY, navigate, parseFragment, route, setParams, VIEWS } from './route';

beforeEach(() => route.setState(GALLERY, true));

describe('an address', () => {
  test('leads to a view, a scenario and its parameters', () => {
    expect(parseFragment('#/machine/gt/gfixit?t=8330000&sel=cpu.0')).toEqual({
      kind: 'route',
      route: { view: 'machine', scenario: 'gt/gfixit', params: { t: '8330000', sel: 'cpu.0' } },
    });
    expect(parseFragment('#/report')).toEqual({
      kind: 'route',
      route: { view: 'report', params: {} },
    });
  });

  test('with a former name of its view leads to the same place', () => {
    expect(parseFragment('#/poke/start/poke?t=1')).toEqual(
      parseFragment('#/sandbox/start/poke?t=1'),
    );
  });

  test('without a fragment is the gallery', () => {
    for (const fragment of ['', '#', '#/']) {
      expect(parseFragment(fragment)).toEqual({ kind: 'route', route: GALLERY });
    }
  });

  test('may carry a session or name a file', () => {
    expect(parseFragment('#s=abc-_')).toEqual({ kind: 'share', code: 'abc-_' });
    expect(parseFragment('#url=https%3A%2F%2Fa.example%2Fx.json')).toEqual({
      kind: 'link',
      url: 'https://a.example/x.json',
    });
  });

  test('may name the work that the browser keeps, beside the changes that it brings', () => {
    const place = { view: 'build', scenario: 'start/bus', params: {} } as const;
    const fragment = formatFragment(place, 'abc', 'mine');
    expect(parseFragment(fragment)).toEqual({
      kind: 'route',
      route: place,
      code: 'abc',
      work: 'mine',
    });
    expect(parseFragment(formatFragment(place))).toEqual({ kind: 'route', route: place });
  });

  test('that leads nowhere is known as such', () => {
    for (const fragment of ['#/nowhere', '#hello', '#url=%E0%A4%A']) {
      expect(parseFragment(fragment).kind).toBe('unknown');
    }
  });

  test('written and read again is the same place', () => {
    const name = fc.stringMatching(/^[a-z]{1,6}$/).filter((one) => one !== 's' && one !== 'w');
    const params = fc.dictionary(name, fc.string(), { maxKeys: 3 });
    const code = fc.stringMatching(/^[A-Za-z0-9_-]{1,9}$/);
    fc.assert(
      fc.property(fc.constantFrom(...VIEWS), params, code, (view, given, changed) => {
        const place = { view, params: { ...given } };
        const address = { kind: 'route', route: place };
        expect(parseFragment(formatFragment(place))).toEqual(address);
        expect(parseFragment(formatFragment(place, changed))).toEqual({
          ...address,
          code: changed,
        });
      }),
    );
  });
});

test('going somewhere drops the parameters of the old place; setting them keeps the place', () => {
  navigate({ view: 'lab', scenario: 'gt/crossover', params: { size: '512' } });
  setParams({ size: '1024', t: '5' });
  setParams({ t: null });
  expect(route.getState()).toEqual({
    view: 'lab',
    scenario: 'gt/crossover',
    params: { size: '1024' },
  });
  navigate({ view: 'gallery' });
  expect(route.getState()).toEqual(GALLERY);
});
