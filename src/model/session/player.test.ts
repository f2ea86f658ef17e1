import { describe, expect, test, vi } from 'vitest';
import { BUS, EVENTS, NOTABLE, rest, sessionOf, TICK, testPlayer } from './player.fixture';

type TestPlayer = ReturnType<typeof testPlayer>['player'];

async function opened() {
  const made = testPlayer();
  await made.player.open(sessionOf());
  await rest();
  return made;
}

describe('an opened run', () => {
  test('starts at its beginning and is recorded to its end', async () => {
    const { player } = await opened();
    expect(player.now()).toEqual({ timePs: 0, events: 0, seq: 0 });
    expect(player.state.getState()).toMatchObject({
      status: 'ready',
      complete: true,
      endPs: EVENTS * TICK,
      endEvents: EVENTS,
    });
    expect(player.trace()?.last).toBeGreaterThan(300);
  });

  test('initially shows about eight transactions per second', async () => {
    const { player } = await opened();
    const perSecond = player.state.getState().speed / (4 * TICK);
    expect(perSecond).toBeGreaterThan(3);
    expect(perSecond).toBeLessThan(20);
  });

  test('reports why the engine refuses it', async () => {
    const { player, machine } = testPlayer();
    machine.refuse = 'Two caches held line 7 dirty.';
    await player.open(sessionOf());
    expect(player.state.getState()).toMatchObject({
      status: 'failed',
      failure: 'Two caches held line 7 dirty.',
    });
  });
});

test('a view requested by two panels is in the frame once, until both cancel it', async () => {
  const { player, machine } = await opened();
  const views = [{ part: 0, view: 1, packed: true }];
  const stops = [player.want(views), player.want([...views, { part: 0, view: 1 }])];
  await rest();
  expect(machine.asked).toEqual([...views, { part: 0, view: 1 }]);
  // A panel may still request a view of the previous machine.
  stops.push(
    player.want([
      { part: 0, view: 2 },
      { part: 1, view: 0 },
    ]),
  );
  await rest();
  expect(machine.asked).toEqual([...views, { part: 0, view: 1 }]);
  for (const stop of stops) stop();
  await player.toEvents(5);
  expect(machine.asked).toEqual([]);
});

describe('a run that ends before the playhead', () => {
  test('moves the playhead to its end, after an edit and after opening', async () => {
    const { player } = await opened();
    await player.last();
    await player.open(sessionOf(2));
    await rest();
    expect(player.now()).toMatchObject({ timePs: 200 * TICK, events: 200 });
    await player.open(sessionOf(3, { id: 'two' }), { timePs: 4_000 * TICK });
    await rest();
    expect(player.now()).toMatchObject({ timePs: 300 * TICK, events: 300 });
  });

  test('never runs beyond its end', async () => {
    const { player, machine } = testPlayer();
    await player.open(sessionOf(), { timePs: 1e15 });
    await rest();
    expect(machine.calls).toContain(`time ${EVENTS * TICK}`);
    expect(machine.calls).not.toContain('time 1000000000000000');
  });
});

test('playing to a time during a seek to the end never shows a time before the machine’s', async () => {
  const { player, machine, tick } = await opened();
  let arrive = () => {};
  const end = EVENTS * TICK;
  vi.spyOn(machine, 'seekTime').mockImplementationOnce(async () => {
    await new Promise<void>((done) => {
      arrive = done;
    });
    return machine.seekEvents(EVENTS);
  });
  const going = player.toTime(end);
  await rest();
  const played = player.playTo(end / 2, 50);
  tick(20);
  arrive();
  await going;
  for (let i = 0; i < 3; i++) {
    await rest();
    tick(100);
  }
  await played;
  expect(player.now()).toMatchObject({ timePs: end, events: EVENTS });
});

