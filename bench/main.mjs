// `npm run bench`, or `npm run -s busyard -- bench`: how fast the engine is, as ratios of figures taken side by side in one run. Absolute
// figures drift with the machine and its other work; ratios hold. Nothing here is a test.
import { parseArgs } from 'node:util';
import { runIfMain, UserError } from '../scripts/lib.mjs';
import { setup } from '../scripts/setup.mjs';
import { against } from './against.mjs';
import { openLoads } from './load.mjs';
import {
  build,
  hasPeer,
  kept,
  limitBytes,
  nativeExplored,
  nativeLimit,
  nativeReferences,
  nativeRun,
  openBrowser,
  openPage,
  peerRun,
  serve,
} from './setup.mjs';

const PASSES = 7;
const LIMIT_EVENTS = 20_000_000;
const SEEKS = 100;
const REFERENCES = 2_000_000;
const PEER_MS = 20;
/** About as long as all points of the curves take one worker. */
const SPIN_STEPS = 100_000_000;

const best = (values) => Math.min(...values);
const share = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))];
const median = (values) => share(values, 0.5);

/** A session as plain numbers, for the page. */
const sent = ({ config, untilPs }) => ({ config: [...config], untilPs });

const rows = [];
const row = (what, value, unit, note = '') => rows.push([what, value, unit, note]);
const figure = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function print(json) {
  if (json) {
    const named = rows.map(([what, value, unit, note]) => ({
      what: what.trim(),
      value: +value,
      unit,
      note,
    }));
    console.log(JSON.stringify(named, null, 1));
    return;
  }
  const widths = [0, 1, 2].map((i) => Math.max(...rows.map((cells) => cells[i].length)));
  for (const [what, value, unit, note] of rows) {
    const cells = [what.padEnd(widths[0]), value.padStart(widths[1]), unit.padEnd(widths[2]), note];
    console.log(cells.join('  ').trimEnd());
  }
}

/** Takes every measurement once per pass, in turn, so that a busy moment hits all alike. */
async function interleaved(measurements) {
  const results = Object.fromEntries(Object.keys(measurements).map((name) => [name, []]));
  for (let pass = 0; pass < PASSES; pass++)
    for (const [name, measure] of Object.entries(measurements)) results[name].push(await measure());
  return results;
}

async function speed(node, page) {
  const work = node.methods();
  const long = [node.long()];
  const inPage = work.map(sent);
  const bytes = limitBytes();
  const results = await interleaved({
    native: () => nativeRun(work),
    node: () => node.run(work),
    plain: () => node.run(long),
    recorded: () => node.runRecorded(long),
    explored: () => node.runExplored(long),
    chromium: () => page.call('run', inPage),
    limitNative: () => nativeLimit(LIMIT_EVENTS),
    limitNode: () => node.limit(bytes, LIMIT_EVENTS),
    limitChromium: () => page.call('limit', [...bytes], LIMIT_EVENTS),
  });
  const rate = (runs) => Math.max(...runs.map(({ events, ms }) => events / ms / 1000));
  const [native, inNode] = [rate(results.native), rate(results.node)];
  const against = (value, other = native) => `${(value / other).toFixed(2)} of native`;
  row('GT scenario, native -O2', figure(native), 'M events/s', 'six methods at 1 MiB, no trace');
  row('  wasm in Node', figure(inNode), 'M events/s', against(inNode));
  const chromium = rate(results.chromium);
  row('  wasm in a Chromium worker', figure(chromium), 'M events/s', against(chromium));
  const cost = (runs) => {
    const [kept, plain] = [rate(runs), rate(results.plain)];
    return [figure(kept), 'M events/s', `${((1 - kept / plain) * 100).toFixed(0)} % slower`];
  };
  row(
    'Long run in Node',
    figure(rate(results.plain)),
    'M events/s',
    'ten million events, no trace',
  );
  row('  with the trace', ...cost(results.recorded));
  row('  and keyframes and samples', ...cost(results.explored));
  const limits = [results.limitNative, results.limitNode, results.limitChromium];
  const [base, ...others] = limits.map((ms) => LIMIT_EVENTS / best(ms) / 1000);
  row('Bare heap kernel, native -O2', figure(base), 'M events/s', 'eight pending, no parts');
  row('  wasm in Node', figure(others[0]), 'M events/s', against(others[0], base));
  row('  wasm in Chromium', figure(others[1]), 'M events/s', against(others[1], base));
}

