/** Playing towards the start of a run. */
import { describe, expect, test } from 'vitest';
import { EVENTS, NOTABLE, rest, sessionOf, TICK, testPlayer } from './player.fixture';

async function opened() {
  const made = testPlayer();
  await made.player.open(sessionOf());
  await rest();
  return made;
}

/** Lets frames of the page pass, each with the machine's answer. */
async function pass(tick: (ms: number) => void, frames: number) {
  for (let i = 0; i < frames; i++) {
    tick(16);
    await rest();
  }
}

describe('playing backwards', () => {
  test.each(['clock', 'story'] as const)(
    'at %s pace is as fast as forwards, and ends at the start',
    async (pace) => {
      const { player, tick } = await opened();
      player.setSpeed(1e6);
      player.setPace(pace);
      const frames = (amount: number) => pass(tick, amount);
      player.play();
      await frames(30);
      const there = player.now().timePs;
      await frames(20);
      expect(player.now().timePs).toBeGreaterThan(there);
      player.playBackwards();
      expect(player.state.getState().playing).toBe(true);
      const times: number[] = [];
      for (let i = 0; i < 20; i++) {
        await frames(1);
        times.push(player.now().timePs);
      }
      expect(times).toEqual(times.toSorted((a, b) => b - a));
      // The film is told in whole frames: one more or less at the turn.
      const way = player.film() && pace === 'story' ? 2 * TICK : 20_000;
      expect(Math.abs(player.now().timePs - there)).toBeLessThanOrEqual(way);
      await frames(200);
      expect(player.now().timePs).toBe(0);
      expect(player.state.getState().playing).toBe(false);
    },
  );

  test('turns round with play, and pauses', async () => {
    const { player, tick } = await opened();
    player.setSpeed(1e6);
    await player.toTime(100 * TICK);
    player.playBackwards();
    tick(16);
    await rest();
    const back = player.now().timePs;
    expect(back).toBeLessThan(100 * TICK);
    player.toggle();
    tick(16);
    await rest();
    expect(player.now().timePs).toBe(back);
    player.toggle();
    tick(16);
    await rest();
    expect(player.now().timePs).toBeGreaterThan(back);
  });

  test('stops at each event that stops playing, the latest first, and goes on from there', async () => {
    const { player, tick } = await opened();
    const trace = player.trace();
    const seqs = Array.from({ length: trace?.last ?? 0 }, (_, index) => index + 1).filter(
      (seq) => trace?.record(seq)?.kind === NOTABLE,
    );
    const timesPs = seqs.map((seq) => trace?.record(seq)?.timePs ?? 0);
    player.setStop('kind:notable');
    player.setSpeed(1e6);
    await player.toTime(45 * TICK);
    player.setStops({ seqs: [], timesPs: [], toPs: 44 * TICK });
    player.playBackwards();
    await pass(tick, 10);
    // The search has not come to the playhead yet.
    expect(player.now().timePs).toBe(45 * TICK);
    player.setStops({ seqs, timesPs, toPs: EVENTS * TICK });
    const stops: number[] = [];
    for (let i = 0; i < 4; i++) {
      if (!player.state.getState().playing) player.playBackwards();
      for (let j = 0; j < 40 && player.state.getState().playing; j++) await pass(tick, 1);
      stops.push(player.now().events);
    }
    expect(stops).toEqual([40, 20, 10, 0]);
    expect(player.state.getState()).toMatchObject({ playing: false, backwards: false });
  });

  test('pauses when asked again', async () => {
    const { player, tick } = await opened();
    await player.toTime(100 * TICK);
    player.playBackwards();
    await pass(tick, 1);
    expect(player.state.getState()).toMatchObject({ playing: true, backwards: true });
    player.playBackwards();
    expect(player.state.getState()).toMatchObject({ playing: false, backwards: false });
  });
});
