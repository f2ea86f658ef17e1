/**
 * The path of a packet's bytes in one design, from the ring up to the application: a filled block for each
 * place that holds them, a pill where only an address is passed on, and the sign of the processor that did
 * the work.
 */
import type { DesignPath } from '../../model/lab/design-comparison';
import { glyph, sealShapes } from '../glyph';
import { line, path, rect, type Shape, words } from '../shape';

export const PATH_WIDTHS = { width: 72, height: 106 };

const LEVELS = { application: 4, message: 32, protocol: 60, ring: 88 } as const;
const BLOCK = 15;
const [LEFT, RIGHT] = [12, 60];
const MIDDLE = (LEFT + RIGHT) / 2;
/** Position of a line that bypasses the levels in between. */
const PAST = 68;

type Level = keyof typeof LEVELS;

const TITLES: Readonly<Record<Level, string>> = {
  application: 'application',
  message: 'message',
  protocol: 'TCP/IP',
  ring: 'ring',
};

/** The levels, for the side of the table. */
export const levelShapes = (): Shape[] =>
  (Object.keys(LEVELS) as Level[]).map((level) =>
    words(0, LEVELS[level] + 11, TITLES[level], 't11 i2'),
  );

const sign = (level: Level, isIo: boolean): Shape =>
  glyph(isIo ? 'os' : 'cpu', LEFT - 7, LEVELS[level] + BLOCK / 2, 4);

const block = (level: Level, label: string): Shape[] => [
  rect(LEFT, LEVELS[level], RIGHT - LEFT, BLOCK, 'a-lan'),
  words(MIDDLE, LEVELS[level] + 11, label, 't10 on mid'),
];

function pill(level: Level): Shape[] {
  const [y, r] = [LEVELS[level], BLOCK / 2];
  const d = `M${LEFT + r} ${y}H${RIGHT - r}a${r} ${r} 0 0 1 0 ${BLOCK}H${LEFT + r}a${r} ${r} 0 0 1 0 ${-BLOCK}z`;
  return [path(d, 'flow'), words(MIDDLE, y + 11, 'address', 't10 mid')];
}

const up = (from: Level, to: Level): Shape =>
  line(MIDDLE, LEVELS[from], MIDDLE, LEVELS[to] + BLOCK, 'thin');

/** From a level to the application, past the levels in between. */
const past = (from: Level, cls: string): Shape => {
  const [y1, y2] = [LEVELS[from] + BLOCK / 2, LEVELS.application + BLOCK / 2];
  return path(`M${RIGHT} ${y1}H${PAST}V${y2}H${RIGHT}`, cls);
};

/** TCP/IP, which all designs have in common. */
const protocol = (y: number): Shape[] => [
  rect(LEFT, y, RIGHT - LEFT, BLOCK, 'part'),
  words(MIDDLE, y + 11, TITLES.protocol, 't10 mid'),
];

/** While a question asks how the path goes on after TCP/IP, that is all that is drawn. */
export const SEALED_WIDTHS = { width: PATH_WIDTHS.width, height: 44 };

const SEALED_LEVELS = { after: 3, protocol: 26 } as const;

export const sealedLevelShapes = (): Shape[] => [
  words(0, SEALED_LEVELS.after + 12, 'after TCP/IP', 't11 i2'),
  words(0, SEALED_LEVELS.protocol + 11, TITLES.protocol, 't11 i2'),
];

export function sealedPathShapes(): Shape[] {
  const seal = { x: 2, y: SEALED_LEVELS.after, width: PATH_WIDTHS.width - 4, height: BLOCK + 2 };
  return [
    line(MIDDLE, SEALED_LEVELS.protocol, MIDDLE, seal.y + seal.height, 'thin'),
    ...protocol(SEALED_LEVELS.protocol),
    ...sealShapes(seal, 'your guess?'),
  ];
}

export function pathShapes({ isOffloaded, networkCopies, applicationCopies }: DesignPath): Shape[] {
  const shapes: Shape[] = [
    ...block('ring', 'packet'),
    up('ring', 'protocol'),
    ...protocol(LEVELS.protocol),
    sign('protocol', isOffloaded),
  ];
  if (!isOffloaded)
    return [
      ...shapes,
      up('protocol', 'application'),
      ...block('application', 'copy'),
      sign('application', false),
    ];
  shapes.push(up('protocol', 'message'), up('message', 'application'));
  if (networkCopies) shapes.push(...block('message', 'copy'), sign('message', true));
  else shapes.push(...pill('message'));
  if (applicationCopies) {
    if (!networkCopies) shapes.push(past('ring', 'thin'));
    return [...shapes, ...block('application', 'copy'), sign('application', false)];
  }
  return [
    ...shapes,
    past(networkCopies ? 'message' : 'ring', 'ghost'),
    rect(LEFT, LEVELS.application, RIGHT - LEFT, BLOCK, 'part'),
    words(MIDDLE, LEVELS.application + 11, 'reads', 't10 mid'),
  ];
}

/** The path in a sentence. */
export function pathSentence({
  isOffloaded,
  networkCopies,
  applicationCopies,
}: DesignPath): string {
  if (!isOffloaded)
    return 'The main processor does TCP/IP and copies each packet for the application.';
  const passed = networkCopies ? 'copies each packet into a message' : 'passes its address on';
  const read = applicationCopies
    ? 'the application’s processor copies it'
    : 'the application reads it where it lies';
  return `The I/O processor does TCP/IP and ${passed}; ${read}.`;
}
