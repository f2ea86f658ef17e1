/**
 * The colours of both themes: contrast (WCAG 2.2), and differences between colours of one group or of different
 * meanings (CIEDE2000) as seen with usual vision, protanopia and deuteranopia (Machado, Oliveira and Fernandes 2009).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesUnder } from '../scripts/lib.mjs';

const CSS = readFileSync('src/app/styles/tokens.css', 'utf8');

type Linear = readonly [red: number, green: number, blue: number];

/** The colours of a theme by name, as linear light. */
function themeOf(selector: string): ReadonlyMap<string, Linear> {
  const from = CSS.indexOf('{', CSS.lastIndexOf(selector));
  const block = CSS.slice(from, CSS.indexOf('\n}', from));
  const channel = (text: string): number => {
    const value = Number.parseInt(text, 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const all = block.matchAll(/--([\w-]+): #(\w{2})(\w{2})(\w{2});/g);
  return new Map(
    [...all].map(([, name = '', red = '', green = '', blue = '']) => [
      name,
      [channel(red), channel(green), channel(blue)],
    ]),
  );
}

const luminance = ([red, green, blue]: Linear): number =>
  0.2126 * red + 0.7152 * green + 0.0722 * blue;

function contrast(one: Linear, other: Linear): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const VISIONS = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deuteranopia: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
} as const;

function seen(color: Linear, matrix: readonly number[]): Linear {
  const row = (at: number): number => {
    const sum = color.reduce((all, part, i) => all + part * (matrix[3 * at + i] ?? 0), 0);
    return Math.min(1, Math.max(0, sum));
  };
  return [row(0), row(1), row(2)];
}

/** CIELAB with the white of sRGB. */
function labOf([red, green, blue]: Linear): Linear {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
  const x = f((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
  const y = f(0.2126 * red + 0.7152 * green + 0.0722 * blue);
  const z = f((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const degrees = (angle: number): number => (angle * Math.PI) / 180;
const hueOf = (a: number, b: number): number => ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;

/** CIEDE2000. */
function difference([l1, a1, b1]: Linear, [l2, a2, b2]: Linear): number {
  const chroma = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7)));
  const [p1, p2] = [a1 * (1 + g), a2 * (1 + g)];
  const [c1, c2] = [Math.hypot(p1, b1), Math.hypot(p2, b2)];
  const [h1, h2] = [hueOf(p1, b1), hueOf(p2, b2)];
  const apart = ((h2 - h1 + 540) % 360) - 180;
  const dh = c1 * c2 === 0 ? 0 : 2 * Math.sqrt(c1 * c2) * Math.sin(degrees(apart) / 2);
  const [l, c, h] = [(l1 + l2) / 2, (c1 + c2) / 2, c1 * c2 === 0 ? h1 + h2 : h1 + apart / 2];
  const cos = (times: number, shift: number): number => Math.cos(degrees(times * h + shift));
  const t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.2 * cos(4, -63);
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const [sc, sh] = [1 + 0.045 * c, 1 + 0.015 * c * t];
  const around = (((h + 360) % 360) - 275) / 25;
  const turn = 60 * Math.exp(-(around ** 2));
  const rt = -Math.sin(degrees(turn)) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const [dl, dc, hue] = [(l2 - l1) / sl, (c2 - c1) / sc, dh / sh];
  return Math.sqrt(dl ** 2 + dc ** 2 + hue ** 2 + rt * dc * hue);
}

const SURFACES = ['bg', 'sheet', 'raised', 'sunken'];
const states = (kind = ''): string[] =>
  ['invalid', 'shared', 'clean', 'dirty', 'stale', 'flight'].map((state) => `st-${state}${kind}`);

/** Least contrasts: of a colour on a surface. */
const CONTRASTS: readonly (readonly [
  least: number,
  names: readonly string[],
  on: readonly string[],
])[] = [
  [7, ['ink-1'], [...SURFACES, 'mark']],
  [4.5, ['ink-2', 'ink-3'], SURFACES],
  [4.5, ['accent', 'good', 'warn', 'bad'], ['bg', 'sheet', 'raised']],
  [
    4.5,
    ['ink-on'],
    ['accent', 'solid', 'bad', 'c-1', 'c-2', 'ac-cpu', 'ac-disk', 'ac-lan', 'ac-adapter'],
  ],
  [4.5, ['ac-cpu', 'ac-disk', 'ac-lan', 'ac-adapter', 'ac-mem'], ['sheet']],
  [3, ['line-3'], ['bg', 'sheet', 'raised']],
  [3, ['c-1', 'c-2', 'c-3', 'c-4', 'c-5', 'c-6', 'pool-spilled', 'pool-chosen'], ['sheet']],
];

/** Least differences within a group. Letters and shapes tell line states and actors apart as well. */
const GROUPS: readonly (readonly [least: number, names: readonly string[]])[] = [
  [7, states()],
  [10, ['ac-cpu', 'ac-disk', 'ac-lan']],
  [10, ['c-1', 'c-2', 'c-3', 'c-4']],
  [5, ['good', 'warn', 'bad']],
  // A dirty line, a curve and an entry in another pool: each has a colour of its own.
  [10, ['st-dirty', 'c-2', 'pool-spilled']],
  [10, ['c-1', 'c-3', 'pool-spilled', 'ink-3', 'pool-chosen', 'st-flight-line']],
];

describe.each([
  ['light', '[data-theme="light"]'],
  ['dark', '[data-theme="dark"]'],
])('the colours of the %s theme', (_, selector) => {
  const theme = themeOf(selector);
  const at = (name: string): Linear => {
    const color = theme.get(name);
    if (!color) throw new Error(`There is no colour --${name}.`);
    return color;
  };

  test('have the contrast that text and edges need', () => {
    const letters = states().map((fill) => [4.5, [`${fill}-ink`], [fill]] as const);
    const low = [...CONTRASTS, ...letters].flatMap(([least, names, surfaces]) =>
      names.flatMap((name) =>
        surfaces
          .filter((surface) => contrast(at(name), at(surface)) < least)
          .map((surface) => `${name} on ${surface}: below ${least}`),
      ),
    );
    expect(low).toEqual([]);
  });

  test('can be told apart, whatever the vision', () => {
    const alike = GROUPS.flatMap(([least, names]) =>
      names.flatMap((one, index) =>
        names.slice(index + 1).flatMap((other) =>
          Object.entries(VISIONS)
            .map(([vision, matrix]) => {
              const [a, b] = [one, other].map((name) => labOf(seen(at(name), matrix)));
              return [vision, a && b ? difference(a, b) : 0] as const;
            })
            .filter(([, apart]) => apart < least)
            .map(([vision, apart]) => `${one}, ${other}, ${vision}: ${apart.toFixed(1)}`),
        ),
      ),
    );
    expect(alike).toEqual([]);
  });
});

/** What is under way: a line in flight, a packet that arrives, an entry that is being allocated. */
const UNDER_WAY = /flight|filling|new/;

test('amber means that something is under way, and nothing else', () => {
  const files = filesUnder('src').filter((path) => /\.(css|tsx?)$/.test(path));
  const others = files.flatMap((path) => {
    const text = path.endsWith('tokens.css') ? '' : readFileSync(path, 'utf8');
    if (!text.includes('--st-flight')) return [];
    if (!path.endsWith('.css')) return [path];
    const rules = text.split('}').filter((rule) => rule.includes('var(--st-flight'));
    return rules.flatMap((rule) => {
      const selector = rule.slice(0, rule.indexOf('{')).trim();
      return UNDER_WAY.test(selector) ? [] : [`${path}: ${selector}`];
    });
  });
  expect(others).toEqual(['src/draw/coherence/map.ts']);
});