async function curves(node, page) {
  const points = node.curves();
  const all = points.map(({ work }) => sent(work));
  const small = points.filter(({ interactive }) => interactive).map(({ work }) => sent(work));
  const results = await interleaved({
    compile: () => node.compileCurves(),
    small: () => page.call('sweep', small, 1),
    all: () => page.call('sweep', all, 1),
    shared: () => page.call('sweep', all, 2),
    spin: () => page.call('spin', SPIN_STEPS, 1),
    sharedSpin: () => page.call('spin', SPIN_STEPS, 2),
    overtake: () => page.call('overtake', all, 1),
  });
  row('Slider to curves: compile', figure(median(results.compile)), 'ms', `${all.length} sessions`);
  row('  sizes to 64 KiB', figure(median(results.small)), 'ms', `${small.length} runs in a worker`);
  row('  all points', figure(median(results.all)), 'ms', `${all.length} runs in a worker`);
  const gain = best(results.all) / best(results.shared);
  const most = best(results.spin) / best(results.sharedSpin);
  const note = `${gain.toFixed(2)} times as fast, a pure spin ${most.toFixed(2)}: ${(gain / most).toFixed(2)} of that`;
  row('  all points, two workers', figure(median(results.shared)), 'ms', note);
  row('  ended by the next move', figure(median(results.overtake)), 'ms', '');
}

async function travel(node, page) {
  const work = node.long();
  const { bytes, takeUs, restoreUs } = node.snapshots(work);
  const size = `${(bytes / 1024).toFixed(0)} KiB of state`;
  row('Snapshot', figure(takeUs), 'us', size);
  row('  put back', figure(restoreUs), 'us', '');
  const { events, ms } = await page.call('explore', sent(work), { untilPs: work.untilPs });
  row('Long run in a Chromium worker', figure(ms), 'ms', `${(events / 1e6).toFixed(1)} M events`);
  const points = Array.from({ length: SEEKS }, () => Math.floor(Math.random() * events));
  const times = await page.call('seeks', points);
  row('  seek anywhere, median', figure(median(times)), 'ms', `${SEEKS} seeks, each with a frame`);
  row('  seek anywhere, 95 of 100', figure(share(times, 0.95)), 'ms', '');
}

/** Rows for a rate measured natively, in Node, and in a Chromium worker if there. */
function rates(what, unit, note, native, node, chromium) {
  row(what, figure(native), unit, `native -O2, ${note}`);
  row('  wasm in Node', figure(node), unit, `${(node / native).toFixed(2)} of native`);
  const share = `${(chromium / native).toFixed(2)} of native, with keyframes and samples`;
  if (chromium) row('  wasm in a Chromium worker', figure(chromium), unit, share);
}

/** The same machine written with SystemC, and how much faster the engine is. */
function tellPeer(runs, native, chromium) {
  if (!runs) {
    row('  SystemC TLM-2.0', '-', 'M/s', 'left out: libsystemc-dev is not installed');
    return;
  }
  const peer = Math.max(...runs);
  const times = (value) => (value / peer).toFixed(2);
  const note = `no trace; the engine is ${times(native)} times as fast, in Chromium ${times(chromium)}`;
  row('  SystemC TLM-2.0, native -O2', figure(peer), 'M/s', note);
}

