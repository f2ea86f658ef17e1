import { useEffect, useRef, useState } from 'react';
import { text, time } from '../../base/format';
import { showOverlay } from '../../base/shell-state';
import { player } from '../../model/session/open-run';
import { Button } from '../../widgets/Button';
import { Dialog, DialogActions, DialogBody } from '../../widgets/Dialog';
import { ErrorNotice } from '../../widgets/Feedback';
import { Segmented } from '../../widgets/Segmented';
import styles from './FilmSheet.module.css';
import { framesFromHere, isSealed, saveFilm } from './film';

type Seconds = '5' | '10' | '20';

const LENGTHS: readonly Seconds[] = ['5', '10', '20'];

const close = () => showOverlay(null);

/** How long a film is saved, from the playhead on; and how far it has come. */
export default function FilmSheet() {
  const [seconds, setSeconds] = useState<Seconds>('10');
  const [done, setDone] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [opened] = useState(() => {
    player.pause();
    return new Map(LENGTHS.map((one) => [one, framesFromHere(Number(one) * 1000)]));
  });
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const frames = opened.get(seconds) ?? [];
  const [from = 0, to = 0] = [frames[0], frames.at(-1)];
  const sealed = isSealed(frames);
  async function save(): Promise<void> {
    stop.current = new AbortController();
    setDone(0);
    setFailure(null);
    try {
      await saveFilm(frames, setDone, stop.current.signal);
      close();
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
    setDone(null);
  }
  return (
    <Dialog title="Save the machine as a film" onClose={close}>
      <DialogBody>
        {done === null && (
          <div>
            <Segmented<Seconds>
              label="Length of the film"
              options={LENGTHS.map((value) => ({ value, title: `${value} s` }))}
              value={seconds}
              onChange={setSeconds}
            />
          </div>
        )}
        <p>
          An animated GIF of the drawing, from {text(time(from))} to {text(time(to))} of the run.
        </p>
        {sealed && (
          <p role="alert">Answer the question first: the film would show what its seal hides.</p>
        )}
        {failure && <ErrorNotice title="The film could not be saved" detail={failure} />}
        {done !== null && (
          <label className={styles.progress}>
            Frame {Math.min(done + 1, frames.length)} of {frames.length}
            <progress value={done} max={frames.length} />
          </label>
        )}
        <DialogActions>
          {done === null && (
            <Button look="primary" disabled={sealed || to <= from} onClick={() => void save()}>
              Save the film
            </Button>
          )}
          <Button look="quiet" onClick={close}>
            Cancel
          </Button>
        </DialogActions>
      </DialogBody>
    </Dialog>
  );
}
