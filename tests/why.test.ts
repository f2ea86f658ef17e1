/** What the papers explain is found in *Why*: each effect leads back to the mechanism that its author describes. */
import { expect, test } from 'vitest';
import { Core } from '../src/engine/core';
import { inlineCode } from '../src/engine/engine-code-inline';
import { createTrace } from '../src/model/trace/trace';
import { compiled, scenarioAt } from './support/scenarios';

const code = await inlineCode();
const US = 1e6;
/** As many causes as *Why* lists, and in front of them the root cause. */
const LISTED = 12;

/** The listed causes of the first event that matches, after the first that matches `after`. */
function whyOf(id: string, event: RegExp, { after, variables = {} }: Asked): string[] {
  const machine = compiled(scenarioAt(`scenarios/${id}.json`), { variables });
  const core = new Core(code);
  core.open(machine.config);
  core.run(150 * US, 60_000);
  const trace = createTrace(machine);
  trace.append(core.trace(1, 1 << 17));
  expect(trace.first, 'the record is whole').toBe(1);
  const next = (wanted: RegExp, from: number) => {
    let at = from;
    while (at <= trace.last && !wanted.test(trace.sentence(at))) at++;
    return at;
  };
  const chain = trace.why(next(event, after ? next(after, 1) : 1)).map(({ seq }) => seq);
  const listed =
    chain.length > LISTED ? [...chain.slice(0, LISTED - 1), ...chain.slice(-1)] : chain;
  return listed.map((seq) => trace.sentence(seq));
}

interface Asked {
  readonly after?: RegExp;
  readonly variables?: Record<string, string>;
}

test.each<[string, string, RegExp, RegExp[], Asked?]>([
  [
    'a flush waits for the answers of four caches and the adapter',
    'hp/flush-and-sync',
    /^Runway: FLUSH at 0x100120 for Cache 1\.$/,
    [/FLUSH at 0x100100 .* is complete/, /all 5 agents have answered FLUSH at 0x100100/],
  ],
  [
    'so does one of a clean line',
    'hp/flush-and-sync',
    /^Runway: FLUSH at 0x100120 for Cache 1\.$/,
    [/all 5 agents have answered FLUSH at 0x100100/],
    { variables: { what: 'clean' } },
  ],
  [
    'a store ends a burst of the card',
    'zx1/ordering',
    /target disconnects/,
    [/store to .* arrives over the rope/, /^CPU stores/],
    { after: /to get the bus for a store/ },
  ],
  [
    'after the store, the card asks anew for the line that was dropped',
    'zx1/ordering',
    /retry; its line is fetched/,
    [/doorbell rings/, /disconnects the device .* to get the bus for a store/, /^CPU stores/],
    { after: /to get the bus for a store/ },
  ],
  [
    'a channel fetches its script before its data',
    'zx1/scripts',
    /^Channel A: moving a block/,
    [/^PCI bus: .*Channel A/, /Channel A: reading its script/],
  ],
  [
    "a disk's write waits for the disk's own TLB miss",
    'hp/miss-rate',
    /^Runway: WRITE32 at 0x100000 for I\/O adapter\.$/,
    [/row 0 now holds/, /READ shared at 0x230000/, /I\/O TLB miss at 0x0/, /^Disk 0/],
  ],
])('%s', (_, id, event, causes, asked = {}) => {
  const [, ...chain] = whyOf(id, event, asked);
  let from = 0;
  for (const cause of causes) {
    const at = chain.slice(from).findIndex((sentence) => cause.test(sentence));
    expect(at, `${cause} in:\n${chain.join('\n')}`).toBeGreaterThanOrEqual(0);
    from += at + 1;
  }
});
