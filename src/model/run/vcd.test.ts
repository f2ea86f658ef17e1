import { expect, test } from 'vitest';
import { compiled, loaded } from '../scenario/fixture';
import { createTrace } from './trace';
import { chunkOf } from './trace.fixture';
import { traceVcd } from './vcd';

test('a dump has the states of each lane, without idle between neighbours', () => {
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
  expect(text.slice(text.indexOf('$enddefinitions'))).toBe(
    '$enddefinitions $end\n#0\nsidle !\nsidle "\nsidle #\nswork !\n#100\nswait !\n#300\nsidle !\n#500\n',
  );
});
