import { type RefObject, useCallback, useEffect, useRef } from 'react';
import type { Shape } from '../draw/shape';
import { answerMask } from '../model/lesson/answer-mask';
import { pointed, selection } from '../model/session/selection';
import { LiveShapes } from './LiveShapes';
import { useFrames } from './useRun';

/**
 * A group of shapes that are functions of the run at the playhead and of what is selected or pointed at:
 * drawn again with each frame, each selection, and whenever the component is.
 */
export function useLiveGroup(shapesNow: () => readonly Shape[]): RefObject<SVGGElement | null> {
  const group = useRef<SVGGElement>(null);
  const shapes = useRef<LiveShapes | null>(null);
  const latest = useRef(shapesNow);
  latest.current = shapesNow;
  const draw = useCallback(() => {
    if (!group.current) return;
    shapes.current ??= new LiveShapes(group.current);
    shapes.current.show(latest.current());
  }, []);
  useFrames('dom', draw);
  useEffect(draw);
  useEffect(() => {
    const stops = [selection, pointed, answerMask].map((store) => store.subscribe(draw));
    return () => {
      for (const stop of stops) stop();
    };
  }, [draw]);
  return group;
}
