import { useEffect, useRef } from 'react';
import { text } from '../../base/format';
import { loop } from '../../base/loop';
import { runTime } from '../../controllers/runTime';
import styles from './Compare.module.css';
import { comparing, endPs, needle, onNeedle } from './comparing';

/** The common time, written past React. */
export function Readouts() {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const write = () => {
      if (element.current) element.current.textContent = text(runTime(needle(), endPs()));
    };
    write();
    const ask = () => loop.once('dom', write);
    const stops = [onNeedle(ask), comparing.state.subscribe(ask)];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return <div ref={element} className={styles.read} data-readout="both" />;
}
