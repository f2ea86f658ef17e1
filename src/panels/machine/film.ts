/** Saves the machine's drawing as a film: the playhead goes to the time of each frame, and the drawing is painted there. */
import { loop } from '../../base/loop';
import { shell } from '../../base/shell-state';
import { startWorker } from '../../base/startWorker';
import { sealedFromPs } from '../../model/lesson/answer-mask';
import { FRAME_MS, filmFrames } from '../../model/session/film-frames';
import { player } from '../../model/session/open-run';
import { session } from '../../model/session/session';
import { download, fileName } from '../../widgets/download';
import type { Picture } from '../../widgets/gif-packer';
import workerUrl from '../../widgets/gif-packer.ts?worker&url';
import { fontsOf, paintSvg } from '../../widgets/svg-file';

/** Pixels across: enough for half a slide of 1920, in a file that can be mailed. */
const WIDTH = 1280;
/** The last picture is seen for longer, before the film begins again. */
const LAST_MS = 1500;

/** Run times of the frames from the playhead on. At the end of the run the film begins at its start. */
export function framesFromHere(ms: number): readonly number[] {
  const { endPs, pace, speed } = player.state.getState();
  const { timePs } = player.now();
  const fromPs = timePs < endPs ? timePs : 0;
  const film = pace === 'story' ? player.film() : null;
  return filmFrames({ fromPs, endPs, ms, film, speed });
}

/** Whether an open question seals one of the frames. */
export const isSealed = (frames: readonly number[]): boolean =>
  sealedFromPs(player.now().timePs) < (frames.at(-1) ?? 0);

/** A worker that answers each message with one. */
function createPacker() {
  const worker = startWorker(workerUrl, 'busyard film');
  return {
    send: (picture: Picture | null): Promise<Uint8Array<ArrayBuffer> | null> =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = () => reject(new Error('The worker that packs the film could not start.'));
        worker.postMessage(picture, picture ? [picture.rgba.buffer] : []);
      }),
    dispose: () => worker.terminate(),
  };
}

/** When everything that the frame of the run asks for is drawn. */
const drawn = (): Promise<void> => new Promise((resolve) => loop.once('dom', () => resolve()));

/** Null while there is no drawing. */
const drawingNow = () => document.querySelector<SVGSVGElement>('[data-machine] svg.drawing');

/** Saves the frames as an animated GIF, and returns to the moment; nothing is saved if `signal` aborts. */
export async function saveFilm(
  frames: readonly number[],
  onFrame: (done: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const first = drawingNow();
  if (!first) throw new Error('The machine is not drawn.');
  const { events } = player.now();
  const { reducedMotion } = shell.getState();
  const { title } = session.getState();
  const { width, height } = first.viewBox.baseVal;
  const canvas = document.createElement('canvas');
  canvas.width = WIDTH;
  canvas.height = Math.round((WIDTH * height) / width);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) throw new Error('The browser gives no canvas to paint on.');
  const [fonts, packer] = [await fontsOf(first), createPacker()];
  // A film is saved for its motion, also with reduced motion.
  shell.setState({ reducedMotion: false });
  try {
    for (const [index, timePs] of frames.entries()) {
      await player.toTime(timePs);
      await drawn();
      const drawing = drawingNow();
      if (!drawing) throw new Error('The machine is no longer drawn.');
      await paintSvg(drawing, fonts, canvas);
      if (signal.aborted) return;
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const delay = index === frames.length - 1 ? LAST_MS : FRAME_MS;
      await packer.send({ width: canvas.width, height: canvas.height, rgba: data, delay });
      onFrame(index + 1);
    }
    const file = await packer.send(null);
    if (file) download(`${fileName(title)}.gif`, new Blob([file], { type: 'image/gif' }));
  } finally {
    packer.dispose();
    shell.setState({ reducedMotion });
    await player.toEvents(events);
  }
}
