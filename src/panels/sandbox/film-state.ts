/** Plays the film of a sandbox step. Frames set CSS variables; only a new phase becomes state. */
import { useEffect, useRef } from 'react';
import { begin } from '../../base/activity';
import { loop } from '../../base/loop';
import { shell } from '../../base/shell-state';
import { createStore } from '../../base/store';
import {
  FILM_PHASES,
  type FilmMoment,
  filmMoment,
  STEP_FILM_MS,
  type StepFilm,
} from '../../model/sandbox/step-film';

interface Filming {
  /** The film of the shown step; null for the initial state. */
  readonly film: StepFilm | null;
  readonly phase: FilmMoment['phase'];
}

export const filming = createStore<Filming>({ film: null, phase: 'over' });

/** Film time in milliseconds. */
let ms = STEP_FILM_MS;
let stop: (() => void) | null = null;
const listeners = new Set<() => void>();

function show(): void {
  const { phase } = filmMoment(ms);
  if (filming.getState().phase !== phase) filming.setState({ phase });
  for (const listener of listeners) listener();
}

/** Ends a film at its last moment. */
export function endFilm(): void {
  stop?.();
  stop = null;
  ms = STEP_FILM_MS;
  show();
}

/** Shows a film from its start, or only its end if it is not to be played. */
export function showFilm(film: StepFilm | null, isPlayed: boolean): void {
  endFilm();
  filming.setState({ film });
  if (!film || !isPlayed || shell.getState().reducedMotion) return;
  ms = 0;
  const end = begin();
  const stopClock = loop.every('advance', ({ elapsed }) => {
    ms += elapsed;
    if (ms >= STEP_FILM_MS) endFilm();
    else show();
  });
  stop = () => {
    stopClock();
    end();
  };
  show();
}

/** Keeps the shares of the film's phases in CSS variables of an element: `--request`, `--data` and so on. */
export function useFilmVariables<E extends HTMLElement>() {
  const element = useRef<E>(null);
  useEffect(() => {
    const write = () => {
      const { share } = filmMoment(ms);
      for (const phase of FILM_PHASES)
        element.current?.style.setProperty(`--${phase}`, share[phase].toFixed(3));
    };
    listeners.add(write);
    write();
    return () => void listeners.delete(write);
  }, []);
  return element;
}