describe('a step as a film', () => {
  /** Lets some frames of the page pass. */
  const frames = async (tick: (ms: number) => void, some: number) => {
    for (let i = 0; i < some; i++) {
      tick(100);
      await rest();
    }
  };

  test.each(['event', 'transaction', 'microsecond', 'notable'] as const)(
    'by %s passes the times between and ends where the step ends',
    async (unit) => {
      const { player, tick } = await opened();
      await player.toEvents(10);
      const before = player.now().timePs;
      await player.step(1, unit);
      const after = player.now();
      await player.toEvents(10);
      const played = player.playStep(unit);
      await frames(tick, 2);
      expect(player.now().timePs).toBeGreaterThan(before);
      expect(player.now().timePs).toBeLessThan(after.timePs);
      expect(player.state.getState()).toMatchObject({ playing: false, stepping: true });
      await frames(tick, 8);
      await played;
      expect(player.now()).toEqual(after);
      expect(player.state.getState().stepping).toBe(false);
    },
  );

  test('is ended by the next step: as many presses, as many steps', async () => {
    const { player, tick } = await opened();
    for (let i = 0; i < 4; i++) await player.step(1, 'transaction');
    const after = player.now();
    await player.first();
    for (let i = 0; i < 3; i++) void player.playStep('transaction');
    await frames(tick, 1);
    void player.playStep('transaction');
    await frames(tick, 12);
    expect(player.now()).toEqual(after);
  });

  test.each([
    ['a step back', (player: TestPlayer) => player.step(-1, 'transaction')],
    ['going to the start', (player: TestPlayer) => player.first()],
  ])('is cancelled by %s', async (_, act) => {
    const { player, tick } = await opened();
    void player.playStep('transaction');
    void player.playStep('transaction');
    await frames(tick, 1);
    void act(player);
    await frames(tick, 20);
    expect(player.now().timePs).toBe(0);
    expect(player.state.getState().stepping).toBe(false);
  });

  test('gives way to playing', async () => {
    const { player, tick } = await opened();
    void player.playStep('transaction');
    await frames(tick, 1);
    player.toggle();
    expect(player.state.getState()).toMatchObject({ playing: true, stepping: false });
    await frames(tick, 2);
    expect(player.state.getState()).toMatchObject({ playing: true, stepping: false });
  });

  test('is what a bookmark waits for', async () => {
    const { player, tick } = await opened();
    await player.step(1, 'transaction');
    const after = player.now();
    await player.first();
    void player.playStep('transaction');
    const at = player.resting();
    await frames(tick, 10);
    expect(await at).toEqual(after);
  });
});

describe('stepping', () => {
  test('one event back undoes one event forward, wherever it began', async () => {
    const { player } = await opened();
    for (const start of [0, 1, 4, 98, 250]) {
      await player.toEvents(start);
      await player.step(1, 'event');
      const hash = await player.hash();
      await player.step(1, 'event');
      await player.step(-1, 'event');
      expect(await player.hash()).toBe(hash);
    }
  });

  test('skips events without a record', async () => {
    const { player } = await opened();
    await player.toEvents(2);
    await player.step(1, 'event');
    expect(player.now().events).toBe(4);
    await player.step(-1, 'event');
    expect(player.now().events).toBe(2);
  });

  test('moves between transactions and notable events, in both directions', async () => {
    const { player } = await opened();
    await player.step(1, 'transaction');
    await player.step(1, 'transaction');
    expect(player.now().events).toBe(8);
    await player.step(1, 'notable');
    expect(player.now().events).toBe(10);
    await player.step(-1, 'transaction');
    expect(player.now().events).toBe(8);
  });

  test('by microseconds ends at whole microseconds, in both directions', async () => {
    const { player } = await opened();
    await player.toTime(1_234_567);
    await player.step(1, 'microsecond');
    expect(player.now().timePs).toBe(2_000_000);
    await player.step(-1, 'microsecond');
    expect(player.now().timePs).toBe(1_000_000);
  });

  test('loses no step in quick succession', async () => {
    const { player, machine } = await opened();
    const wait = () => player.hash();
    for (let i = 0; i < 3; i++) void player.step(1, 'microsecond');
    await wait();
    expect(player.now().timePs).toBe(3_000_000);
    await player.toEvents(0);
    for (let i = 0; i < 5; i++) {
      void player.step(1, 'transaction');
      await Promise.resolve();
    }
    void player.step(-1, 'transaction');
    await wait();
    expect(player.now().events).toBe(16);
    void player.step(1, 'event');
    void player.toEvents(40);
    void player.step(1, 'transaction');
    await wait();
    expect(player.now().events).toBe(44);
    machine.refuse = 'gone';
    await player.reopen();
    machine.refuse = null;
    await player.reopen();
    await player.step(-1, 'transaction');
    expect(player.now().events).toBe(40);
  });

  test('resolves after queued steps, and at once during playback', async () => {
    const { player, tick } = await opened();
    for (let i = 0; i < 3; i++) void player.step(1, 'microsecond');
    expect((await player.resting()).timePs).toBe(3_000_000);
    player.play();
    tick(100);
    const { timePs } = await player.resting();
    expect(player.state.getState().playing).toBe(true);
    expect(timePs).toBe(player.now().timePs);
  });

  test('that is cancelled reports its position and drops queued steps', async () => {
    vi.useFakeTimers();
    const { player, machine } = await opened();
    let cancelled = () => {};
    const seek = vi.spyOn(machine, 'seekTime').mockReturnValueOnce(
      new Promise((answer) => {
        cancelled = () => answer({ timePs: 420_000, events: 42, seq: 28 });
      }),
    );
    void player.step(1, 'microsecond');
    void player.step(1, 'microsecond');
    await vi.advanceTimersByTimeAsync(2000);
    player.stopRecording();
    cancelled();
    await player.resting();
    expect(player.now().timePs).toBe(420_000);
    expect(seek).toHaveBeenCalledTimes(1);
    vi.useRealTimers();
    await player.step(1, 'microsecond');
    expect(player.now().timePs).toBe(1_000_000);
  });

  test('stops at both ends of the run', async () => {
    const { player } = await opened();
    await player.last();
    await player.step(1, 'notable');
    expect(player.now().timePs).toBe(EVENTS * TICK);
    await player.first();
    await player.step(-1, 'event');
    expect(player.now().events).toBe(0);
  });
});

