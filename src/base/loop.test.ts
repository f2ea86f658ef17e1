import { describe, expect, test } from 'vitest';
import { createLoop } from './loop';

/** A host that hands out frames on request. */
function host() {
  let waiting: ((now: number) => void) | null = null;
  return {
    source: {
      request(callback: (now: number) => void) {
        waiting = callback;
        return 1;
      },
      cancel() {
        waiting = null;
      },
    },
    isRequested: () => waiting !== null,
    frame(now: number) {
      const run = waiting;
      waiting = null;
      run?.(now);
    },
  };
}

describe('the frame loop', () => {
  test('runs its phases in order, for any order of requests', () => {
    const loop = createLoop();
    const frames = host();
    const log: string[] = [];
    loop.once('canvas', () => log.push('canvas'));
    loop.once('dom', () => log.push('dom'));
    loop.once('advance', () => log.push('advance'));
    loop.attach(frames.source);
    frames.frame(0);
    expect(log).toEqual(['advance', 'dom', 'canvas']);
  });

  test('sleeps without requests', () => {
    const loop = createLoop();
    const frames = host();
    loop.attach(frames.source);
    expect(frames.isRequested()).toBe(false);
    const stop = loop.every('advance', () => {});
    frames.frame(0);
    expect(frames.isRequested()).toBe(true);
    stop();
    frames.frame(16);
    expect(frames.isRequested()).toBe(false);
  });

  test('runs a task that was requested twice only once', () => {
    const loop = createLoop();
    const frames = host();
    loop.attach(frames.source);
    let runs = 0;
    const draw = () => {
      runs += 1;
    };
    loop.once('canvas', draw);
    loop.once('canvas', draw);
    frames.frame(0);
    expect(runs).toBe(1);
  });

  test('tells how long ago the last frame was, and starts anew after sleep', () => {
    const loop = createLoop();
    const frames = host();
    loop.attach(frames.source);
    const elapsed: number[] = [];
    const stop = loop.every('advance', (time) => elapsed.push(time.elapsed));
    frames.frame(100);
    frames.frame(116);
    stop();
    frames.frame(132);
    loop.once('advance', (time) => elapsed.push(time.elapsed));
    frames.frame(9000);
    expect(elapsed).toEqual([0, 16, 0]);
  });

  test('work requested during a frame runs in the next', () => {
    const loop = createLoop();
    const frames = host();
    loop.attach(frames.source);
    const log: number[] = [];
    const again = (time: { now: number }) => {
      log.push(time.now);
      if (log.length < 2) loop.once('canvas', again);
    };
    loop.once('canvas', again);
    frames.frame(1);
    expect(log).toEqual([1]);
    frames.frame(2);
    expect(log).toEqual([1, 2]);
  });

  test('one-time work waits for the next frame if this one has used up its time', () => {
    const loop = createLoop();
    const frames = host();
    let ms = 0;
    loop.attach({ ...frames.source, clock: () => ms });
    const log: string[] = [];
    const drawing = (name: string, takes: number) => () => {
      log.push(name);
      ms += takes;
    };
    loop.every('advance', drawing('play', 1));
    loop.once('dom', drawing('first', 30));
    loop.once('dom', drawing('second', 30));
    loop.once('dom', drawing('third', 1));
    frames.frame(0);
    expect(log).toEqual(['play', 'first']);
    loop.once('dom', drawing('last', 1));
    frames.frame(16);
    expect(log.slice(2)).toEqual(['play', 'second']);
    frames.frame(32);
    expect(log.slice(4)).toEqual(['play', 'third', 'last']);
  });

  test('work that takes too long in every frame delays no other work forever', () => {
    const loop = createLoop();
    const frames = host();
    let ms = 0;
    loop.attach({ ...frames.source, clock: () => ms });
    let painted = 0;
    loop.every('advance', () => {
      ms += 30;
      loop.once('dom', () => {
        ms += 30;
      });
    });
    for (let frame = 0; frame < 10; frame++) {
      loop.once('canvas', () => {
        painted += 1;
      });
      frames.frame(frame * 16);
    }
    expect(painted).toBe(10);
  });

  test('delayed work runs before work requested later, and only once', () => {
    const loop = createLoop();
    const frames = host();
    let ms = 0;
    loop.attach({ ...frames.source, clock: () => ms });
    const log: string[] = [];
    const long = () => {
      log.push('long');
      ms += 30;
    };
    const waits = () => log.push('waits');
    loop.once('dom', long);
    loop.once('dom', waits);
    frames.frame(0);
    loop.once('dom', long);
    loop.once('dom', waits);
    frames.frame(16);
    expect(log).toEqual(['long', 'waits', 'long']);
  });
});
