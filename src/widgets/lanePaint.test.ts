import { expect, test, vi } from 'vitest';
import type { TimelineLane } from '../draw/run/timeline';
import { timelineModel } from '../draw/run/timeline';
import type { Brush } from './CanvasView';
import { paintLanes } from './lanePaint';

// Tiles of hatches are not painted here.
vi.stubGlobal('document', { createElement: () => ({ getContext: () => null }) });

/** How each rectangle is painted, with these spans of a processor that waits for a lock. */
function painted(spans: readonly (readonly [number, number])[]) {
  const rectangles: string[] = [];
  const known: Record<string, unknown> = {
    fillRect: () => rectangles.push('filled'),
    strokeRect: () => rectangles.push('outlined'),
    measureText: () => ({ width: 40 }),
    createPattern: () => null,
  };
  const context = new Proxy(known, {
    get: (target, name: string) => target[name] ?? (() => undefined),
    set: () => true,
  });
  const brush = { context, width: 600, height: 80, ratio: 1, color: (name: string) => name };
  const lane = {
    ...{ part: 0, title: 'CPU 0', actor: 'cpu' },
    spans: spans.map(([from, to], seq) => ({
      ...{ from, to, fromPs: from, toPs: to, seq, style: 'blocked', tone: 'cpu', label: '' },
    })),
  } as unknown as TimelineLane;
  const model = timelineModel({
    ...{ width: 600, window: { from: 0, to: 500 }, lanes: [lane], chain: [] },
    ...{ laneHeight: 20, left: 84, right: 8, top: 20, scale: 1 },
  });
  paintLanes(
    brush as unknown as Brush,
    {
      ...{ model, playheadPs: 500, playheadText: '', selected: null, pointed: null },
      ...{ scale: 1, reasons: [] },
    } as unknown as Parameters<typeof paintLanes>[1],
  );
  return rectangles;
}

test('a short wait costs one rectangle, so that hundreds of them can be painted in each frame', () => {
  const without = painted([]).length;
  const short = Array.from({ length: 100 }, (_, at) => [at * 5, at * 5 + 2.5] as const);
  expect(painted(short).length - without).toBe(100);
});

test('a long wait is hatched within its outline', () => {
  const [empty, one] = [painted([]), painted([[100, 300]])];
  const more = (how: string) =>
    one.filter((each) => each === how).length - empty.filter((each) => each === how).length;
  expect({ filled: more('filled'), outlined: more('outlined') }).toEqual({
    filled: 1,
    outlined: 1,
  });
});
