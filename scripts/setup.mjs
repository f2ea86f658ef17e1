// Installs missing npm packages by the lock file, and missing programs by apt-get where that is allowed.
// Returns quickly if nothing is missing.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root, run, runIfMain, UserError } from './lib.mjs';

const onPath = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((dir) => existsSync(join(dir, name)));

const SHELL = 'chromium-headless-shell';

const NEEDS = {
  emcc: { packages: ['emscripten'], there: () => onPath('emcc') },
  gcc: {
    packages: ['gcc', 'libc6-dev'],
    there: () => onPath('gcc') && existsSync('/usr/include/stdio.h'),
  },
  cmocka: { packages: ['libcmocka-dev'], there: () => existsSync('/usr/include/cmocka.h') },
  chromium: {
    packages: ['chromium'],
    // Headless build: it opens a page with half the work.
    rather: SHELL,
    settled: () => Boolean(process.env.BUSYARD_CHROMIUM) || onPath(SHELL),
    there: () => NEEDS.chromium.settled() || onPath('chromium'),
  },
  firefox: {
    packages: ['firefox-esr'],
    there: () => Boolean(process.env.BUSYARD_FIREFOX) || onPath('firefox-esr'),
  },
};

export const EVERYTHING = Object.keys(NEEDS);

/** True if node_modules matches the lock file (for this platform). */
function packagesAreCurrent() {
  const installedLock = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(installedLock)) return false;
  const read = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;
  const installed = read(installedLock);
  return Object.entries(read(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found ? found.version === wanted.version : wanted.optional === true;
  });
}

function asRoot() {
  if (!onPath('apt-get')) return null;
  if (process.getuid?.() === 0) return [];
  try {
    execFileSync('sudo', ['-n', 'true'], { stdio: 'ignore' });
    return ['sudo', '-n'];
  } catch {
    return null;
  }
}

/** Runs apt-get with a timeout for an unresponsive network. */
function apt(prefix, ...args) {
  const patience = ['-o', 'Acquire::http::Timeout=20', '-o', 'Acquire::Retries=1'];
  const words = ['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...patience, ...args];
  const [command, ...rest] = [...prefix, ...words];
  return run(command, rest);
}

/** Messages of npm and apt-get if the network or the server does not respond. */
const NO_NETWORK =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)\b|ERR_SOCKET_TIMEOUT|Temporary failure resolving|Could not (resolve|connect)|Unable to connect|Connection timed out/;

/** The reason for a failed download, as a sentence: no network, or the program's output. */
export const unfetched = (what, output) =>
  NO_NETWORK.test(output)
    ? `${what} cannot be fetched: there is no network, or the server does not answer. Try again with a network; behind a proxy, HTTPS_PROXY has to name it.`
    : `${output.trimEnd()}\n${what} could not be installed.`;

const install = (prefix, packages) =>
  apt(prefix, 'install', '-y', '--no-install-recommends', ...packages);

/** Tries once to install a faster alternative; continues without it if it is not available. */
async function installRather(rather) {
  const inVain = join(root, `build/no-${rather}`);
  const prefix = existsSync(inVain) ? null : asRoot();
  if (!prefix) return;
  console.error(`Installing ${rather}...`);
  await apt(prefix, 'update');
  const { code } = await install(prefix, [rather]);
  if (code === 0) return;
  console.error(`There is no ${rather} for this system. The tests are slower without it.`);
  mkdirSync(join(root, 'build'), { recursive: true });
  writeFileSync(inVain, '');
}

async function installPrograms(missing) {
  const packages = missing.flatMap((name) => NEEDS[name].packages);
  const prefix = asRoot();
  const byHand = `Busyard needs ${missing.join(', ')} here. On Debian or Ubuntu, install with: sudo apt-get install ${packages.join(' ')}`;
  if (!prefix) throw new UserError(byHand);
  console.error(`Installing ${packages.join(', ')}...`);
  await apt(prefix, 'update');
  const { code, output } = await install(prefix, packages);
  if (code !== 0) throw new UserError(`${unfetched(packages.join(', '), output)} ${byHand}`);
}

/** Ensures npm's packages and the named programs. */
export async function setup(programs) {
  if (!packagesAreCurrent()) {
    console.error('Installing packages...');
    const { code, output } = await run('npm', ['ci', '--no-audit', '--no-fund'], {
      env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    });
    if (code !== 0) throw new UserError(unfetched('The packages of npm', output));
  }
  for (const { rather, settled } of programs.map((name) => NEEDS[name]))
    if (rather && !settled()) await installRather(rather);
  const missing = programs.filter((name) => !NEEDS[name].there());
  if (missing.length > 0) await installPrograms(missing);
}

await runIfMain(import.meta.url, () => setup(EVERYTHING));
