/** The messages for an old Node, a folder that cannot be written, and a missing network. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { engines, scripts } from '../package.json';
import { messageOf } from '../scripts/lib.mjs';
import { unfetched } from '../scripts/setup.mjs';
import { file, folder } from './support/command-line';

/** Starts a Node that reports this version. */
function startedWith(version: string) {
  const text = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } });`;
  const args = ['-r', file(`${version}.cjs`, text), '-r', './scripts/node.cjs', '-e', '0'];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

describe('a Node that is too old is reported before anything incompatible is loaded', () => {
  test.each(['14.21.3', '16.20.2', '18.20.8', '20.18.3', '21.7.3', '22.11.0'])('%s', (version) => {
    const { status, stderr } = startedWith(version);
    expect(stderr).toMatch(/^Busyard needs Node 20\.19, 22\.12 or newer; this is Node .*\.\n$/);
    expect(stderr).toContain(`this is Node ${version}. `);
    expect(status).toBe(1);
  });

  test.each(['20.19.0', '22.12.0', '23.0.0', '24.0.0', '26.1.0'])('%s is accepted', (version) => {
    expect(startedWith(version)).toMatchObject({ status: 0, stderr: '' });
  });

  test('each npm command checks for the version in package.json', () => {
    expect(engines.node).toBe('^20.19.0 || >=22.12.0');
    for (const script of Object.values(scripts))
      expect(script).toMatch(/^node -r \.\/scripts\/node\.cjs (scripts|bench)\//);
  });
});

test('a folder that cannot be written is named, with the reason', () => {
  const path = file('no-folder', '');
  const failing = (work: () => unknown) => {
    try {
      return String(work());
    } catch (error) {
      return messageOf(error);
    }
  };
  expect(failing(() => mkdirSync(`${path}/build`))).toBe(
    `${path}/build cannot be written: a part of its path is not a folder.`,
  );
  expect(failing(() => mkdirSync(folder))).toContain('a file stands where a folder should be');
  const defect = new Error('defect');
  expect(messageOf(defect)).toBe(defect);
});

describe('without a network there is one clear error:', () => {
  test.each([
    'npm error code ENOTFOUND\nnpm error network request failed, reason: getaddrinfo ENOTFOUND',
    'npm error code EAI_AGAIN\nnpm error errno EAI_AGAIN',
    'npm error code ERR_SOCKET_TIMEOUT',
    "E: Failed to fetch http://deb.debian.org/x.deb  Temporary failure resolving 'deb.debian.org'",
  ])('%s', (output) => {
    const sentence = unfetched('The packages of npm', output);
    expect(sentence).toMatch(/^The packages of npm cannot be fetched: there is no network, or /);
    expect(sentence).not.toContain('\n');
  });

  test('other failures are shown completely', () => {
    expect(unfetched('gcc', 'E: Unable to locate package gcc\n')).toBe(
      'E: Unable to locate package gcc\ngcc could not be installed.',
    );
  });
});
