import { describe, expect, test } from 'vitest';
import { CoherenceLog } from '../../model/coherence/coherence-log';
import {
  blockOf,
  type CoherentMachine,
  chainOf,
  ioPageOf,
  type TlbRole,
} from '../../model/coherence/coherence-roles';
import { Trace } from '../../model/trace/trace';
import { chunkOf, type Row } from '../../model/trace/trace.fixture';
import { COHERENT, kindOf, MACHINE, moment, PAGE, PART } from './coherence.fixture';
import { decodeEntry, encodeEntry, entryGrid, entrySentence, fieldAt } from './tlb-entry';
import { rowConflicts, rowDetail, rowSentence, tlbRows, tlbSummary } from './tlb-map';
import { chainAt, detailLeft, detailShapes, tlbGrid, tlbShapes } from './tlb-shapes';

function tlbOf({ tlb }: CoherentMachine): TlbRole {
  if (!tlb) throw new Error('The machine has no I/O TLB.');
  return tlb;
}

const TLB = tlbOf(COHERENT);
const NONE = 0xffffffff;
const CHAIN = 2 ** 18;
const BLOCK = 4096;

/** A look-up as the adapter records it: its device and its result. */
function lookUp(at: number, device: 0 | 1, address: number, held: number | 'hit'): Row[] {
  const part = PART.adapter;
  const chain = chainOf(TLB, address);
  return [
    { at, part, kind: kindOf(part, 'state'), a: address, b: 1, c: device },
    held === 'hit'
      ? { at, part, kind: kindOf(part, 'hit'), a: address, b: chain, c: blockOf(TLB, address) }
      : { at, part, kind: kindOf(part, 'miss'), a: address, b: chain, c: held },
  ];
}

function logOf(rows: readonly Row[]): CoherenceLog {
  const trace = new Trace(MACHINE);
  trace.append(chunkOf(rows));
  return new CoherenceLog(trace, COHERENT).update();
}

const disk = 17 * CHAIN + 8 * BLOCK;
const lan = 17 * CHAIN + 10 * BLOCK;
/** Disk and LAN alternating on row 17. */
const FIGHT = [
  ...lookUp(1, 0, disk, NONE),
  ...lookUp(2, 1, lan, 8),
  ...lookUp(3, 0, disk, 10),
  ...lookUp(4, 1, lan, 8),
  ...lookUp(5, 0, disk, 10),
];

describe('an I/O address', () => {
  test('is divided into row, block and offset in the page, and put together again', () => {
    expect([chainOf(TLB, disk), blockOf(TLB, disk)]).toEqual([17, 8]);
    expect(ioPageOf(TLB, 17, 8)).toBe(disk / 4096);
    const high = { rows: 4, chainShift: 14 };
    const page = 0b1011011;
    const [chain, block] = [chainOf(high, page * 4096), blockOf(high, page * 4096)];
    expect([chain, block]).toEqual([0b10, 0b10111]);
    expect(ioPageOf(high, chain, block)).toBe(page);
  });
});

describe('the log of a trace', () => {
  test('has each look-up of a row up to any record, with its device', () => {
    const log = logOf(FIGHT);
    expect(log.chains()).toEqual([17]);
    expect(log.lookUpsTo(17, 4).map(({ block, device, held }) => [block, device, held])).toEqual([
      [8, PART.disk, null],
      [10, PART.lan, 8],
    ]);
    expect(log.lookUpsTo(17, 1)).toEqual([]);
  });

  test('continues when the trace grows', () => {
    const trace = new Trace(MACHINE);
    const log = new CoherenceLog(trace, COHERENT);
    trace.append(chunkOf(FIGHT.slice(0, 4)));
    expect(log.update().lookUpsTo(17, 99)).toHaveLength(2);
    trace.append(chunkOf(FIGHT.slice(4), 5));
    expect(log.update().lookUpsTo(17, 99)).toHaveLength(5);
  });

  test('has the pages that crossed the bus, and the device of each write', () => {
    const start = (address: number, master: number): Row => ({
      at: 1,
      part: PART.bus,
      kind: kindOf(PART.bus, 'start'),
      a: address,
      b: 1,
      c: master,
    });
    const log = logOf([
      start(PAGE + 64, 0),
      start(PAGE + 96, 1),
      start(0xf0000000, 0),
      { at: 2, part: PART.disk, kind: kindOf(PART.disk, 'write'), a: 0, b: 32, c: 41 },
    ]);
    expect([...log.pages.values()].map(({ address, count }) => [address, count])).toEqual([
      [PAGE, 2],
    ]);
    expect(log.makers.get(41)).toBe(PART.disk);
  });
});

