/** Drawings fit the panels that they have in a window of 1440 by 900, with no letter smaller than 10 px. */
import { expect, test } from 'vitest';
import { bayBottom, baysGrid } from '../src/draw/coherence/bays';
import { sealedGauge } from '../src/draw/machine/gauge';
import { layoutFitting, layoutMachine } from '../src/draw/machine/layout';
import { partShapes } from '../src/draw/machine/machine';
import { moment } from '../src/draw/machine/machine.fixture';
import { boxNow } from '../src/draw/machine/parts';
import { ropeEndShapes, ropeShapes } from '../src/draw/machine/rope';
import { gainsHeight } from '../src/draw/realtime/gains';
import { widthOf } from '../src/draw/text-width';
import { listScenarios } from '../src/model/scenario/scenarios';
import { compiled, scenarioAt } from './support/scenarios';

/** The machine below the pool map, and the scale from which its letters are legible. */
const BELOW_THE_MAP = { width: 430, height: 240 };
const LEAST_SCALE = 0.9;

test.each(listScenarios().flatMap(({ id }) => (id.startsWith('pools/') ? [id] : [])))(
  'the machine of %s fits below the pool map',
  (id) => {
    const machine = compiled(scenarioAt(`scenarios/${id}.json`));
    const layout = layoutFitting(machine, BELOW_THE_MAP.width, BELOW_THE_MAP.height);
    expect(layout.height * LEAST_SCALE).toBeLessThanOrEqual(BELOW_THE_MAP.height);
  },
);

test('64 processors below the pool map are cells with their numbers', () => {
  const machine = compiled(scenarioAt('scenarios/pools/all-send.json'));
  const { parts } = layoutFitting(machine, BELOW_THE_MAP.width, BELOW_THE_MAP.height);
  const names = parts
    .filter(({ actor }) => actor === 'cpu')
    .flatMap((part) => partShapes(part, false))
    .flatMap((shape) => (shape.kind === 'text' ? [shape.text] : []));
  expect(names).toEqual([...Array(64)].map((_, at) => `${at}`));
});

test('the lines of eight caches fit, and so do the published gains', () => {
  const names = [...Array(8)].map((_, at) => `Cache ${at}`).concat('I/O adapter', 'Memory');
  const grid = baysGrid({ width: 418, height: 124, names, bays: 3, scale: 1 });
  expect(bayBottom(grid) * grid.scale).toBeLessThanOrEqual(124);
  expect(grid.down).toBeGreaterThanOrEqual(9);
  expect(gainsHeight(13, 204)).toBeLessThanOrEqual(204);
});

test.each(['soc/given-twice', 'soc/early-release', 'soc/bad-checksum', 'hp/two-streams'])(
  'a seal in %s lies over no word of its part, not even that of a defect',
  (id) => {
    const layout = layoutMachine(compiled(scenarioAt(`scenarios/${id}.json`)));
    for (const part of layout.parts.filter(({ rail, host }) => !rail && host === null))
      for (const seal of sealedGauge(part, layout.parts, [
        'wrong sums: your guess?',
        'your guess?',
      ])) {
        if (seal.kind !== 'rect') continue;
        const covered = partShapes(part, false).filter(
          (shape) =>
            shape.kind === 'text' &&
            !shape.cls.includes('end') &&
            shape.y > seal.y + 3 &&
            shape.y - 8 < seal.y + seal.height - 3 &&
            shape.x + widthOf(shape.text, 11.5) > seal.x + 2 &&
            shape.x < seal.x + seal.width,
        );
        expect(covered, part.part.title).toEqual([]);
      }
  },
);

test('lines that an adapter waits for lie beside its rope, not over it', () => {
  const machine = compiled(scenarioAt('scenarios/zx1/attributes.json'));
  const lba = machine.parts.findIndex(({ name }) => name === 'lba');
  const adapter = layoutMachine(machine).parts.find(({ index }) => index === lba);
  if (!adapter) throw new Error('There is no adapter.');
  const { index, box } = adapter;
  const [every, none] = [Array(64).fill(1), Array(8).fill(0)];
  const now = moment({
    views: {
      [`${index} lines`]: { state: every, relaxed: every },
      [`${index} queue`]: { addr: none, bytes: none, item: none, here: none },
    },
  });
  const belt = ropeShapes(adapter, now).flatMap((shape) =>
    shape.kind === 'text' ? [shape.x] : [],
  );
  const lines = boxNow(adapter, now, false, box.y + box.height).flatMap((shape) =>
    shape.kind === 'rect' ? [shape.x + shape.width] : [],
  );
  expect(lines.length).toBeGreaterThan(8);
  expect(Math.max(...lines)).toBeLessThan(Math.min(...belt) - 4);
});

test('the system bus adapter says how many wait on a rope, within its box', () => {
  const machine = compiled(scenarioAt('scenarios/zx1/crossover.json'));
  const layout = layoutMachine(machine);
  const [sba, lba] = ['sba', 'lba'].map((name) =>
    layout.parts.find(({ index }) => machine.parts[index]?.name === name),
  );
  if (!sba || !lba) throw new Error('There is no adapter.');
  const eight = Array(8).fill(1);
  const queue = { addr: eight, bytes: eight, item: Array(8).fill(0), here: Array(8).fill(0) };
  const now = moment({ views: { [`${lba.index} queue`]: queue } });
  const label = ropeEndShapes(layout, sba, now).find((shape) => shape.kind === 'text');
  if (label?.kind !== 'text') throw new Error('The ropes have no label.');
  expect(label.text).toBe('rope 0: 8 waiting');
  expect(label.x + widthOf(label.text, 11.5)).toBeLessThan(sba.box.x + sba.box.width);
});
