/**
 * The steps of a lecture: to the next new kind of event, or else to the next step of the lesson, or else to the next
 * lesson of the playlist.
 */
import { setParams } from '../../base/route';
import { shell } from '../../base/shell-state';
import { moreLikeIt, nextNew } from '../session/new-kinds';
import { player } from '../session/open-run';
import { currentEvent } from '../session/presented-event';
import type { NotableEvents } from '../session/recorder';
import { setView } from '../session/session';
import type { Trace } from '../trace/trace';
import { stepShown } from './answer-mask';
import { timesOf } from './lesson-times';
import { openLesson } from './open-lesson';
import { goToItem } from './playlists';

/** Duration of a step of the lecture in milliseconds. */
const STEP_MS = 900;

interface Notable {
  readonly seqs: readonly number[];
  readonly kinds: Int32Array;
}

const known = new WeakMap<NotableEvents, { readonly trace: Trace; readonly notable: Notable }>();

/** The notable events of the recorded run and their kinds; null if not all of them are kept. */
function notableNow(): Notable | null {
  const { marks, trace, cut } = player.recording() ?? {};
  if (!marks || !trace || cut) return null;
  const kept = known.get(marks);
  if (kept?.trace === trace && kept.notable.seqs.length === marks.notable.length)
    return kept.notable;
  const seqs = marks.notable.slice(0, marks.notable.length);
  const notable = { seqs, kinds: Int32Array.from(seqs, (seq) => trace.record(seq)?.kind ?? -1) };
  known.set(marks, { trace, notable });
  return notable;
}

/** Index of the notable event at the playhead; -1 before the first. */
const indexNow = (): number =>
  (player.recording()?.marks.notable.countTo(player.now().seq) ?? 0) - 1;

/** Number of events like the presented one that the next step of the lecture skips. */
export function moreLikeNow(): number {
  const [notable, at] = [notableNow(), indexNow()];
  const isPresented = notable?.seqs[at] === currentEvent();
  return notable && isPresented ? moreLikeIt(notable.kinds, at) : 0;
}

/** To the end of the run, as far as it is open; from there to the next lesson of the playlist. */
async function toEnd(): Promise<void> {
  const before = player.now().timePs;
  await player.last();
  if (player.now().timePs === before) goToItem(1);
}

async function toLessonStep(): Promise<void> {
  const { steps = [] } = openLesson.getState() ?? {};
  const next = stepShown.getState() + 1;
  const step = steps[next];
  if (!step) return toEnd();
  setView({ step: next });
  setParams({ step: String(next + 1) });
  const [timePs] = timesOf(step);
  if (timePs !== undefined) await player.toTime(timePs);
}

/** Where the present step of the lecture leads; null while none is playing. */
let target: number | null = null;

async function playTo(timePs: number): Promise<void> {
  target = timePs;
  await player.playTo(timePs, shell.getState().reducedMotion ? 0 : STEP_MS);
  target = null;
}

/** Time of the next or previous new event at another time than the playhead's; null if there is none. */
function newTime({ seqs, kinds }: Notable, by: 1 | -1): number | null {
  const here = player.now().timePs;
  for (let at = nextNew(kinds, indexNow(), by); at >= 0; at = nextNew(kinds, at, by)) {
    const timePs = player.trace()?.record(seqs[at] ?? 0)?.timePs ?? here;
    if (timePs !== here) return timePs;
  }
  return null;
}

/** One step of the lecture. While one is playing, the next press goes to its end. */
export async function lectureStep(by: 1 | -1): Promise<void> {
  if (by > 0 && target !== null && player.state.getState().playing) {
    const timePs = target;
    player.pause();
    return player.toTime(timePs);
  }
  player.pause();
  const notable = notableNow();
  if (!notable) return void (await player.step(by, 'notable'));
  const timePs = newTime(notable, by);
  const { limitPs } = player.state.getState();
  if (by < 0) return timePs === null ? player.first() : player.toTime(timePs);
  if (timePs === null || timePs > (limitPs ?? Infinity)) return toLessonStep();
  return playTo(timePs);
}