async function coherent(coherent, page) {
  const [bus, hits] = [coherent.transactions(), coherent.hits()];
  const trace = coherent.trace(REFERENCES);
  const files = [kept('player.bin', coherent.player()), kept('trace.din', trace)];
  const proof = coherent.proof();
  const toExplore = kept('proof.bin', proof.config);
  const results = await interleaved({
    busNative: () => nativeRun([bus], ''),
    busNode: () => coherent.run(bus),
    busChromium: () => page.call('explore', sent(bus), { untilPs: bus.untilPs }),
    ...(hasPeer && { peer: () => peerRun(PEER_MS) }),
    hitsNative: () => nativeRun([hits], ''),
    hitsNode: () => coherent.run(hits),
    refsNative: () => nativeReferences(...files),
    refsNode: () => coherent.references(trace),
    provedNative: () => nativeExplored(toExplore),
    provedNode: () => coherent.explored(proof.config),
  });
  const most = (values) => Math.max(...values);
  // Runs are the same everywhere, so that what one of them counted for each event holds for all.
  const rate = (runs, each) => most(runs.map(({ events, ms }) => (events * each) / ms / 1000));
  const [snooped, loads] = [results.busNode[0], results.hitsNode[0]];
  const each = snooped.transactions / snooped.events;
  const [native, node, chromium] = [results.busNative, results.busNode, results.busChromium].map(
    (runs) => rate(runs, each),
  );
  const load = loads.accesses / loads.events;
  rates('Bus transactions', 'M/s', 'snooped by four caches, trace on', native, node, chromium);
  tellPeer(results.peer, native, chromium);
  rates(
    'Loads that hit',
    'M/s',
    'four processors, trace on',
    rate(results.hitsNative, load),
    rate(results.hitsNode, load),
  );
  rates(
    'References of a trace',
    'M/s',
    'one cache, 1 in 64 elsewhere, text read',
    most(results.refsNative),
    most(results.refsNode),
  );
  rates(
    'Exploration',
    'K states/s',
    proof.name,
    most(results.provedNative),
    most(results.provedNode),
  );
}

/** How long a card's megabyte over PCI takes, and what the bus does in that time. */
async function rope(rope, page) {
  const work = rope.megabyte();
  const results = await interleaved({
    native: () => nativeRun([work], ''),
    node: () => rope.run(work),
    chromium: () => page.call('explore', sent(work), { untilPs: work.untilPs }),
  });
  const { transactions } = results.node[0];
  const [native, node, chromium] = [results.native, results.node, results.chromium].map((runs) =>
    best(runs.map(({ ms }) => ms)),
  );
  const rate = (ms) => transactions / ms / 1000;
  rates('PCI transactions', 'M/s', 'zx1, trace on', rate(native), rate(node), rate(chromium));
  row('1 MiB over PCI and a rope', figure(chromium), 'ms', 'in a Chromium worker');
}

async function replays(replay) {
  const [rings, strewn] = [replay.recorded(1e6, [1, 1, 2], 0), replay.recorded(1e6, [1, 4, 16], 4)];
  const results = await interleaved({
    rings: () => replay.replayed(rings),
    strewn: () => replay.replayed(strewn),
  });
  row(
    'Trace of the allocator',
    figure(Math.max(...results.rings)),
    'M operations/s',
    '256K entries',
  );
  row(
    '  a quarter strewn',
    figure(Math.max(...results.strewn)),
    'M operations/s',
    'up to 16 pages',
  );
}

async function load(loads) {
  const { curves, empty } = await interleaved({ empty: loads.empty, curves: loads.curves });
  row('First load: an empty page', figure(median(empty)), 'ms', 'from localhost');
  row('  the first simulated curve', figure(median(curves)), 'ms', '');
}

function wanted(args) {
  const options = { json: { type: 'boolean' }, against: { type: 'string' } };
  try {
    return parseArgs({ args, options }).values;
  } catch {
    throw new UserError(
      `"bench" takes --json, and --against with a revision, not "${args.join(' ')}".`,
    );
  }
}

/** Measures everything and prints it, or compares with a revision; with --json as a JSON array of rows. */
export async function bench(args) {
  const { json = false, against: revision } = wanted(args);
  await setup(['emcc', 'gcc']);
  if (revision === undefined) await measureAll(json);
  else await against(revision, json);
}

async function measureAll(json) {
  await build();
  const server = await serve();
  const browser = await openBrowser();
  const loads = await openLoads(browser);
  try {
    const page = await openPage(browser, server.resolvedUrls.local[0]);
    const node = await server.ssrLoadModule('/bench/node.ts');
    await speed(node, page);
    await curves(node, page);
    await travel(node, page);
    await coherent(await server.ssrLoadModule('/bench/coherent.ts'), page);
    await rope(await server.ssrLoadModule('/bench/rope.ts'), page);
    await replays(await server.ssrLoadModule('/bench/replay.ts'));
    await load(loads);
    print(json);
  } finally {
    await browser.close();
    await loads.close();
    await server.close();
  }
}

await runIfMain(import.meta.url, bench);
