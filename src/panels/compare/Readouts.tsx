import { useEffect, useRef } from 'react';
import { text } from '../../base/format';
import { loop } from '../../base/loop';
import { runTime } from '../../controllers/useRun';
import styles from './Compare.module.css';
import { comparing, lead, longestPs, onPlayheadMove, playhead } from './comparing';

/** The common time, or the time of each run if they are shifted. */
function readout(): string {
  const shift = lead.getState();
  const own = (name: string, by: number) =>
    `${name} ${playhead() < by ? 'not begun' : text(runTime(playhead() - by, longestPs()))}`;
  return shift.a === shift.b
    ? text(runTime(playhead(), longestPs()))
    : `${own('A', shift.a)}, ${own('B', shift.b)}`;
}

/** Updated without React. */
export function Readouts() {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const write = () => {
      if (element.current) element.current.textContent = readout();
    };
    write();
    const ask = () => loop.once('dom', write);
    const stops = [onPlayheadMove(ask), comparing.state.subscribe(ask), lead.subscribe(ask)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return <div ref={element} className={styles.read} data-readout="both" />;
}