describe('playing', () => {
  test('moves the playhead at the speed, independent of the frame rate', async () => {
    const run = async (frames: number, elapsed: number) => {
      const { player, tick } = await opened();
      player.setSpeed(1e6);
      player.play();
      for (let i = 0; i < frames; i++) {
        tick(elapsed);
        await rest();
      }
      return player.now().timePs;
    };
    expect(await run(60, 10)).toBeCloseTo(await run(10, 60), 0);
  });

  test('keeps its pace if the machine is late', async () => {
    const { player, tick } = await opened();
    player.setSpeed(1e6);
    player.play();
    for (let i = 0; i < 5; i++) tick(10);
    await rest();
    tick(10);
    await rest();
    expect(player.now().timePs).toBe(60_000);
  });

  test('at story pace gives each step time, and ends at the end of the run', async () => {
    const { player, tick } = await opened();
    player.setPace('story');
    player.play();
    const shownMs = new Map<number, number>();
    for (let i = 0; i < 6000 && player.state.getState().playing; i++) {
      tick(25);
      await rest();
      const step = player.film()?.stepAt(player.now().timePs) ?? -1;
      shownMs.set(step, (shownMs.get(step) ?? 0) + 25);
    }
    expect(player.now().timePs).toBe(EVENTS * TICK);
    const shown = [...shownMs].filter(([step]) => step >= 0).map(([, ms]) => ms);
    expect(shown.length).toBe(player.recording()?.story.length);
    expect(Math.min(...shown)).toBeGreaterThanOrEqual(350);
  });

  test('shows a long run without a bus as a whole, and a short one step by step', async () => {
    const { player, ahead } = testPlayer();
    const parts = [{ type: { ...BUS, actor: 'os' } }];
    const withoutBus = { ...sessionOf(), machine: { ...sessionOf().machine, parts } };
    player.setPace('story');
    await player.open(withoutBus);
    await rest();
    expect(player.state.getState().pace).toBe('story');
    const run = ahead.run.bind(ahead);
    ahead.run = async (limit) => ({ ...(await run(limit)), reason: 'events' });
    void player.open({ ...withoutBus, id: 'two' });
    for (let i = 0; i < 20 && player.state.getState().pace === 'story'; i++) await rest();
    expect(player.state.getState().pace).toBe('clock');
    await player.open(null);
  });

  test('switches to clock pace when a speed is chosen, without cuts', async () => {
    const { player } = await opened();
    player.setPace('story');
    expect(player.cutsIn(0, EVENTS * TICK).length).toBeGreaterThan(0);
    player.changeSpeed(1);
    expect(player.state.getState().pace).toBe('clock');
    expect(player.cutsIn(0, EVENTS * TICK)).toEqual([]);
  });

  test('does not jump after a pause of the page', async () => {
    const { player, tick } = await opened();
    player.setSpeed(1e6);
    player.play();
    tick(60_000);
    await rest();
    expect(player.now().timePs).toBe(100_000);
  });

  test('stops at each event of the chosen kind, and continues from there', async () => {
    const { player, tick } = await opened();
    const trace = player.trace();
    const seqs = Array.from({ length: trace?.last ?? 0 }, (_, index) => index + 1).filter(
      (seq) => trace?.record(seq)?.kind === NOTABLE,
    );
    const timesPs = seqs.map((seq) => trace?.record(seq)?.timePs ?? 0);
    player.setStop('kind:notable');
    player.setStops({ seqs, timesPs, toPs: Number.POSITIVE_INFINITY });
    player.setSpeed(1e6);
    const stops = [];
    for (let i = 0; i < 3; i++) {
      player.play();
      for (let j = 0; j < 40 && player.state.getState().playing; j++) {
        tick(50);
        await rest();
      }
      stops.push(player.now().events);
    }
    expect(stops).toEqual([10, 20, 40]);
    await player.step(-1, 'stop');
    expect(player.now().events).toBe(20);
    await player.step(1, 'stop');
    expect(player.now().events).toBe(40);
    await player.first();
    await player.step(-1, 'stop');
    expect(player.now().events).toBe(0);
  });

  test('waits where the search for stops has not been, and goes on behind it', async () => {
    const { player, tick } = await opened();
    const play = async () => {
      for (let i = 0; i < 10; i++) {
        tick(50);
        await rest();
      }
      return player.now().timePs;
    };
    player.setStop('kind:notable');
    player.setSpeed(1e6);
    player.play();
    expect(await play()).toBe(0);
    player.setStops({ seqs: [], timesPs: [], toPs: 5 * TICK });
    expect(await play()).toBe(5 * TICK);
    expect(player.state.getState().playing).toBe(true);
    player.setStops({ seqs: [], timesPs: [], toPs: Number.POSITIVE_INFINITY });
    expect(await play()).toBeGreaterThan(5 * TICK);
  });

  test('a step to the next stop waits until the search knows it', async () => {
    const { player } = await opened();
    player.setStop('kind:notable');
    const step = player.step(1, 'stop');
    await rest();
    player.setStops({ seqs: [10], timesPs: [10 * TICK], toPs: Number.POSITIVE_INFINITY });
    await step;
    expect(player.now().timePs).toBe(10 * TICK);
  });

  test('stops at a limit, which no seek and no step passes, and continues when it is lifted', async () => {
    const { player, tick } = await opened();
    const limit = 7.5 * TICK;
    player.setLimit(limit);
    player.setSpeed(1e6);
    player.play();
    for (let i = 0; i < 40 && player.state.getState().playing; i++) {
      tick(50);
      await rest();
    }
    expect(player.now().timePs).toBe(limit);
    for (const go of [
      () => player.last(),
      () => player.toTime(20 * TICK),
      () => player.toEvents(20),
      () => player.step(1, 'event'),
    ]) {
      await go();
      expect(player.now()).toMatchObject({ timePs: limit, events: 7 });
    }
    player.play();
    tick(16);
    await rest();
    expect(player.now().timePs).toBe(0);
    player.setLimit(null);
    await player.toTime(20 * TICK);
    player.setLimit(limit);
    await rest();
    expect(player.now().timePs).toBe(limit);
  });

  test('finds the first event after which a condition holds, without moving', async () => {
    const { player } = await opened();
    await player.toTime(3 * TICK);
    const found = await player.firstWhere((counters) => (counters[0] ?? 0) >= 123);
    expect(found?.events).toBe(123);
    expect(player.now()).toMatchObject({ timePs: 3 * TICK, events: 3 });
    expect(await player.firstWhere(() => false)).toBeNull();
  });

  test('finds from where on a condition holds to the end, not where it held for a while', async () => {
    const { player } = await opened();
    const found = await player.firstWhere(({ 0: count = 0 }) => count < 40 || count >= 123);
    expect(found?.events).toBe(123);
  });

  test('stops at the end, and restarts from the beginning', async () => {
    const { player, tick } = await opened();
    await player.toTime(EVENTS * TICK - 10);
    player.play();
    tick(100);
    await rest();
    expect(player.state.getState().playing).toBe(false);
    player.play();
    tick(16); // before the machine is back
    await rest();
    expect(player.now().timePs).toBe(0);
    expect(player.state.getState().playing).toBe(true);
    tick(16);
    await rest();
    expect(player.now().timePs).toBeGreaterThan(0);
    expect(player.now().timePs).toBeLessThan(EVENTS * TICK);
  });

  test('returns every frame except the present one to the engine', async () => {
    const { player, machine, tick } = await opened();
    let frames = 0;
    player.onFrame(() => frames++);
    const before = machine.released;
    player.play();
    for (let i = 0; i < 20; i++) {
      tick(16);
      await rest();
    }
    expect(machine.released - before).toBe(frames);
  });
});

