import { expect, test } from 'vitest';
import { compiled, loaded } from '../scenario/scenario.fixture';
import { createTrace } from '../trace/trace';
import { chunkOf } from '../trace/trace.fixture';
import { scalars } from '../trace/vcd.fixture';
import { traceVcd } from './vcd';

test('a dump has the states of each lane, without idle between adjacent spans', () => {
  const machine = compiled(loaded());
  const trace = createTrace(machine);
  trace.append(
    chunkOf([
      { at: 0, part: 0, kind: 1, b: 1 },
      { at: 100, part: 0, kind: 1, b: 2, cause: 1 },
      { at: 200, part: 0, kind: 2, a: 16, b: 4, c: 9, cause: 2 },
      { at: 300, part: 0, kind: 1, b: 0, cause: 3 },
    ]),
  );
  const text = [...traceVcd(machine, trace, 500)].join('');
  expect(text).toContain('$var string 1 ! cpu $end');
  const strings = text.split('\n').filter((line) => !/^[01]\S+$/.test(line));
  expect(strings.slice(strings.indexOf('$enddefinitions $end')).join('\n')).toMatch(
    /^\$enddefinitions \$end\n#0\nsidle !\n(sidle \S+\n){2}swork !\n#100\nswait !\n#300\nsidle !\n#500\n$/,
  );
  const wires = scalars(text);
  const times = (state: string) => wires.get(`Worker_0.cpu_${state}`);
  expect(times('work')).toEqual([
    [0, 1],
    [100, 0],
  ]);
  expect(times('wait')).toEqual([
    [0, 0],
    [100, 1],
    [300, 0],
  ]);
});