describe('a row with two claimants', () => {
  test('has a conflict once evicted translations return', () => {
    const log = logOf(FIGHT);
    expect(rowConflicts(COHERENT, log, 4)).toEqual([]);
    const [rowConflict] = rowConflicts(COHERENT, log, 99);
    expect([rowConflict?.chain, rowConflict?.returns]).toEqual([17, 3]);
    expect(rowConflict?.claimants.map(({ title, block }) => [title, block])).toEqual([
      ['Disk', 8],
      ['LAN', 10],
    ]);
  });

  test('counts evictions by pair', () => {
    const detail = rowDetail(COHERENT, logOf(FIGHT).lookUpsTo(17, 99), 17, 3);
    expect(detail.evictions).toEqual([
      [0, 2],
      [2, 0],
    ]);
    expect(detail.last).toHaveLength(3);
    expect([detail.misses, detail.lookUps]).toEqual([5, 5]);
    expect(rowSentence(detail)).toBe(
      'Disk (block 8) and LAN (block 10) map to chain 17: each look-up of one evicts the other.',
    );
  });

  test('with a single device distinguishes its blocks', () => {
    const other = lookUp(2, 0, lan, 8);
    const detail = rowDetail(
      COHERENT,
      logOf([...lookUp(1, 0, disk, NONE), ...other, ...lookUp(3, 0, disk, 10)]).lookUpsTo(17, 99),
      17,
      24,
    );
    expect(detail.claimants.map(({ title, block }) => [title, block])).toEqual([
      ['Disk', 8],
      ['Disk', 10],
    ]);
    expect(detail.last.map(({ level }) => level)).toEqual([0, 1, 0]);
  });

  test('has no conflict if one claimant follows the other', () => {
    const log = logOf([
      ...lookUp(1, 0, disk, NONE),
      ...lookUp(2, 0, disk, 'hit'),
      ...lookUp(3, 1, lan, 8),
      ...lookUp(4, 1, lan, 'hit'),
    ]);
    expect(rowConflicts(COHERENT, log, 99)).toEqual([]);
    expect(rowSentence(rowDetail(COHERENT, log.lookUpsTo(17, 99), 17, 24))).toBe(
      'Chain 17 serves Disk (block 8), then LAN (block 10): 4\u00a0look-ups, 2\u00a0misses.',
    );
  });
});