describe('an edit', () => {
  test('of the machine reruns it to the same time', async () => {
    const { player, machine, ahead } = await opened();
    await player.toTime(3_000_000);
    await player.open(sessionOf(4));
    await rest();
    expect(player.now().timePs).toBe(3_000_000);
    expect(machine.session?.config[0]).toBe(4);
    expect(ahead.session?.config[0]).toBe(4);
    expect(player.state.getState().endEvents).toBe(400);
  });

  test('during a run becomes a command and does not reopen the machine', async () => {
    const { player, machine } = await opened();
    const session = sessionOf();
    await player.open(session);
    await player.toTime(3_000_000);
    machine.calls.length = 0;
    const commands = [{ atEvents: 300, part: 0, param: 0, value: 7n }];
    await player.open({ ...session, commands });
    expect(machine.calls).toEqual(['commands']);
    expect(machine.commands).toEqual(commands);
    expect(player.now()).toMatchObject({ timePs: 3_000_000, events: 300 });
  });

  test('is not lost if the playhead is moved immediately', async () => {
    const { player, machine } = await opened();
    const edit = player.open(sessionOf(4));
    await player.toTime(2_000_000);
    await edit;
    expect(machine.session?.config[0]).toBe(4);
    expect(player.now().timePs).toBe(2_000_000);
  });

  test('right after a move keeps the target of the playhead', async () => {
    const { player, machine } = await opened();
    await player.toTime(3_000_000);
    const moved = player.first();
    await player.open(sessionOf(4));
    await moved;
    expect(machine.session?.config[0]).toBe(4);
    expect(player.now().timePs).toBe(0);
  });

  test.each(['microsecond', 'transaction'] as const)(
    'lets a step by %s go beyond what is recorded anew so far',
    async (unit) => {
      const { player, ahead } = await opened();
      player.setUnit(unit);
      await player.toTime(2_000_000);
      await player.step(1);
      const { timePs: wanted } = player.now();
      await player.first();
      let resume = () => {};
      ahead.held = {
        afterEvents: 50,
        until: new Promise((go) => {
          resume = go;
        }),
      };
      const commands = [{ atEvents: 50, part: 0, param: 0, value: 7n }];
      void player.open({ ...sessionOf(), commands });
      await rest();
      expect(player.state.getState()).toMatchObject({ complete: false, endPs: 50 * TICK });
      void player.toTime(2_000_000);
      void player.step(1);
      await rest();
      resume();
      await rest();
      expect(player.now().timePs).toBe(wanted);
    },
  );

  test('is not kept waiting by a step beyond what is recorded so far', async () => {
    const { player, machine, ahead } = await opened();
    ahead.held = { afterEvents: 0, until: new Promise(() => {}) };
    void player.open(sessionOf(4));
    void player.step(1, 'transaction');
    await rest();
    void player.open(sessionOf(5));
    await rest();
    expect(machine.session?.config[0]).toBe(5);
  });

  test('right after another edit replaces it', async () => {
    const { player, machine } = await opened();
    const edits = [1, 2, 3, 4, 5].map((first) => player.open(sessionOf(first)));
    await Promise.all(edits);
    await rest();
    expect(machine.session?.config[0]).toBe(5);
    expect(machine.calls.filter((call) => call === 'open').length).toBeLessThan(5);
    expect(player.state.getState().endEvents).toBe(EVENTS);
  });
});
