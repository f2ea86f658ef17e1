// Shared by the scripts: running programs, hashing inputs, and caching of builds.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join, parse, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** An error that is printed as one sentence, without a stack. */
export class UserError extends Error {}

/** Reasons why a file cannot be written, by error code. */
const UNWRITABLE = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'nothing can be written there',
  ENOSPC: 'there is no space left',
  EDQUOT: 'there is no space left for you',
  ENOTDIR: 'a part of its path is not a folder',
  EEXIST: 'a file stands where a folder should be',
};

/** The printed form of an error: its sentence if it has one, else all of it. */
export function messageOf(error) {
  if (error instanceof UserError) return error.message;
  const why = error?.syscall && Object.hasOwn(UNWRITABLE, error.code) && UNWRITABLE[error.code];
  return why ? `${error.dest ?? error.path} cannot be written: ${why}.` : error;
}

/** Runs `main` if the module is the entry point; a UserError is printed as its text, with exit code 1. */
export async function runIfMain(moduleUrl, main) {
  if (pathToFileURL(process.argv[1] ?? '').href !== moduleUrl) return;
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 1;
  }
}

/**
 * Runs a program in the repository and resolves to its exit code and output (both streams, in order). With
 * `show`, output also goes to stderr as it arrives, so that stdout stays free for results.
 */
export function run(command, args, { show = false, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const take = (text) => {
      output += text;
      if (show) process.stderr.write(text);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', take);
    child.on('error', (error) => resolve({ code: 127, output: `${command}: ${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/** A free port on this machine. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Runs a program that must succeed; otherwise the error is `failure` with its output. */
export async function must(failure, command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new UserError(options?.show ? failure : `${output.trimEnd()}\n${failure}`);
  return output;
}

/** A command line tool of node_modules, as arguments of `node`. */
export const tool = (path, ...args) => [join(root, 'node_modules', path), ...args];

/** All files below the given files and folders, as sorted paths relative to the repository. */
export function filesUnder(...places) {
  const found = [];
  for (const place of places.filter((path) => existsSync(join(root, path)))) {
    if (statSync(join(root, place)).isFile()) {
      found.push(place);
      continue;
    }
    for (const entry of readdirSync(join(root, place), { withFileTypes: true, recursive: true })) {
      if (entry.isFile()) found.push(relative(root, join(entry.parentPath, entry.name)));
    }
  }
  return found.map((path) => path.split(sep).join('/')).sort();
}

/**
 * Runs `make` unless `outputs` exist and were made from the same inputs. Inputs are compared by file
 * content and by `recipe` (flags, options), never by date.
 */
export async function buildIfStale({ name, inputs, recipe = '', outputs, make }) {
  const hash = createHash('sha256').update(recipe);
  for (const path of filesUnder(...inputs)) {
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  }
  const digest = hash.digest('hex');
  const stamp = join(root, 'build', `${name}.stamp`);
  const made = outputs.every((path) => existsSync(join(root, path)));
  if (made && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return false;
  mkdirSync(dirname(stamp), { recursive: true });
  await make();
  writeFileSync(stamp, digest);
  return true;
}

/** Has `make` write a file under a temporary name, then moves it into place atomically. */
export async function writeAtomically(path, make) {
  const { dir, name, ext } = parse(path);
  const temporary = `${dir}/${name}.${process.pid}${ext}`;
  mkdirSync(join(root, dir), { recursive: true });
  try {
    await make(temporary);
    renameSync(join(root, temporary), join(root, path));
  } finally {
    rmSync(join(root, temporary), { force: true });
  }
}