describe('the map', () => {
  const rows = Array.from({ length: 256 }, (_, chain) => ({
    valid: chain === 17 ? 1 : 0,
    block: 8,
    lookups: chain === 17 ? 99 : chain === 3 ? 1 : 0,
    misses: chain === 17 ? 97 : 0,
  }));
  const now = moment({ [`${PART.adapter} tlb`]: rows });

  test('is darker where there were more look-ups', () => {
    const tones = tlbRows(TLB, now).map(({ tone }) => tone);
    expect([tones[0], tones[3], tones[17]]).toEqual([0, 1, 4]);
  });

  test('of 256 rows is 16 by 16, and finds the row at a point', () => {
    const grid = tlbGrid(256, { width: 430, height: 169, stacked: false });
    expect([grid.columns, grid.rows]).toEqual([16, 16]);
    expect(chainAt(grid, grid.left + 1.5 * grid.pitch, grid.top + 1.5 * grid.pitch)).toBe(17);
    expect(chainAt(grid, 2, grid.top)).toBeNull();
    expect(detailLeft(grid, 430)).not.toBeNull();
    expect(detailLeft(tlbGrid(256, { width: 240, height: 169, stacked: false }), 240)).toBeNull();
  });

  test('frames a conflict, divided between its two claimants', () => {
    const marks = {
      rowConflicts: rowConflicts(COHERENT, logOf(FIGHT), 99),
      chosen: 17,
      marked: [],
    };
    const shapes = tlbShapes(
      tlbGrid(256, { width: 430, height: 169, stacked: false }),
      tlbRows(TLB, now),
      marks,
    );
    expect(shapes.filter(({ cls }) => cls === 'tl-hot')).toHaveLength(1);
    expect(shapes.filter(({ cls }) => cls === 'a-disk' || cls === 'a-lan')).toHaveLength(2);
  });

  test('describes the whole in a sentence', () => {
    expect(tlbSummary(tlbRows(TLB, now), [])).toBe(
      '2 of 256\u00a0rows used; 100\u00a0look-ups, 97\u00a0misses. No row is contended.',
    );
  });

  test('leaves out of a row what does not fit', () => {
    const detail = rowDetail(COHERENT, logOf(FIGHT).lookUpsTo(17, 99), 17, 24);
    const place = { x: 0, y: 0, width: 214 };
    const texts = (height: number) =>
      detailShapes(detail, { ...place, height }).filter(({ kind }) => kind === 'text').length;
    expect(texts(160)).toBeGreaterThan(texts(60));
    expect(texts(60)).toBeGreaterThan(0);
  });
});

describe('an entry of the page directory', () => {
  // Page 0x3A417 with index 0x2C4, safe and valid.
  const [high, low] = [(0x2c4 << 16) >>> 0, ((0x3a417 << 12) | 0x03) >>> 0];
  const entry = decodeEntry(high, low);

  test('is decoded by the documented layout', () => {
    expect(entry).toMatchObject({
      page: 0x3a417000,
      index: 0x2c4,
      valid: true,
      safe: true,
      prefetch: false,
      lock: false,
    });
    const wide = decodeEntry(0xf0000000 + 0x1234, 0);
    expect(wide.page).toBe((0xf * 2 ** 36 + 0x1234 * 2 ** 20) * 4096);
  });

  test('has exactly one field for every bit', () => {
    const bits = entry.fields.map(({ from, to }) => to - from + 1);
    expect(bits.reduce((a, b) => a + b, 0)).toBe(64);
    expect(decodeEntry(0, 0x40).fields.find(({ title }) => title === 'prefetch')?.value).toBe(1);
    expect(decodeEntry(0, 0x04).lock).toBe(true);
  });

  test('states its meaning', () => {
    expect(entrySentence(entry)).toBe(
      'Page at 0x3A417000, virtual index 0x2C4; transfers are safe.',
    );
    expect(entrySentence(decodeEntry(high, low - 1))).toMatch(/not mapped/);
  });

  test('is reconstructed bit by bit from the row that was loaded from it', () => {
    expect(encodeEntry({ page: 0x3a417, index: 0x2c4, attributes: 0x03 })).toEqual({ high, low });
    const wide = { page: 0xf * 2 ** 36 + 0x1234 * 2 ** 20 + 5, index: 0xfff, attributes: 0x41 };
    const words = encodeEntry(wide);
    expect(decodeEntry(words.high, words.low)).toMatchObject({
      page: wide.page * 4096,
      index: 0xfff,
      prefetch: true,
    });
  });

  test('finds the field at a point on wide and on narrow sheets', () => {
    const wide = entryGrid(430);
    const at = (bit: number) => wide.left + (bit + 0.5) * wide.pitch;
    expect(entry.fields[fieldAt(wide, entry, at(5), wide.top + 4) ?? -1]?.title).toBe(
      'virtual index',
    );
    expect(
      entry.fields[fieldAt(wide, entry, at(30), wide.top + wide.distance + 4) ?? -1]?.title,
    ).toBe('safe');
    const narrow = entryGrid(280);
    const y = narrow.top + 3 * narrow.distance + 4;
    const x = narrow.left + 14.5 * narrow.pitch;
    expect(entry.fields[fieldAt(narrow, entry, x, y) ?? -1]?.title).toBe('safe');
  });
});
