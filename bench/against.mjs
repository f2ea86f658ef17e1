// `npm run bench -- --against REV`: the engine beside the one of another revision. Each is built from its own tree and runs the
// sessions that its own compiler makes of the same machines; what is compared is the time of the processor, not of the wall.
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../scripts/lib.mjs';
import { buildNative } from '../scripts/native.mjs';
import { buildWasm } from '../scripts/wasm.mjs';
import { paired, spread } from './paired.mjs';
import { checkOut, commitOf } from './revision.mjs';
import { serve } from './setup.mjs';

const execute = promisify(execFile);
const ROUNDS = 15;
const REFERENCES = 500_000;
const EXPLORE_MIB = 512;

/** What is measured, as the tree's own bench has it. */
async function openTree(folder) {
  const server = await serve(folder);
  const module = (name) => server.ssrLoadModule(`/bench/${name}.ts`);
  const [node, coherent, rope] = [
    await module('node'),
    await module('coherent'),
    await module('rope'),
  ];
  const files = join(folder, 'build/bench');
  mkdirSync(files, { recursive: true });
  const kept = (name, bytes) => {
    writeFileSync(join(files, name), bytes);
    return join(files, name);
  };
  return { folder, node, coherent, rope, kept, close: () => server.close() };
}

/** Milliseconds that the processor works for a program. */
async function nativeCost(folder, args) {
  const timed = ['-c', 'TIMEFORMAT=%3U; time "$0" "$@" >/dev/null'];
  const program = join(folder, 'build/busyard-native');
  const { stderr } = await execute('bash', [...timed, program, ...args]);
  return Number(stderr) * 1000;
}

/** The same for something done in this process. */
async function costHere(act) {
  const { user: before } = process.cpuUsage();
  await act();
  return (process.cpuUsage().user - before) / 1000;
}

/** A session that runs to its end, natively and here. */
function running(tree, name, { config, untilPs }, trace, run) {
  const args = [tree.kept(name, config), ...trace, '--until', String(untilPs)];
  return { native: () => nativeCost(tree.folder, args), node: () => costHere(run) };
}

/** What is measured of a tree, by name. */
function measures(tree) {
  const { node, coherent, rope, kept, folder } = tree;
  const [long, bus, hits] = [node.long(), coherent.transactions(), coherent.hits()];
  const [megabyte, trace, proof] = [
    rope.megabyte(),
    coherent.trace(REFERENCES),
    coherent.proof().config,
  ];
  const played = [kept('player.bin', coherent.player()), '--play', kept('trace.din', trace)];
  const proved = [kept('proof.bin', proof), '--explore', String(EXPLORE_MIB)];
  return {
    'GT scenario': running(tree, 'gt.bin', long, ['--no-trace'], () => node.run([long])),
    'Bus transactions': running(tree, 'bus.bin', bus, [], () => coherent.run(bus)),
    'Loads that hit': running(tree, 'hits.bin', hits, [], () => coherent.run(hits)),
    'PCI transactions': running(tree, 'rope.bin', megabyte, [], () => rope.run(megabyte)),
    'References of a trace': {
      native: () => nativeCost(folder, played),
      node: () => costHere(() => coherent.references(trace)),
    },
    Exploration: {
      native: () => nativeCost(folder, proved),
      node: () => costHere(() => coherent.explored(proof)),
    },
  };
}

async function compare(before, after) {
  const [old, now] = [measures(before), measures(after)];
  const rows = [];
  for (const [what, places] of Object.entries(now))
    for (const [place, measure] of Object.entries(places)) {
      const ratios = await paired(ROUNDS, old[what][place], measure);
      rows.push({ what, place, rounds: ROUNDS, ...spread(ratios) });
    }
  return rows;
}

const WORDS = { native: 'native -O2', node: 'wasm in Node' };

function tell(rows, commit) {
  console.log(`Times as fast as ${commit.slice(0, 8)}: median (quartiles) of ${ROUNDS} pairs`);
  for (const { what, place, low, median, high } of rows) {
    const [least, middle, most] = [low, median, high].map((value) => value.toFixed(3));
    console.log(`${what.padEnd(22)}${WORDS[place].padEnd(14)}${middle}  (${least} to ${most})`);
  }
}

/** Compares this tree's engine with a revision's; prints a table, or with `json` the rows. */
export async function against(revision, json) {
  const commit = await commitOf(revision);
  await buildWasm();
  await buildNative();
  const folder = await checkOut(commit);
  const trees = [];
  try {
    for (const place of [folder, root]) trees.push(await openTree(place));
    const rows = await compare(...trees);
    if (json) console.log(JSON.stringify(rows, null, 1));
    else tell(rows, commit);
  } finally {
    for (const tree of trees) await tree.close();
    rmSync(folder, { recursive: true });
  }
}
