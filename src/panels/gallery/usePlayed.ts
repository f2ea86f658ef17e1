/** A thumbnail that plays once, on hover or focus of its column. */
import { useEffect, useRef, useState } from 'react';
import { loop } from '../../base/loop';
import { shell } from '../../base/shell-state';

const PLAY_MS = 3000;

/**
 * Plays from 0 to 1 while the pointer or the focus is in the column. Drawings read the share of the time passed from
 * the CSS variable `--played`, or the index of the present one of `frames` pictures. At rest they show the end.
 */
export function usePlayed(frames: number) {
  const thumb = useRef<HTMLDivElement>(null);
  const stop = useRef<(() => void) | null>(null);
  const [frame, setFrame] = useState(frames - 1);
  const show = (share: number) => {
    thumb.current?.style.setProperty('--played', share.toFixed(3));
    setFrame(Math.min(frames - 1, Math.floor(share * frames)));
  };
  const end = () => {
    if (!stop.current) return;
    stop.current();
    stop.current = null;
    show(1);
  };
  const play = () => {
    if (stop.current || shell.getState().reducedMotion) return;
    let ms = 0;
    const stopClock = loop.every('dom', ({ elapsed }) => {
      ms += elapsed;
      show(Math.min(1, ms / PLAY_MS));
      if (ms >= PLAY_MS) stopClock();
    });
    stop.current = stopClock;
    show(0);
  };
  useEffect(() => () => stop.current?.(), []);
  return {
    thumb,
    frame,
    column: { onPointerEnter: play, onPointerLeave: end, onFocus: play, onBlur: end },
  };
}
